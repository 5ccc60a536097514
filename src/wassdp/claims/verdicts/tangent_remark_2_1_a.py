"""TDP Remark 2.1(a): the number of records does not enter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import Case, case, l1_norm, log_norm, simpler

PERMITTED = 1e-9
LEAST = 1e-6  # constants below, where risks hardly differ, are rounding


@dataclass(frozen=True, eq=False)
class Copies:
    """A problem, and the same with every record several times."""

    problem: Case
    times: int

    def __str__(self) -> str:
        return f"{self.problem}, every record {self.times} times"

    @property
    def repeated(self) -> Case:
        """The larger one."""
        matrix = np.repeat(self.problem.matrix, self.times, axis=1)
        return Case(matrix, np.repeat(self.problem.slopes, self.times, axis=1), self.problem.beta)


def _draw(generator: np.random.Generator) -> Copies:
    return Copies(case(generator), int(generator.integers(2, 5)))


def _ratio(found: Copies) -> float:
    """By how much a constant changes, relative to it, over what rounding permits."""
    one, many = found.problem, found.repeated
    pairs = ((l1_norm(one.tangent), l1_norm(many.tangent)), (log_norm(one.log_tangent), log_norm(many.log_tangent)))
    return max(_change(*pair) for pair in pairs)


def _deleted(found: Copies) -> float:
    """The change of the largest effect of one record that is left out, which does know N."""
    one, many = found.problem, found.repeated
    pairs = ((l1_norm(one.tangent) / one.records, l1_norm(many.tangent) / many.records),)
    return max(_change(*pair) for pair in pairs)


def _change(one: float, many: float) -> float:
    return abs(many - one) / (PERMITTED * max(one, many)) if max(one, many) > LEAST else 0.0


def _verified(found: Copies) -> float:
    one, many = found.problem, found.repeated
    logs = plain.largest_log(plain.by_weights(one)), plain.largest_log(plain.by_weights(many))
    sums = (
        plain.largest_sum(plain.posterior(one), plain.by_weights(one)),
        plain.largest_sum(plain.posterior(many), plain.by_weights(many)),
    )
    return max(abs(b - a) / max(a, b, LEAST) for a, b in (logs, sums)) / PERMITTED


def _simpler(found: Copies) -> Iterator[Copies]:
    yield from (Copies(other, found.times) for other in simpler(found.problem))


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 2.1(a)",
    place="Section 2",
    statement="the constants are of a distribution, not of a number of records: copies of all of them change nothing",
    formula="C_p of N records = C_p of the same records k times each",
    draw=_draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_deleted,
    simpler=_simpler,
    compared="change / rounding",
)
