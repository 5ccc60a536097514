r"""Exact changes of a Gibbs posterior: the largest |log q̃(w)/q(w)| over deletions, replacements and moves.

A change of the records moves the mean risk of w, and with it q̃(w) ∝ q(w) e^{h(w)}, where

- deleting x of N records: h = β (r(w, x) - mean risk of w) / (N - 1);
- replacing x by x̃: h = β (r(w, x) - r(w, x̃)) / N.

The log-ratio is h(w) - log Σ_w q(w) e^{h(w)}.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.tangent.gibbs import Posterior
from wassdp.tangent.risks import Risks, mapped, record_blocks

NEGLIGIBLE = 1e-25


@dataclass(frozen=True)
class Worst:
    """The change of the largest log-ratio.

    Args:
        log_ratio: largest |log q̃(w)/q(w)| in nats.
        record: the record that is deleted, replaced or moved.
        hypothesis: w at which the ratio is reached.
        replacement: the record that takes its place, where there is one.
    """

    log_ratio: float
    record: int
    hypothesis: int
    replacement: int | None = None


def log_normalisers(
    log_q: Float[np.ndarray, " hypotheses"], changes: Float[np.ndarray, "rows hypotheses"]
) -> Float[np.ndarray, " rows"]:
    """The logarithm of Σ_w q(w) e^{h(w)} for each row h."""
    return _log_normalisers(log_q, changes, float((changes.max(axis=1) - changes.min(axis=1)).max()))


def largest_each(
    log_q: Float[np.ndarray, " hypotheses"], changes: Float[np.ndarray, "rows hypotheses"]
) -> Float[np.ndarray, " rows"]:
    """Largest |log q̃(w)/q(w)| over w for each row of changes h."""
    high, low = changes.max(axis=1), changes.min(axis=1)
    normaliser = _log_normalisers(log_q, changes, float((high - low).max()))
    return np.asarray(np.maximum(high - normaliser, normaliser - low))


def _log_normalisers(
    log_q: Float[np.ndarray, " hypotheses"], changes: Float[np.ndarray, "rows hypotheses"], spread: float
) -> Float[np.ndarray, " rows"]:
    # The sum is at least e^{min h}, so hypotheses of less than e^{-spread} NEGLIGIBLE / W together add less than a
    # relative NEGLIGIBLE. A cold posterior is left with a few: this is what makes large β cheap.
    kept = log_q > math.log(NEGLIGIBLE / len(log_q)) - spread
    if 2 * np.count_nonzero(kept) < len(log_q):
        log_q, changes = log_q[kept], changes[:, kept]
    weighted = changes + log_q
    top = weighted.max(axis=1)
    weighted -= top[:, None]
    np.exp(weighted, out=weighted)
    return np.asarray(top + np.log(weighted.sum(axis=1)))


def distances_each(
    log_q: Float[np.ndarray, " hypotheses"], changes: Float[np.ndarray, "rows hypotheses"]
) -> Float[np.ndarray, " rows"]:
    """‖q̃ - q‖_1 for each row of changes h."""
    log_ratio = changes - log_normalisers(log_q, changes)[:, None]
    return np.asarray(np.abs(np.exp(log_ratio + log_q) - np.exp(log_q)).sum(axis=1))


def deletion_changes(posterior: Posterior, risks: Risks, first: int, last: int) -> Float[np.ndarray, "rows hypotheses"]:
    """Changes h of each deletion of the records ``first`` to ``last`` - 1."""
    changes = risks.block(first, last)
    changes -= posterior.mean_risks
    changes *= posterior.inverse_temperature / (posterior.records - 1)
    return changes


def deletions(posterior: Posterior, risks: Risks, *, workers: int = 1) -> Float[np.ndarray, " records"]:
    """Largest log-ratio over w for the deletion of each record.

    Args:
        posterior: the posterior of ``risks``.
        risks: r of at least two records; read once, block by block.
        workers: threads.

    Raises:
        ValueError: the posterior has other hypotheses or records, or there is only one record.
    """
    _check(posterior, risks)
    log_q = posterior.log_probabilities
    parts = mapped(lambda a, b: largest_each(log_q, deletion_changes(posterior, risks, a, b)), risks, workers=workers)
    return np.concatenate(list(parts))


def worst_deletion(posterior: Posterior, risks: Risks, *, workers: int = 1) -> Worst:
    """The deletion of the largest log-ratio; see `deletions`."""
    ratios = deletions(posterior, risks, workers=workers)
    record = int(np.argmax(ratios))
    return _at(posterior, deletion_changes(posterior, risks, record, record + 1), record)


def deletion_distances(posterior: Posterior, risks: Risks) -> Float[np.ndarray, " records"]:
    """‖q̃ - q‖_1 for the deletion of each record."""
    _check(posterior, risks)
    log_q = posterior.log_probabilities
    parts = mapped(lambda a, b: distances_each(log_q, deletion_changes(posterior, risks, a, b)), risks)
    return np.concatenate(list(parts))


def worst_move(posterior: Posterior, risks: Risks, moved: Risks) -> Worst:
    """The largest log-ratio over moving one record x of ``risks`` to its place in ``moved``, for every x.

    Raises:
        ValueError: the two differ in their numbers of hypotheses or records.
    """
    _check(posterior, risks)
    _check(posterior, moved)

    def changes(first: int, last: int) -> Float[np.ndarray, "rows hypotheses"]:
        scale = posterior.inverse_temperature / posterior.records
        return np.asarray(scale * (risks.block(first, last) - moved.block(first, last)))

    ratios = mapped(lambda a, b: largest_each(posterior.log_probabilities, changes(a, b)), risks)
    record = int(np.argmax(np.concatenate(list(ratios))))
    return _at(posterior, changes(record, record + 1), record)


def worst_replacement(posterior: Posterior, risks: Risks) -> Worst:
    r"""The largest log-ratio over replacing any record by any other record of the set, over all N² pairs.

    With c the risks less their mean under q and s = β/N, the pair (x, x̃) has the largest log-ratio

    .. math:: \max_w s (c_{w\tilde x} - c_{wx}) + \log \sum_w q(w) e^{s (c_{wx} - c_{w\tilde x})}

    or the other pair's. By the Cauchy-Schwarz inequality the second term is at most half of
    log E e^{2sc_x} plus half of log E e^{-2sc_x̃}, so one pass bounds what each record can reach as replacement.
    Records are then compared with all others in the order of these bounds until none can reach the best pair.
    The answer is exact; the worst case takes N passes. The risks are held in memory.
    """
    _check(posterior, risks)
    log_q, scale = posterior.log_probabilities, posterior.inverse_temperature / posterior.records
    # Rows of `lifts` are s c_x; a change x → x̃ is their difference.
    lifts = np.concatenate(list(mapped(lambda a, b: scale * risks.block(a, b), risks)))
    lifts -= (lifts @ posterior.probabilities)[:, None]
    low, high = lifts.min(axis=0), lifts.max(axis=0)
    gains, losses = (lifts - low).max(axis=1), (high - lifts).max(axis=1)
    down = np.concatenate([log_normalisers(log_q, -2 * lifts[a:b]) for a, b in record_blocks(*lifts.shape)])
    up = max(float(log_normalisers(log_q, 2 * lifts[a:b]).max()) for a, b in record_blocks(*lifts.shape))
    # A normaliser also is at most the largest change.
    reach = gains + np.minimum(losses, (down + up) / 2)
    best = Worst(log_ratio=-1.0, record=0, hypothesis=0)
    for new in np.argsort(-reach, kind="stable").tolist():
        if reach[new] <= best.log_ratio:
            break
        for first, last in record_blocks(*lifts.shape):
            changes = lifts[first:last] - lifts[new]
            values = log_normalisers(log_q, changes) - changes.min(axis=1)
            old = int(np.argmax(values))
            if values[old] > best.log_ratio:
                best = Worst(float(values[old]), first + old, int(np.argmin(changes[old])), new)
    return best


def _check(posterior: Posterior, risks: Risks) -> None:
    if (len(posterior.log_probabilities), posterior.records) != (risks.hypotheses, risks.records):
        raise ValueError(
            f"risks: has {risks.hypotheses} hypotheses and {risks.records} records; the posterior is of "
            f"{len(posterior.log_probabilities)} and {posterior.records}"
        )
    if risks.records < 2:
        raise ValueError("risks: has one record; a change needs at least two")


def _at(posterior: Posterior, changes: Float[np.ndarray, "1 hypotheses"], record: int) -> Worst:
    ratios = changes[0] - log_normalisers(posterior.log_probabilities, changes)[0]
    where = int(np.argmax(np.abs(ratios)))
    return Worst(float(np.abs(ratios[where])), record, where)
