"""What a lower bound says: the figure, how sure it is, what it assumes and what was attacked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wassdp import checks
from wassdp.accounting.guarantee import Adjacency, Guarantee, Sampling
from wassdp.accounting.rounding import exact

Basis = Literal["distribution-free", "family-based"]
"""What a bound assumes of the scores: nothing, or that they follow a family of trade-off curves."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A lower bound on ε that follows from scores alone.

    Args:
        epsilon: in nats, at least 0; with probability ``confidence`` the true ε(δ) is not below it.
        delta: δ at which it holds, in [0, 1).
        confidence: in (0, 1), one-sided, of the whole procedure.
        basis: whether it assumes a family. The two are never mixed, in no table and in no figure.
        statistic: how scores became a figure, e.g. ``Clopper-Pearson at a threshold fixed on other trials``.
        trials: scores that were counted, of both worlds together; those that a threshold was chosen on are not.
        threshold: where the scores were cut, if they were.
        fit: p-value of the test whether the scores follow the family; None where there were too few to test it, or no
            family is assumed.
        source: paper and equation.

    Raises:
        ValueError: an argument is outside its range, or a distribution-free figure comes with a test of fit.
    """

    epsilon: float
    delta: float
    confidence: float
    basis: Basis
    statistic: str
    trials: int
    source: str
    threshold: float | None = None
    fit: float | None = None

    def __post_init__(self) -> None:
        checks.non_negative("epsilon", self.epsilon)
        checks.open_unit("confidence", self.confidence)
        if not 0 <= self.delta < 1:
            raise ValueError(f"delta = {self.delta!r}: must be in [0, 1)")
        checks.whole("trials", self.trials, least=1)
        if self.fit is not None:
            checks.probability("fit", self.fit)
            if self.basis != "family-based":
                raise ValueError(f"fit = {self.fit!r}: must be given only where the basis is family-based")

    @property
    def shown_fit(self) -> str:
        """The test of fit of a family-based figure in words.

        >>> Estimate(epsilon=1.0, delta=0.1, confidence=0.9, basis="family-based", statistic="t", trials=6,
        ...          source="none").shown_fit
        'not tested'
        """
        return "not tested" if self.fit is None else f"p = {self.fit:.2g}"


@dataclass(frozen=True, kw_only=True)
class LowerBound:
    """An estimate together with what was attacked, and how.

    Args:
        estimate: the figure.
        attack: name of the attack, e.g. ``mechanism`` or ``one_run``.
        attacked: the release that was attacked, in words; the code's own.
        pair: the neighbouring records, in words.
        adjacency: the relation of that pair.
        sampling: how records entered a release.
        assumptions: what the figure rests on besides.
    """

    estimate: Estimate
    attack: str
    attacked: str
    pair: str
    adjacency: Adjacency
    sampling: Sampling
    assumptions: tuple[str, ...] = ()

    def guarantee(self) -> Guarantee:
        """The figure as a row of a ledger: kind ``lower``, by accountant ``<attack>`` or ``<attack>_family``."""
        estimate = self.estimate
        family = estimate.basis == "family-based"
        notes = [
            f"{estimate.basis}, confidence {exact(estimate.confidence)}: {estimate.statistic}",
            f"{estimate.trials:,} trials of {self.attacked}",
            f"neighbours: {self.pair}",
        ]
        if family:
            notes.append(f"the scores' fit to the family: {estimate.shown_fit}")
        return Guarantee(
            accountant=f"{self.attack}_family" if family else self.attack,
            kind="lower",
            epsilon=estimate.epsilon,
            bounded=True,
            delta=estimate.delta,
            adjacency=self.adjacency,
            sampling=self.sampling,
            assumptions=(*notes, *self.assumptions),
            source=estimate.source,
        )
