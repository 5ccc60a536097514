"""WG Lemma 5.1: amplification by sampling each class without replacement (Steinke 2022, Theorem 29)."""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.subsampled_batches import Sampled, deltas, draw, plain_deltas, simpler


def _over(found: tuple[float, float]) -> float:
    return 0.0 if found[0] < 1e-6 else found[0] / max(found[1], 1e-300)


def _plain(case: Sampled) -> float:
    found, stated = plain_deltas(case, max(batch / records for records, batch in case.sizes))
    return 0.0 if found < 1e-6 else found / max(stated, 1e-300)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Lemma 5.1",
    place="Section 5.2; proof in Section A.4",
    statement="on n'_j of the n_j records of each class an (ε, δ)-DP mechanism is (ln(1 + p(e^ε - 1)), pδ)-DP",
    formula="ε' = ln(1 + p(e^ε - 1)), δ' = pδ, p = max_j n'_j/n_j, under the k-end relation",
    compared="δ' found / stated",
    draw=draw,
    ratio=lambda case: _over(deltas(case, max(case.rates))),
    verified=_plain,
    corrupted=lambda case: _over(deltas(case, min(case.rates) ** 2)),
    simpler=simpler,
    usual=3000,
    few=200,
)
