r"""Shuffled passes, of which a record moves the one step that it enters: what neighbours that are known really have.

In every pass the records are shuffled and cut into B batches, of shares w_1, ..., w_B of all records. One coordinate of
a step's release is k_b (x_b) with x_b = z_b + μ in the step that the record entered and x_b = z_b in the others, z_b
standard normal noise; k_b says whether that coordinate was released, which it was with a probability that no record
moves. Where the neighbour's record moves no step, the logarithm of the two worlds' densities' ratio is, for one pass,

.. math:: L = \log \sum_b w_b \exp\bigl(k_b (μ x_b - μ^2 / 2)\bigr),

and the sum over passes for all of them: one pair in one order, whose privacy loss is simulated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.reach import Reach
from wassdp.audit.game import in_blocks

_TERMS = 4_000_000
"""Numbers that are held at a time."""


@dataclass(frozen=True, kw_only=True)
class Passes:
    """So many passes, as the record in question meets them.

    Args:
        shift: μ > 0, how far the record moves its step, in deviations of the noise.
        share: of all records in a batch, w in (0, 1]; the last batch of a pass has what is left.
        count: of passes, at least 1.
        kept: probability in (0, 1] with which a step shows the coordinate that is moved.

    Raises:
        ValueError: an argument is outside its range.

    Source: the pair is that of balls and bins, Chua et al. (2025), arXiv:2412.16802; here for every pass.
    """

    shift: float
    share: float
    count: int
    kept: float = 1.0

    def __post_init__(self) -> None:
        checks.positive("shift", self.shift)
        for name in ("share", "kept"):
            checks.probability(name, checks.positive(name, getattr(self, name)))
        checks.whole("count", self.count, least=1)

    @classmethod
    def of(cls, event: MeasuredGradients, reach: Reach, *, ratio: float = 1.0) -> Passes:
        """The whole passes of ``event``, each with the largest noise of all.

        Args:
            event: what a run released; shuffled.
            reach: neighbouring records, of which one moves the step that it enters.
            ratio: of the noise that is really drawn to what the event states.

        Raises:
            ValueError: the event has no whole pass, or its batches are not what its rate says.
        """
        steps, noise = event.steps_per_pass, event.noise_std / event.clip_norm
        if steps is None or event.steps < steps:
            raise ValueError("event: has no whole pass over shuffled records")
        # Replacing a record moves a clipped gradient by two clip norms at most.
        shift = 2 * reach.share / (float(noise.max()) * ratio)
        passes = cls(shift=shift, share=event.rate, count=event.steps // steps, kept=reach.kept)
        if passes.batches != steps:
            raise ValueError(f"event: {steps} batches of a pass cannot hold a share of {event.rate:g} each")
        return passes

    @property
    def batches(self) -> int:
        """B."""
        # A quotient of whole numbers, which rounding may have moved.
        return math.ceil(1 / self.share * (1 - 1e-12))

    @property
    def last(self) -> float:
        """The share of the last batch."""
        return 1 - (self.batches - 1) * self.share

    def losses(self, trials: int, *, generator: np.random.Generator) -> Float[np.ndarray, " trials"]:
        """Privacy losses of independent runs that the record is in, all passes of each together."""
        block = max(1, round(_TERMS / (1 + self.batches * self.kept)))

        def some(here: int) -> Float[np.ndarray, " here"]:
            total = np.zeros(here)
            for _ in range(self.count):
                total += self._once(here, generator)
            return total

        return in_blocks(trials, block, some)

    def _once(self, trials: int, generator: np.random.Generator) -> Float[np.ndarray, " trials"]:
        """Of one pass."""
        in_last = generator.random(trials) < self.last
        own = np.where(in_last, self.last, self.share)
        # Of the batches that the record is not in, those that show nothing count with their share alone.
        others = self.batches - 1 - ~in_last
        shown = generator.binomial(others, self.kept)
        ratios = self._ratios(int(shown.sum()), generator)
        rest = self.share * (others + np.bincount(np.repeat(np.arange(trials), shown), ratios, minlength=trials))
        last = self._ratios(trials, generator) * (generator.random(trials) < self.kept)
        rest += np.where(in_last, 0.0, self.last * (1 + last))
        exponent = self.shift * (generator.standard_normal(trials) + self.shift / 2)
        exponent *= generator.random(trials) < self.kept
        with np.errstate(divide="ignore"):
            return np.asarray(np.logaddexp(np.log(own) + exponent, np.log(np.maximum(rest, 0.0))))

    def _ratios(self, numbers: int, generator: np.random.Generator) -> Float[np.ndarray, " numbers"]:
        """exp(μ z - μ²/2) - 1."""
        return np.expm1(self.shift * (generator.standard_normal(numbers) - self.shift / 2))
