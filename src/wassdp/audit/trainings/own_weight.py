r"""Canaries with a weight of their own in trainings by clipped Wasserstein gradients.

A canary's output is a constant at an end of the ball, whichever of its two records it is. The records differ in the
slope of that output, and of its loss, in a weight that no other record knows: +L or -L, and +C or -C, once clipped. So
a release has one number of each canary, to which it brings ±a_t when it is drawn, and no canary's coin moves anything
else: the distances between groups are those of either world.

What a_t is depends on the other outputs of the batch. The attacker, who knows weights and records, repeats the step on
a batch that it draws itself, and takes the mean; canaries' coins change no a_t.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.audit.opposite import OppositeSampled
from wassdp.audit.trainings.swapped import Swapped, opposite_log_ratio, root_mean_square, told
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.training.engines import Loss
from wassdp.training.wasserstein.jacobians import outputs_of

LENGTH = 2.0
"""A canary's slopes, in the norms that they are clipped to."""
EVERY = 5
"""Steps for which an amplitude serves."""


class OwnWeight(nn.Module):
    """A model together with a weight for each canary; gives outputs, the model's own, canaries' losses, who is one.

    Args:
        model: from inputs of shape (batch, *shape).
        shape: of one input.
        signs: of each canary's slopes; read in every pass.
        dimension: d, of outputs.
        output_norm: M.
        jacobian_norm: L.
        loss_norm: C; 0 without a loss.
    """

    def __init__(
        self,
        model: nn.Module,
        *,
        shape: tuple[int, ...],
        signs: Callable[[], Tensor],
        dimension: int,
        output_norm: float,
        jacobian_norm: float,
        loss_norm: float,
    ) -> None:
        super().__init__()
        self.model, self.shape, self.signs = model, shape, signs
        self.jacobian_norm, self.loss_norm = jacobian_norm, loss_norm
        self.own = nn.Embedding(len(signs()), 1)
        nn.init.zeros_(self.own.weight)
        self.end = torch.full((dimension,), -(dimension**-0.5))
        self.output_norm = output_norm

    def forward(self, inputs: Tensor) -> Any:
        plain, numbers = told(inputs, self.shape)
        output = self.model(plain)
        if numbers is None:
            return (output, output, output.new_zeros(len(inputs)), torch.zeros(len(inputs), dtype=torch.bool))
        # Engines try other numbers, too.
        canary, number = numbers > 0, (numbers - 1).clamp(0, self.own.num_embeddings - 1)
        own = self.own(number)[:, 0]
        moved = self.signs().to(own)[number] * (own - own.detach())
        outputs = outputs_of(output)
        end = self.end.to(outputs)
        placed = end * (self.output_norm + LENGTH * self.jacobian_norm * moved[:, None])
        compared = torch.where(canary[:, None], placed, outputs)
        # Its output's slope and its loss's point the same way: against the end lies what it is compared with.
        return compared, output, LENGTH * self.loss_norm * moved, canary


def without_canaries(loss: Loss | None) -> Loss | None:
    """``loss`` of what `OwnWeight` gives."""
    if loss is None:
        return None

    def of_both(outputs: Any, targets: Tensor) -> Float[Tensor, " batch"]:
        _, output, slope, canary = outputs
        return torch.where(canary, slope, loss(output, targets))

    return of_both


class OwnWeights(Swapped):
    """The attack; who uses it says how a step is repeated.

    Attributes:
        model: with canaries.
        mechanism: what releases.
        group: whose records gave way.
    """

    pair = "outputs at the same end of the ball, gradients of the clip norms and opposite, in a weight of their own"
    model: OwnWeight
    mechanism: ClippedWassersteinGradient
    group: str

    def prepare(self) -> None:
        """Nothing was seen yet."""
        self.steps, self.part, self.parts = 0, 0.0, list[float]()

    def repeated(self) -> Float[Tensor, " dim"]:
        """The clipped gradient of a batch that the attacker draws, at the weights of the step at hand."""
        raise NotImplementedError

    def observe(self, released: Float[Tensor, " dim"]) -> None:
        """Look at what a step released, before the weights follow it."""
        if self.steps % EVERY == 0:
            parts = self.repeated()[-len(self.scores) :].cpu() * self.signs
            drawn = parts[parts != 0]
            self.part = max(0.0, float(drawn.double().mean())) if len(drawn) else self.part
        self.steps += 1
        self.parts.append(self.part)
        rate = self.mechanism.objective.group(self.group).rate
        own = released[-len(self.scores) :].cpu()
        self.scores += opposite_log_ratio(own, self.part, std=self.mechanism.noise_std, rate=rate)

    def attained(self, event: Event) -> Event | None:
        part, group = root_mean_square(self.parts), self.mechanism.objective.group(self.group)
        if part == 0:
            return None
        pair = OppositeSampled(
            noise_multiplier=self.mechanism.noise_std / (2 * part), rate=group.rate, adjacency=event.adjacency
        )
        return repeated(pair, self.steps)

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"steps": self.steps, "part": self.part, "parts": self.parts}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        super().load_state_dict(state)
        self.steps, self.part, self.parts = state["steps"], state["part"], list(state["parts"])
