"""The final model alone: was a crafted record among those that it was trained on? A trial is a whole training.

The attacker gives the record to the final model and reads its logits, no weight and nothing on the way. Models are
linear and trained on all records in every step; many are trained at once, in the project's own loop, by its own
release. Only the clipped sum of many models is computed here, as one product of matrices.

Source: the setting of Annamalai and De Cristofaro (2024), Nearly Tight Black-Box Auditing of Differentially Private
Machine Learning, arXiv:2405.14106: full batches, a record crafted by the attacker, the threshold fixed on other models.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor, nn

from wassdp import checks
from wassdp.accounting.events.composed import Composed
from wassdp.audit.game import Game
from wassdp.audit.quiet import train
from wassdp.mechanisms.dpsgd import DPSGD, clip_factors
from wassdp.noise import Bits
from wassdp.training import engines
from wassdp.training.augmentation import cross_entropy
from wassdp.training.clipping.per_example import norm_without_overflow
from wassdp.training.engines import ClippedSum, Engine, Loss
from wassdp.training.evaluation import evaluate
from wassdp.training.gradients import Private, trainable
from wassdp.training.inputs import Examples
from wassdp.training.optimisers import Optimiser

BLOCK = 250
"""Models that are trained together: what is held for them stays in memory's faster parts."""
JUDGED = 5
"""Models whose mean accuracy is told."""


class ManyLinear(nn.Module):
    """Multinomial logistic regressions side by side, all weights 0 at first.

    Args:
        models: their number.
        features: of an input.
        classes: of each model.
    """

    def __init__(self, models: int, features: int, classes: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(models, classes, features))
        self.bias = nn.Parameter(torch.zeros(models, classes))

    def forward(self, inputs: Float[Tensor, "batch features"]) -> Float[Tensor, "batch models classes"]:
        logits = inputs @ self.weight.flatten(end_dim=1).T
        outputs: Tensor = logits.unflatten(1, self.bias.shape) + self.bias
        return outputs


class ManyLinearEngine(Engine):
    """Each model's clipped sum of cross-entropy's gradients over one and the same batch, one model behind the other.

    Of logits l and label y the gradient is (softmax(l) - e_y) ⊗ (x, 1), whose norm is a product of two.
    """

    model: ManyLinear

    def clipped_gradient_sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        engines.usable(clip_norm, self.model)
        if loss is not cross_entropy:
            raise ValueError(f"loss = {loss!r}: must be cross-entropy, whose gradients are known")
        inputs, targets = batch
        with torch.no_grad():
            outputs: Tensor = self.model(inputs)
            gradients = outputs.softmax(dim=2)
            gradients[torch.arange(len(targets)), :, targets] -= 1
            lengths = norm_without_overflow(torch.cat([inputs, torch.ones_like(inputs[:, :1])], dim=1))
            norms = gradients.norm(dim=2) * lengths[:, None].to(gradients)
            gradients *= clip_factors(norms.flatten(), clip_norm=clip_norm).view_as(norms)[:, :, None]
            exact = gradients.double()
            weight = exact.flatten(start_dim=1).T @ inputs.double()
            losses = -outputs.log_softmax(dim=2)[torch.arange(len(targets)), :, targets]
        # Flat gradients are laid out by parameter: all weights, then all biases.
        return ClippedSum(total=torch.cat([weight.flatten(), exact.sum(dim=0).flatten()]), loss=float(losses.sum()))


@dataclass(frozen=True, kw_only=True)
class FinalModel(Game):
    """DP-SGD on all records in every step.

    Args:
        train: the records, inputs of shape (records, features); the public number that the release divides by is
            theirs.
        crafted: the record in question, of the last class, shape (features,); its features are 0 in all others.
        classes: their number.
        noise_multiplier: z > 0.
        clip_norm: C > 0.
        steps: of each training.
        learning_rate: of plain SGD.

    Raises:
        ValueError: an argument is outside its range, or the crafted record shares a feature with another.
    """

    train: Examples
    crafted: Float[Tensor, " features"]
    classes: int
    noise_multiplier: float
    clip_norm: float
    steps: int
    learning_rate: float

    neighbours = "a record whose features are 0 in every other one, or no record"

    def __post_init__(self) -> None:
        checks.positive("noise_multiplier", self.noise_multiplier)
        checks.whole("steps", self.steps, least=1)
        checks.positive("learning_rate", self.learning_rate)
        if bool((self.train.inputs[:, self.crafted != 0] != 0).any()) or not bool((self.crafted != 0).any()):
            raise ValueError("crafted: must have features, which are 0 in all records")

    def mechanism(self) -> DPSGD:
        """One step of one training."""
        return DPSGD(
            clip_norm=self.clip_norm,
            noise_multiplier=self.noise_multiplier,
            rate=1.0,
            records=len(self.train.targets),
        )

    def event(self) -> Composed:
        return self.mechanism().event(self.steps)

    def scores(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        found = np.empty(checks.whole("trials", trials, least=1))
        for first in range(0, trials, BLOCK):
            here = min(BLOCK, trials - first)
            found[first : first + here] = self.margins(self.trained(here, present=present, generator=generator))
        return found

    def trained(self, models: int, *, present: bool, generator: Bits) -> ManyLinear:
        """So many models, trained with the crafted record or without it."""
        model = ManyLinear(models, self.train.inputs.shape[1], self.classes)
        records = self.train
        if present:
            labels = torch.tensor([self.classes - 1])
            records = Examples(torch.cat([records.inputs, self.crafted[None]]), torch.cat([records.targets, labels]))
        train(
            model=model,
            optimiser=Optimiser(name="sgd", learning_rate=self.learning_rate).build(trainable(model)),
            source=_All(
                mechanism=self.mechanism(),
                engine=ManyLinearEngine(model),
                loss=cross_entropy,
                micro_batch=len(records.targets),
                there=len(records.targets),
            ),
            records=records,
            steps=self.steps,
            generator=generator,
        )
        return model

    def margins(self, model: ManyLinear) -> Float64[np.ndarray, " models"]:
        """The crafted record's logit of its own class, above the mean of the others, from each model."""
        with torch.no_grad():
            logits = model(self.crafted[None])[0].double()
        return np.asarray(logits[:, -1] - logits[:, :-1].mean(dim=1))

    def accuracy(self, test: Examples, *, generator: Bits) -> float:
        """The mean accuracy of a few models that were trained without the record."""
        model = self.trained(JUDGED, present=False, generator=generator)
        singles = [nn.Linear(test.inputs.shape[1], self.classes) for _ in model.bias]
        for single, weight, bias in zip(singles, model.weight, model.bias, strict=True):
            single.weight, single.bias = nn.Parameter(weight.detach()), nn.Parameter(bias.detach())
        found = [evaluate(single, test.inputs, test.targets).accuracy for single in singles]
        return sum(found) / len(found)


@dataclass(frozen=True, kw_only=True)
class _All(Private):
    """Draws from the records that are there; the release divides by the public number."""

    there: int

    def sample(self, generator: Bits) -> Int64[Tensor, " batch"]:
        return replace(self.mechanism, records=self.there).sample(generator=generator)
