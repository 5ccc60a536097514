r"""One real training, thousands of canaries: each is a record or is not, by a coin of its own.

A canary's gradient, whose norm is at least the clip norm, lies in coordinates of its own, which no other record
touches. So of every release one number belongs to it, x in units of the clip norm C, and

.. math:: x \sim (1 - q) \mathcal{N}(0, z^2) + q \mathcal{N}(a, z^2)

if it is a record (q sampling rate, z noise multiplier, a ≤ 1 the share of its clipped gradient that lies there), and
:math:`\mathcal{N}(0, z^2)` if it is not. Its score is the logarithm of the two densities' ratio, summed over the steps:

.. math:: \sum_t \log\bigl(1 - q + q\, e^{(2 a_t x_t - a_t^2) / (2 z^2)}\bigr)

No other attacker on the same coordinates does better at any threshold (Neyman and Pearson).

Source: the game of Steinke, Nasr and Jagielski (2023), Privacy Auditing with One (1) Training Run, arXiv:2305.08846,
Algorithm 1; canaries with coordinates of their own, Nasr et al. (2023), arXiv:2302.07956, and Section 6 there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from wassdp import noise
from wassdp.accounting.event import Event
from wassdp.audit.bound import Estimate
from wassdp.audit.measured import measured
from wassdp.audit.pair import log_ratio
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import family, one_run
from wassdp.noise import Bits
from wassdp.result import Attacked
from wassdp.training.audited import Attack, AuditedTarget
from wassdp.training.gradients import Private, Source, Step
from wassdp.training.inputs import Examples


def estimates(scores: Scores, event: Event, *, delta: float, confidence: float) -> tuple[Estimate, ...]:
    """What the scores of canaries prove of ``event``: from right guesses alone, and through its trade-off curves."""
    return (
        one_run.bound(scores, delta=delta, confidence=confidence),
        family.bound(scores, event=event, delta=delta, confidence=confidence),
    )


ENTERS = "canaries enter the steps alone, nothing that was released before the first one"


@dataclass(frozen=True)
class Planted(Examples):
    """Records, and canaries behind them. An input is flattened and ends with its canary's number, 0 for a record.

    Args:
        inputs: of the records.
        targets: of the records.
        labels: the canaries' class numbers, shape (canaries,).
    """

    labels: Int64[Tensor, " canaries"]

    def rows(self, places: Int64[Tensor, " batch"]) -> tuple[Tensor, Tensor]:
        records = places[: int((places < len(self.targets)).sum())]  # places ascend
        canaries = places[len(records) :] - len(self.targets)
        inputs = self.inputs.new_zeros(len(places), self.inputs[0].numel() + 1)
        inputs[: len(records), :-1] = self.inputs[records].flatten(start_dim=1)
        inputs[len(records) :, -1] = canaries + 1
        return inputs, torch.cat([self.targets[records], self.labels[canaries]])


class WithCanaries(nn.Module):
    """A model with weights that are the canaries' own, ``width`` each; in evaluation mode it is the model alone.

    Args:
        model: from inputs of shape (batch, *shape).
        shape: of one input.
        canaries: their number.
        width: own weights of each.
    """

    def __init__(self, model: nn.Module, *, shape: tuple[int, ...], canaries: int, width: int) -> None:
        super().__init__()
        self.model, self.shape = model, shape
        self.own = nn.Embedding(canaries, width)
        nn.init.zeros_(self.own.weight)

    def forward(self, inputs: Tensor) -> Tensor:
        if not self.training:
            outputs: Tensor = self.model(inputs)
            return outputs
        # Canaries are numbered from 1. Whatever else is tried here, as engines do, is brought into the range.
        number = inputs[:, -1].detach().round().clamp(0, self.own.num_embeddings).long()
        own = self.own((number - 1).clamp(min=0))
        return self.joined(self.model(inputs[:, :-1].unflatten(1, self.shape)), own, number > 0)

    def joined(
        self, logits: Float[Tensor, "batch classes"], own: Float[Tensor, "batch width"], canary: Bool[Tensor, " batch"]
    ) -> Tensor:
        """The outputs, of the model's logits, what is the canaries' own, and which examples are canaries."""
        raise NotImplementedError


class OneRun(Attack):
    """The attack; a kind of canaries says what they are, and what of a release is theirs.

    Attributes:
        words: what a canary is, in words.
        present: which canaries are records, shape (canaries,).
        scores: shape (canaries,), of the steps so far.
        model: with canaries.
    """

    words: str
    model: WithCanaries

    def __init__(self, target: AuditedTarget, *, canaries: int, coins: Bits) -> None:
        self.target = target
        device = target.train.targets.device
        self.present = torch.zeros(canaries, dtype=torch.bool)
        self.present[noise.poisson_sample(canaries, rate=0.5, generator=coins)] = True
        self.scores = torch.zeros(canaries, dtype=torch.float64)
        self.labels = torch.arange(canaries, device=device) % target.classes
        self.train = Planted(target.train.inputs, target.train.targets, self.labels)
        self.model = self.planted().to(device)
        self.loss = target.loss

    def planted(self) -> WithCanaries:
        """The target's model with canaries."""
        raise NotImplementedError

    def directions(self) -> Float[Tensor, "canaries width"]:
        """The own part of each canary's clipped gradient, in clip norms, at the current weights."""
        raise NotImplementedError

    def source(self, private: Private) -> Source:
        return _Watched(self, private)

    def observe(self, directions: Float[Tensor, "canaries width"], gradient: Float[Tensor, " dim"]) -> None:
        """Look at what a step released; ``directions`` are those before it."""
        mechanism, own = self.target.mechanism, self.model.own.weight
        place = 0
        for parameter in self.model.parameters():
            if parameter is own:
                break
            place += parameter.numel() if parameter.requires_grad else 0
        released = gradient[place : place + own.numel()].view_as(own).double()
        amplitude = directions.double().norm(dim=1)
        unit = directions / amplitude.clamp(min=1e-300)[:, None]
        signal = (released * unit).sum(dim=1, keepdim=True) * (mechanism.expected_batch / mechanism.clip_norm)
        self.scores += torch.from_numpy(
            log_ratio(signal.cpu(), amplitude[:, None].cpu(), 0.0, std=mechanism.noise_multiplier, rate=mechanism.rate)
        )

    def state_dict(self) -> dict[str, Any]:
        return {"present": self.present, "scores": self.scores}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        self.present, self.scores = state["present"], state["scores"]

    def seen(self) -> Scores:
        """The canaries' scores, of those that are records and of the others."""
        scores = self.scores.numpy()
        present = self.present.numpy()
        return Scores(scores[present], scores[~present])

    def bounds(self, event: Event, *, delta: float, confidence: float) -> tuple[Attacked, ...]:
        return measured(
            lambda level: estimates(self.seen(), event, delta=delta, confidence=level),
            event,
            attack="one_run",
            attacked="canaries in this very training, by what each of its steps released",
            pair=f"the records with and without one canary, {self.words}",
            confidence=confidence,
            assumptions=(ENTERS,),
        )


@dataclass(frozen=True)
class _Watched:
    """The training's own source of gradients. Canaries that are no records are dropped from its samples."""

    attack: OneRun
    private: Private

    def sample(self, generator: Bits) -> Int64[Tensor, " batch"]:
        # The mechanism's own sampling, at its own rate, of records and all canaries alike: what is dropped then leaves
        # a sample in which every record that is there is with probability q, by itself.
        records, canaries = self.private.mechanism.records, len(self.attack.present)
        places = replace(self.private.mechanism, records=records + canaries).sample(generator=generator)
        there = torch.cat([torch.ones(records, dtype=torch.bool), self.attack.present])
        return places[there[places]]

    def step(self, inputs: Tensor, targets: Tensor, generator: Bits) -> Step:
        directions = self.attack.directions()
        step = self.private.step(inputs, targets, generator)
        self.attack.observe(directions, step.gradient)
        return step
