"""One parameter drawn from a Gibbs distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.commands import REPLACE, Command, need
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Adjacency
from wassdp.doubles import above


@dataclass(frozen=True, kw_only=True)
class Gibbs(Event):
    r"""One parameter drawn from the Gibbs distribution q(w) ∝ exp(-β · mean risk of w): the exponential mechanism.

    Replacing one of N records moves the mean risk by at most range/N, so the release is pure ε-DP with

    .. math:: ε = 2 β \, \mathrm{range} / N

    Args:
        inverse_temperature: β, above 0.
        risk_range: largest minus smallest risk of one record, above 0.
        records: N.
        adjacency: replace one.
        largest_risk: largest absolute risk of one record, where it is known; no proven figure needs it.

    Source: TDP (3.1).
    """

    inverse_temperature: float
    risk_range: float
    records: int
    adjacency: Adjacency = "replace-one"
    largest_risk: float | None = None
    commands = (
        Command(
            name="gibbs",
            about="parameters drawn from a Gibbs distribution, proportional to exp(-beta * mean risk)",
            shared=("records",),
            own={
                "inverse_temperature": {"type": float, "metavar": "BETA", "help": "beta"},
                "risk_range": {"type": float, "metavar": "R", "help": "largest minus smallest risk of one record"},
            },
            adjacency=REPLACE,
            sought="inverse_temperature",
            inverse=True,
        ),
    )

    def __post_init__(self) -> None:
        checks.positive("inverse_temperature", self.inverse_temperature)
        checks.positive("risk_range", self.risk_range)
        limits.count("records", self.records, least=1)
        limits.ratio("inverse_temperature * risk_range / records", self.pure_epsilon / 2)
        checks.one_of("adjacency", self.adjacency, ("replace-one",))
        if self.largest_risk is not None and not 2 * self.largest_risk >= self.risk_range:
            raise ValueError(f"largest_risk = {self.largest_risk!r}: must be at least half of risk_range")

    @classmethod
    def typed(cls, options: Mapping[str, Any], adjacency: Adjacency) -> Gibbs:
        needed = {name: need(options, name) for name in ("inverse_temperature", "risk_range", "records")}
        return cls(**needed, adjacency=adjacency)

    @property
    def pure_epsilon(self) -> float:
        """The pure epsilon of one draw."""
        return above(2 * Fraction(self.inverse_temperature) * Fraction(self.risk_range) / self.records)

    def sampling_refusal(self) -> str | None:
        return "a Gibbs draw refers to all records: sampling does not apply"
