"""Membership inference: who was in, by a record's loss alone, or by what other models' losses say of that record.

A number of models are trained, each on a random half of one pool, so that every record is a member of some and none of
others. Each model is attacked in turn; the others are its shadow models.

Source: Yeom et al. (2018), arXiv:1709.01604, Section III (a threshold on the loss); Carlini et al. (2022), Membership
Inference Attacks From First Principles, arXiv:2112.03570, Algorithm 1 (LiRA) with one variance for all records, which
its Section VI-C finds best where shadow models are few.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from wassdp import checks
from wassdp.noise import Bits
from wassdp.training.gradients import Plain, Private, Step
from wassdp.training.inputs import Examples

LEAST_MODELS = 8
"""Below, there are too few others to tell a mean from."""

Each = Float[np.ndarray, "models records"]


@dataclass(frozen=True, eq=False)
class Shadows:
    """Many models' confidence in each record of a pool.

    Args:
        members: whether a record was among those that a model was trained on.
        confidences: logarithm of p / (1 - p), p the probability that the model gives the record's own class.

    Raises:
        ValueError: there are fewer than 8 models, or a confidence is not finite.
    """

    members: Bool[np.ndarray, "models records"]
    confidences: Each

    def __post_init__(self) -> None:
        checks.whole("models", len(self.members), least=LEAST_MODELS)
        if not np.isfinite(self.confidences).all():
            raise ValueError("confidences: must be finite")

    def likelihood_ratios(self) -> Each:
        r"""LiRA: logarithm of the densities' ratio, from the other models.

        .. math:: \frac{(x - \mu_\text{out})^2 - (x - \mu_\text{in})^2}{2 s^2}

        with the record's mean confidence in models that had it and in models that had not, the attacked one left out,
        and s² the mean variance around them. 0 where one of the two means cannot be told.
        """
        x, squares, counts = self.confidences, [], []
        means = []
        for side in (self.members, ~self.members):
            others = side.sum(axis=0) - side
            total = (x * side).sum(axis=0) - x * side
            means.append(np.divide(total, others, out=np.zeros_like(x), where=others > 0))
            around = np.where(side, x, 0).sum(axis=0) / np.maximum(side.sum(axis=0), 1)
            squares.append((((x - around) ** 2) * side).sum())
            counts.append(side.sum() - (side.any(axis=0)).sum())
        variance = max(sum(squares) / max(sum(counts), 1), 1e-12)
        known = (self.members.sum(axis=0) - self.members > 0) & ((~self.members).sum(axis=0) - ~self.members > 0)
        ratios = ((x - means[1]) ** 2 - (x - means[0]) ** 2) / (2 * variance)
        return np.asarray(np.where(known, ratios, 0.0))


@dataclass(frozen=True)
class Success:
    """How well an attacker tells members from others.

    Args:
        accuracy: share of right answers where members are half of all, at a threshold fixed on other models.
        at_one_in_a_hundred: share of members accused where 1 % of the others are, over all models.
        at_one_in_a_thousand: likewise at 0.1 %.
    """

    accuracy: float
    at_one_in_a_hundred: float
    at_one_in_a_thousand: float


def success(scores: Each, members: Bool[np.ndarray, "models records"]) -> Success:
    """Of the attacker who accuses above a threshold; half of the models choose it, the other half are counted."""
    half = len(scores) // 2
    present, absent = (np.sort(scores[:half][side]) for side in (members[:half], ~members[:half]))
    cuts = np.concatenate([present, absent])
    balanced = _above(present, cuts) + 1 - _above(absent, cuts)
    cut = np.array([cuts[int(np.argmax(balanced))]])
    later, rest = scores[half:], members[half:]
    present, absent = np.sort(later[rest]), np.sort(later[~rest])
    accuracy = float(_above(present, cut)[0] + 1 - _above(absent, cut)[0]) / 2
    present, absent = np.sort(scores[members]), np.sort(scores[~members])
    rare = (float(_above(present, np.array([np.quantile(absent, 1 - rate)]))[0]) for rate in (1e-2, 1e-3))
    return Success(accuracy, *rare)


def accused(
    scores: Each, members: Bool[np.ndarray, "models records"], *, points: int = 60
) -> tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]:
    """Shares of others and of members above as many thresholds, over all models."""
    present, absent = np.sort(scores[members]), np.sort(scores[~members])
    rates = np.geomspace(1e-4, 1, points)
    return rates, _above(present, np.quantile(absent, 1 - rates))


def _above(ascending: Float[np.ndarray, " scores"], cuts: Float[np.ndarray, " cuts"]) -> Float[np.ndarray, " cuts"]:
    """Share of scores above each cut."""
    return np.asarray(1 - np.searchsorted(ascending, cuts, side="right") / max(len(ascending), 1))


def confidences(model: nn.Module, pool: Examples, *, chunk: int = 4096) -> Float[np.ndarray, " records"]:
    """A model's confidence in each record's own class, in evaluation mode; its mode is put back."""
    training, found = model.training, []
    model.eval()
    with torch.no_grad():
        for inputs, targets in zip(pool.inputs.split(chunk), pool.targets.split(chunk), strict=True):
            logits = model(inputs).double()
            own = logits.gather(1, targets[:, None])
            others = logits.scatter(1, targets[:, None], -torch.inf)
            found.append((own[:, 0] - others.logsumexp(dim=1)).cpu())
    model.train(training)
    return np.asarray(torch.cat(found))


@dataclass(frozen=True)
class Among:
    """A training's own source of gradients, on some records of a pool.

    Args:
        source: whose number of records is the public one.
        members: which records of the pool are there.
    """

    source: Private | Plain
    members: Bool[Tensor, " records"]

    def sample(self, generator: Bits) -> Int64[Tensor, " batch"]:
        # Each record of the pool by itself, at the same rate: those that are there are a Poisson sample of their own.
        records = len(self.members)
        if isinstance(self.source, Private):
            drawn = replace(self.source.mechanism, records=records).sample(generator=generator)
        else:
            drawn = replace(self.source, records=records).sample(generator)
        return drawn[self.members[drawn]]

    def step(self, inputs: Tensor, targets: Tensor, generator: Bits) -> Step:
        return self.source.step(inputs, targets, generator)
