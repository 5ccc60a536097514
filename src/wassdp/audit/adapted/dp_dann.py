"""Canaries in DP-DANN: a weight of their own beside every parameter tensor, since each is clipped by itself."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.adaptation.method import Alignment, SourceBatch
from wassdp.adaptation.methods.dp_dann import DPDANN
from wassdp.adaptation.per_tensor import PerTensorEngine
from wassdp.audit.opposite import OppositeSampled
from wassdp.audit.trainings.adapted import Adapted, Watched
from wassdp.audit.trainings.swapped import opposite_log_ratio, told
from wassdp.noise import Bits
from wassdp.training.inputs import Examples

LENGTH = 2.0
"""A canary's slope in each of its weights, in clip norms."""


class OwnTensors(Adapted):
    """A canary's loss is a slope in L weights that no other record knows, of L tensors, and in no weight of the model.

    The mechanism's sensitivity is that of a record whose L tensors' gradients have the clip norm and turn around; the
    model's own L tensors are 0 in a canary's.
    """

    pair = "gradients of the clip norm in every parameter tensor, and the opposite ones, in weights of their own"

    def __init__(self, method: DPDANN, target: Examples, *, canaries: int, coins: Bits) -> None:
        super().__init__(method, target, canaries=canaries, coins=coins)
        self.mechanism = method.mechanism
        told_by = _Told(method.engine.model, tuple(target.inputs.shape[1:]), canaries, self.mechanism.tensors)
        self.own = list(told_by.to(target.targets.device).own.parameters())
        loss, slope = method.loss, LENGTH * method.choice.clip_norm

        def of_both(outputs: Tensor, _: Tensor) -> Tensor:
            logits, moved, number = outputs[:, :-2], outputs[:, -2], outputs[:, -1].detach().long()
            signs = self.signs.to(outputs)[(number - 1).clamp(0, canaries - 1)]
            return torch.where(number > 0, slope * signs * moved, loss(logits, _))

        method.engine, method.loss = PerTensorEngine(told_by), of_both
        self.method, self.steps = _WithOwnTensors(method, self), 0

    def observe(self, own: list[Tensor]) -> None:
        """Look at what a step released of the canaries' weights, which is divided by the batch."""
        self.steps += 1
        # The best direction: all of a canary's tensors together.
        seen = torch.stack([part.flatten().double().cpu() for part in own]).sum(dim=0) * self.mechanism.batch
        tensors = self.mechanism.tensors
        self.scores += opposite_log_ratio(
            seen / tensors**0.5,
            self.mechanism.sensitivity / 2,
            std=self.mechanism.noise_std,
            rate=self.mechanism.batch / self.mechanism.records,
        )

    def attained(self, event: Event) -> Event:
        noise = self.mechanism.noise_std / self.mechanism.sensitivity
        rate = self.mechanism.batch / self.mechanism.records
        return repeated(OppositeSampled(noise_multiplier=noise, rate=rate, adjacency=event.adjacency), self.steps)

    def state_dict(self) -> dict[str, object]:
        return super().state_dict() | {"steps": self.steps}

    def load_state_dict(self, state: dict[str, object], /) -> None:
        super().load_state_dict(state)
        self.steps = int(state["steps"])  # type: ignore[call-overload]  # this wrote it


class _Told(nn.Module):
    """The discriminator's logits, the sum of a canary's weights, whose value is 0, and its number."""

    def __init__(self, model: nn.Module, shape: tuple[int, ...], canaries: int, tensors: int) -> None:
        super().__init__()
        self.model, self.shape = model, shape
        self.canaries, self.own = canaries, nn.ModuleList([nn.Embedding(canaries, 1) for _ in range(tensors)])
        for weight in self.own.parameters():
            nn.init.zeros_(weight)

    def forward(self, inputs: Tensor) -> Tensor:
        plain, numbers = told(inputs, self.shape)
        logits = self.model(plain)
        if numbers is None:
            return torch.cat([logits, logits.new_zeros(len(logits), 2)], dim=1)
        number = (numbers - 1).clamp(0, self.canaries - 1)
        own = torch.cat([each(number) for each in self.own], dim=1).sum(dim=1)
        return torch.cat([logits, (own - own.detach())[:, None], numbers[:, None].to(logits)], dim=1)


class _WithOwnTensors(Watched):
    """What the step released in the canaries' weights goes to the attack, the rest to encoder and discriminator."""

    def __init__(self, inner: DPDANN, attack: OwnTensors) -> None:
        super().__init__(inner)
        self.attack = attack

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        alignment = super().align(source, target, generator=generator)
        gradients = dict(alignment.gradients)
        self.attack.observe([gradients.pop(weight) for weight in self.attack.own])
        return Alignment(alignment.loss, gradients, alignment.figures)
