r"""Release of clipped Wasserstein gradients: the gradient of an objective over batches of fixed size, plus noise.

Symbols: Δ sensitivity, z noise multiplier, γ_g the share of a group's records that enters a step.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep
from wassdp.distances.sliced import sliced_wasserstein_power
from wassdp.full_precision import full_precision
from wassdp.mechanisms.ball import in_ball
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.mechanisms.wasserstein_objective import BOUNDS, ComparedGroups, Group, Objective
from wassdp.noise import Bits


@dataclass(frozen=True, kw_only=True)
class ClippedWassersteinGradient(Mechanism):
    r"""Releases :math:`\nabla + z Δ \, \mathcal{N}(0, I)`, the gradient of an objective with everything clipped.

    Every group gives a batch of fixed size, drawn without replacement and afresh for every step. Neighbours differ in
    one private record, replaced by another of the same group: *replace-one* with one private group, *replace one inside
    its class* with
    several, whose sizes are then public.

    Privacy: Gaussian mechanism with multiplier z, sampled without replacement at the largest rate γ of a private
    group; sound because the profile grows with the sensitivity and the rate.
    The noise is exactly rounded (`wassdp.noise.rounded`); the gradient itself is computed in floating point.
    Source: Rodríguez-Vítores, Lalanne and Loubes, Algorithm 1 with Lemma 5.1; account by Zhu, Dong and Wang (2022),
    Theorem 11.

    Args:
        objective: what is minimised; its sensitivity scales the noise.
        noise_multiplier: z >= 0, standard deviation of the noise over the sensitivity; 0 protects nothing.

    Raises:
        ValueError: the multiplier is negative or not finite.
    """

    objective: Objective
    noise_multiplier: float

    def __post_init__(self) -> None:
        checks.non_negative("noise_multiplier", self.noise_multiplier)

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each coordinate of the gradient, zΔ, rounded up."""
        return noise.scaled(self.noise_multiplier, self.objective.sensitivity)

    def sample(self, *, generator: Bits) -> dict[str, Int64[Tensor, " batch"]]:
        """Indices of one batch of every group, each among ``range(records)`` of its group, in random order."""
        return {
            group.name: noise.subset(group.records, group.batch, generator=generator) for group in self.objective.groups
        }

    def release(self, gradient: Float[Tensor, " dim"], *, generator: Bits) -> Float[Tensor, " dim"]:
        """The gradient with noise."""
        return noise.rounded(gradient, std=self.noise_std, generator=generator)

    def event(self, steps: int) -> Composed:
        """What ``steps`` releases are, for an accountant: for the worst private group.

        Whichever bound scales the noise, the event has the tight sensitivity, and the published one beside it.
        """
        worst = max(self.objective.private, key=lambda group: group.rate)
        tight, published = (dataclasses.replace(self.objective, bound=bound).sensitivity for bound in BOUNDS)
        return self._event(worst, tight, published, steps)

    def event_of(self, name: str, steps: int) -> Composed:
        """What ``steps`` releases are for the records of one private group, never worse than `event`.

        Raises:
            ValueError: there is no private group of that name, or nothing of it is released.
        """
        group = self.objective.group(name)
        if not group.private:
            raise ValueError(f"group {name!r} is public: nothing is accounted for it")
        tight, published = (dataclasses.replace(self.objective, bound=bound).sensitivity_of(name) for bound in BOUNDS)
        if tight == 0:
            raise ValueError(f"group {name!r} has no weight in the objective: nothing of it is released")
        return self._event(group, tight, published, steps)

    def _event(self, group: Group, tight: float, published: float, steps: int) -> Composed:
        step = WassersteinGradientStep(
            noise_std=self.noise_std,
            sensitivity=tight,
            published_sensitivity=published if published > tight else None,
            adjacency="replace-one" if len(self.objective.private) == 1 else "replace-one-inside-class",
        )
        return repeated(SampledWithoutReplacement(event=step, records=group.records, batch=group.batch), steps)

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        """Private points draw public ones, which one parameter moves along a line: a model of Jacobian norm 1."""
        points = Group(name="points", records=9, batch=4, jacobian_norm=None)
        model = Group(name="model", records=3, batch=3, jacobian_norm=1.0, private=False)
        objective = Objective(groups=(points, model), pairs=(ComparedGroups("points", "model"),), output_norm=0.5)
        step = cls(objective=objective, noise_multiplier=noise)

        def released(rows: Tensor, bits: Bits) -> Tensor:
            line, parameter = rows.new_ones(1, 1), rows.new_zeros(1).requires_grad_()
            outputs = rows.new_tensor([[-0.4], [0.0], [0.3]]) + parameter
            private = in_ball(rows, norm=objective.output_norm)
            with full_precision(rows.device):
                distance = sliced_wasserstein_power(private, outputs, line, p=2.0)
            (gradient,) = torch.autograd.grad(distance, [parameter])
            return step.release(gradient, generator=bits)

        return (
            Example(
                mechanism=step,
                rows=points.batch,
                width=1,
                shape=(1,),
                sensitivity=objective.sensitivity,
                noise_std=step.noise_std,
                released=released,
            ),
        )
