"""TDP Remark 2.1(d), composition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, l1_norm, log_norm, quotient, simpler
from wassdp.tangent import bounds
from wassdp.tangent.bounds import OutputNorm


@dataclass(frozen=True, eq=False)
class Both:
    """Two problems of the same records."""

    first: Case
    second: Case

    def __str__(self) -> str:
        return f"first: {self.first}; second: {self.second}"


def _draw(generator: np.random.Generator) -> Both:
    first = case(generator)
    return Both(first, case(generator, records=first.records))


def _simpler(found: Both) -> Iterator[Both]:
    yield from (Both(other, found.second) for other in simpler(found.first) if other.records == found.first.records)
    yield from (Both(found.first, other) for other in simpler(found.second) if other.records == found.first.records)


def _ratio(found: Both) -> float:
    """The larger of both norms' ratios, of a pair of independent outputs to the sum of the two constants."""
    return max(_l1(found) / _sum("L1", *_norms(found, "L1")), _log(found) / _sum("log", *_norms(found, "log")))


def _largest(found: Both) -> float:
    """To the larger of the two constants in place of their sum."""
    return max(quotient(_l1(found), max(_norms(found, "L1"))), quotient(_log(found), max(_norms(found, "log"))))


def _norms(found: Both, output: OutputNorm) -> tuple[float, float]:
    if output == "L1":
        return l1_norm(found.first.tangent), l1_norm(found.second.tangent)
    return log_norm(found.first.log_tangent), log_norm(found.second.log_tangent)


def _l1(found: Both) -> float:
    p, q = found.first.posterior.probabilities, found.second.posterior.probabilities
    joint = np.einsum("wx,v->wvx", found.first.tangent, q) + np.einsum("w,vx->wvx", p, found.second.tangent)
    return l1_norm(joint.reshape(-1, found.first.records))


def _log(found: Both) -> float:
    joint = found.first.log_tangent[:, None, :] + found.second.log_tangent[None, :, :]
    return log_norm(joint.reshape(-1, found.first.records))


def _sum(output: OutputNorm, one: float, other: float) -> float:
    """The constant that the library's own composition states."""
    first, second = (bounds.TangentBound(constant, "total variation", output) for constant in (one, other))
    return max(first.with_other(second).constant, 1e-300)


def _verified(found: Both) -> float:
    p, q = plain.posterior(found.first), plain.posterior(found.second)
    one, other = plain.by_weights(found.first), plain.by_weights(found.second)
    joint = (one[:, None, :] + other[None, :, :]).reshape(-1, one.shape[1])
    sums = plain.largest_sum(p, one) + plain.largest_sum(q, other)
    logs = plain.largest_log(one) + plain.largest_log(other)
    return max(
        plain.over(plain.largest_sum(np.outer(p, q).ravel(), joint), sums), plain.over(plain.largest_log(joint), logs)
    )


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 2.1(d)",
    place="Section 2",
    statement="the constants of a pair of independent outputs are at most the sums, in both norms",
    formula="‖D(A ⊗ A')_p‖ ≤ C_p + C'_p to L¹, and so for log to L^∞",
    draw=_draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_largest,
    simpler=_simpler,
)
