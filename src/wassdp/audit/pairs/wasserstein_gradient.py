"""The clipped gradient of a Wasserstein distance in a model's parameters."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import RATE, Pair, log_ratio, mask, tenths
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import ComparedGroups as Compared
from wassdp.mechanisms.wasserstein_objective import Group, Objective
from wassdp.noise import Bits
from wassdp.training.wasserstein.engine import WassersteinEngine
from wassdp.training.wasserstein.neighbours import Affine

NORM, JACOBIAN, BATCH = 0.5, 2.0, 4


@dataclass(frozen=True, kw_only=True)
class WassersteinStep(Pair):
    """One parameter and one output: the record's Jacobian turns around, its output stays at the end of the ball.

    The other group's outputs lie at the other end, so that the record's coefficient is as large as it can be: the
    corner at which the tight bound is reached (`wassdp.mechanisms.wasserstein_objective`). A trial is a coordinate.
    """

    attacks = ClippedWassersteinGradient
    attacked = "ClippedWassersteinGradient.sample, the gradient's engine and ClippedWassersteinGradient.release"
    neighbours = "a record whose Jacobian is clipped to L, or its opposite, which all other records of its group have"

    def mechanism(self, *, records: int, batch: int) -> ClippedWassersteinGradient:
        """The step on so many of so many records of the private group."""
        groups = (
            Group(name="private", records=records, batch=batch, jacobian_norm=JACOBIAN),
            Group(name="public", records=BATCH, batch=BATCH, jacobian_norm=JACOBIAN, private=False),
        )
        objective = Objective(groups=groups, pairs=(Compared("private", "public"),), output_norm=NORM)
        return ClippedWassersteinGradient(objective=objective, noise_multiplier=self.noise)

    def event(self) -> Composed:
        return self.mechanism(records=round(BATCH / RATE), batch=BATCH).event(1)

    @functools.cached_property
    def gradients(self) -> tuple[Tensor, Tensor]:
        """Clipped gradients of a batch with the record, and of one without it."""
        objective = self.mechanism(records=BATCH, batch=BATCH).objective
        with_it, without = (_gradient(objective, sign) for sign in (1.0, -1.0))
        return with_it, without

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        records, batch = tenths(trials)
        drawn = self.mechanism(records=records, batch=batch).sample(generator=generator)["private"]
        entered = mask(drawn, trials) & present
        mechanism = self.mechanism(records=round(BATCH / RATE), batch=BATCH)
        with_it, without = self.gradients
        released = mechanism.release(torch.where(entered, with_it, without), generator=generator)
        return log_ratio(released, with_it, without, std=mechanism.noise_std, rate=RATE)


def _gradient(objective: Objective, sign: float) -> Float[Tensor, " dim"]:
    """The clipped gradient of a batch in which the record's Jacobian has that sign."""
    # An example is its output and its Jacobian, both to be clipped.
    private = torch.tensor([[10.0, 100.0 * sign], *[[10.0, -100.0]] * (BATCH - 1)], dtype=torch.float64)
    public = torch.tensor([[-10.0, 1.0]] * BATCH, dtype=torch.float64)
    engine = WassersteinEngine(Affine(), method="functional")
    directions = torch.ones(1, 1, dtype=torch.float64)
    return engine.gradient(objective, {"private": private, "public": public}, directions=directions).gradient
