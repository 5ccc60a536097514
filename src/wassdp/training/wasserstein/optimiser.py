"""An optimiser whose every step releases a clipped Wasserstein gradient, and which knows what it has released."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from jaxtyping import Int64
from torch import Tensor, nn

from wassdp import checks
from wassdp.accounting.events.composed import Composed
from wassdp.distances import directions as unit
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.noise import Bits
from wassdp.training.engines import Loss
from wassdp.training.gradients import assign
from wassdp.training.wasserstein.clipping import Clipping
from wassdp.training.wasserstein.engine import Clipped, Method, WassersteinEngine


class PrivateOptimiser:
    """Samples, clips, adds noise, and lets any optimiser of torch follow.

    >>> from wassdp.mechanisms.wasserstein_objective import statistical_parity
    >>> from wassdp.noise import seeded
    >>> _ = torch.manual_seed(0)
    >>> records = {"0": torch.randn(50, 3), "1": torch.randn(40, 3) + 1}
    >>> labels = {"0": torch.zeros(50), "1": torch.ones(40)}
    >>> model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid(), nn.Flatten(0))
    >>> objective = statistical_parity(
    ...     alpha=0.75, records=(50, 40), batches=(10, 8), output_norm=1, jacobian_norm=1, loss_norm=5
    ... )
    >>> private = PrivateOptimiser(
    ...     model,
    ...     torch.optim.SGD(model.parameters(), lr=0.05),
    ...     ClippedWassersteinGradient(objective=objective, noise_multiplier=4.0),
    ...     loss=lambda outputs, targets: nn.functional.binary_cross_entropy(outputs, targets, reduction="none"),
    ...     generator=seeded(1),
    ... )
    >>> for _ in range(3):
    ...     batch = private.sample()
    ...     found = private.step(
    ...         {name: records[name][chosen] for name, chosen in batch.items()},
    ...         {name: labels[name][chosen] for name, chosen in batch.items()},
    ...     )
    >>> event = private.event()
    >>> event.steps, event.adjacency, event.events[0].rate
    (3, 'replace-one-inside-class', 0.2)

    Args:
        model: what is trained; see `wassdp.training.wasserstein.engine.WassersteinEngine`.
        optimiser: follows the released gradients; must train exactly the model's trainable parameters.
        mechanism: objective and noise.
        loss: per-example loss, where the objective has one.
        generator: source of batches, directions and noise. Whoever knows its seed can subtract the noise.
        dimension: d, of the outputs that are compared.
        projections: k, directions of every step, drawn afresh; needed for d > 1.
        directions: ``iid`` or ``orthogonal``.
        clipping: ``spectral`` or ``rows``.
        clip_released: norm that the released gradient is clipped to, after the noise, free of charge; None: it is not.
        method: see `WassersteinEngine`.
        watch: told what each step released, before the weights follow it.

    Raises:
        ValueError: an argument is outside its range, or the optimiser trains other parameters.
    """

    def __init__(
        self,
        model: nn.Module,
        optimiser: torch.optim.Optimizer,
        mechanism: ClippedWassersteinGradient,
        *,
        generator: Bits,
        loss: Loss | None = None,
        dimension: int = 1,
        projections: int | None = None,
        directions: unit.Kind = "iid",
        clipping: Clipping = "spectral",
        clip_released: float | None = None,
        method: Method = "auto",
        watch: Callable[[Tensor], None] | None = None,
    ) -> None:
        self.engine = WassersteinEngine(model, method=method)
        trained = {id(weight) for group in optimiser.param_groups for weight in group["params"]}
        if trained != {id(weight) for weight in self.engine.parameters}:
            raise ValueError("optimiser: must train exactly the trainable parameters of the model")
        if checks.whole("dimension", dimension, least=1) > 1:
            checks.whole("projections", 0 if projections is None else projections, least=1)
        if clip_released is not None:
            checks.positive("clip_released", clip_released)
        self.optimiser, self.mechanism, self.loss, self.generator = optimiser, mechanism, loss, generator
        self.dimension, self.projections, self.directions = dimension, projections, directions
        self.clipping: Clipping = clipping
        self.clip_released, self.watch = clip_released, watch
        self.steps = 0

    def sample(self) -> dict[str, Int64[Tensor, " batch"]]:
        """Indices of the next step's batch of every group. The account holds only for batches drawn like this."""
        return self.mechanism.sample(generator=self.generator)

    def step(
        self,
        batches: Mapping[str, Tensor],
        targets: Mapping[str, Tensor] | None = None,
    ) -> Clipped:
        """Release the gradient of a step and follow it.

        Args:
            batches: of every group, the records that `sample` chose.
            targets: of every group in the loss.

        Returns:
            The gradient before noise and its progress: not private.

        Raises:
            ValueError, FloatingPointError: as `Engine.gradient`; nothing is released then.
        """
        objective = self.mechanism.objective
        clipped = self.engine.gradient(
            objective,
            batches,
            directions=self.drawn(self.generator),
            loss=self.loss,
            targets=targets,
            clipping=self.clipping,
        )
        released = self.mechanism.release(clipped.gradient, generator=self.generator)
        self.steps += 1
        if self.watch is not None:
            self.watch(released)
        if self.clip_released is not None:
            released = released / (released.norm() / self.clip_released).clamp(min=1)
        assign(self.engine.parameters, released)
        self.optimiser.step()
        return clipped

    def event(self) -> Composed:
        """What has been released so far, for an accountant."""
        return self.mechanism.event(self.steps)

    def state_dict(self) -> dict[str, Any]:
        """State of the model, the optimiser and the generator, and the number of steps, for `load_state_dict`.

        The generator belongs to it: noise drawn twice, before and after a resumption, could be subtracted.
        """
        return {
            "model": self.engine.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "generator": self.generator.get_state(),
            "steps": self.steps,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where `state_dict` was taken: the same records, directions and noise follow.

        Raises:
            ValueError: the state lacks an entry, or has another, or its steps are no whole number of at least 0.
        """
        wanted = {"model", "optimiser", "generator", "steps"}
        if set(state) != wanted:
            raise ValueError(f"state: has {sorted(state)}: must have {sorted(wanted)}")
        steps = checks.whole("steps", state["steps"])
        self.engine.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.generator.set_state(state["generator"])
        self.steps = steps

    def drawn(self, generator: Bits) -> Tensor | None:
        """Directions of one step; None where outputs have one dimension."""
        if self.dimension == 1 or self.projections is None:
            return None
        parameter = self.engine.parameters[0]
        drawn = unit.draw(
            self.directions,
            dimension=self.dimension,
            count=self.projections,
            generator=generator,
            dtype=parameter.dtype,
        )
        return drawn.to(parameter.device)
