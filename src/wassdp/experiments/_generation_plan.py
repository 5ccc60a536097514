"""From choices to a target: private rows, the mechanism with its noise, and the loss of its releases."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from wassdp.accounting import accountant, calibrate
from wassdp.accounting.events.composed import Composed
from wassdp.data.images import image_of
from wassdp.experiments import _generation as choices
from wassdp.training.budget import UPPER

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

    from wassdp.data.base import Split
    from wassdp.generation import pooled
    from wassdp.generation.rows import Prepared, Recipe
    from wassdp.generation.targets import Target
    from wassdp.generation.views import View

CHUNK = 2000  # images at a time on their way to rows
ENTRIES: dict[str, Literal["image", "joint", "outer"]] = {
    "joint": "joint",
    "outer": "outer",
    "per_class": "image",
    "none": "image",
}


@dataclass(frozen=True)
class Plan:
    """What a run trains towards and what that releases.

    Args:
        target: the loss.
        event: the release; None without privacy.
        figures: what is to be known about it: noise, distance, dimension, rows.
        after: elementary releases that a number of steps has made; None if all are made before the first.
    """

    target: Target
    event: Composed | None
    figures: dict[str, float]
    after: Callable[[int], int] | None = None


def planned(
    dataset: str,
    method: choices.Method,
    privacy: choices.Noise | None,
    *,
    classes: int,
    releases: int,
    train: Split,
    device: torch.device,
) -> Plan:
    """Private rows, on the device, and what is to be made of them.

    Args:
        dataset: name of the dataset.
        method: what is released, and what it is compared by.
        privacy: its noise; None for none.
        classes: classes that the generator is told; 0 for none.
        releases: how often something is released.
        train: the private records.
        device: where they are wanted.

    Raises:
        ValueError: nothing keeps the budget, or the method has no account.
    """
    if isinstance(method, choices.MeanEmbedding):
        return _embedded(dataset, method, privacy, classes, train, device)
    if isinstance(method, choices.OutputGradient):
        private = _private(dataset, method, classes, "without-replacement", train, device)
        return _gradients(method, privacy, private)
    private = _private(dataset, method, classes, method.sampling, train, device)
    return _sliced(method, privacy, releases, private)


@dataclass(frozen=True)
class _Private:
    """Private rows, on the device.

    Args:
        recipe: how they were made.
        groups: all of them, or those of each class where labels are public.
        clipped: share of them that was clipped.
    """

    recipe: Recipe
    groups: list[Prepared]
    clipped: float

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each group."""
        return tuple(map(len, self.groups))

    def signal_to_noise(self, noise_std: float) -> dict[str, float]:
        """How far rows of a group spread, over the deviation of noise; nothing where there is none."""
        if noise_std == 0:
            return {}
        squares = [self.recipe.spread(rows) ** 2 for rows in self.groups]
        return {"signal_to_noise": math.sqrt(sum(squares) / len(squares)) / noise_std}


def _private(
    dataset: str,
    method: choices.Rows,
    classes: int,
    sampling: Literal["without-replacement", "poisson"],
    train: Split,
    device: torch.device,
) -> _Private:
    import torch

    from wassdp.generation import rows

    recipe = rows.Recipe(
        view=_view(method.view, image_of(dataset).shape),
        entry=ENTRIES[method.labels],
        classes=classes,
        label_scale=method.label_scale,
        scale=method.row_scale,
        reading=method.rows,
    )
    prepared, clipped = [], 0
    for images, kinds in _chunks(train, dataset, labelled=classes > 0):
        part, count = recipe.prepare(images, kinds, sampling=sampling)
        prepared.append(part)
        clipped += count
    kept = [part.labels for part in prepared if part.labels is not None]
    everything = rows.Prepared(
        torch.cat([part.parts for part in prepared]).to(device), torch.cat(kept).to(device) if kept else None
    )
    groups = [everything]
    if method.labels == "per_class":
        labels = torch.from_numpy(train.labels).to(device)
        groups = [everything.take(torch.nonzero(labels == each).flatten()) for each in range(classes)]
    return _Private(recipe, groups, clipped / len(train))


def _sliced(method: choices.Sliced, privacy: choices.Noise | None, releases: int, private: _Private) -> Plan:
    from wassdp.generation import pooled, targets

    def mechanism(sigma: float) -> pooled.PooledProjections:
        return pooled.PooledProjections(
            recipe=private.recipe,
            groups=private.sizes,
            sigma=sigma,
            projections=method.projections or private.recipe.dimension,
            batch=min(private.sizes) if method.batch is None else method.batch,
            draws=method.draws,
            directions=method.directions,
            sampling=method.sampling,
        )

    chosen = mechanism(_noise(privacy, lambda sigma: mechanism(sigma).event(releases)))
    target = targets.Sliced(
        chosen,
        private.groups,
        p=method.order,
        public_noise=method.public_noise and chosen.sigma > 0,
        reuse=method.reuse,
        directions=method.step_directions,
        rows=method.step_rows,
        smooth=method.smooth,
    )
    figures = {
        "noise": chosen.sigma,
        "distance": private.recipe.distance(method.sampling),
        "dimension": float(private.recipe.dimension),
        "projections": float(chosen.projections),
        "rows_released": float(releases * chosen.rows),
        "clipped": private.clipped,
    }
    return Plan(
        target,
        None if privacy is None else chosen.event(releases),
        figures | private.signal_to_noise(chosen.sigma),
        after=None if method.reuse is None else lambda steps: method.draws * method.releases(steps),
    )


def _gradients(method: choices.OutputGradient, privacy: choices.Noise | None, private: _Private) -> Plan:
    from wassdp.generation import quantiles, targets

    mechanism = functools.partial(
        quantiles.QuantilesAlongBases,
        recipe=private.recipe,
        groups=private.sizes,
        bases=method.bases,
        parts=method.points,
        batch=method.batch,
        smooth=method.smooth,
    )
    chosen = mechanism(noise_multiplier=_noise(privacy, lambda noise: mechanism(noise_multiplier=noise).event()))
    figures = {
        "noise": chosen.noise_multiplier,
        "noise_std": chosen.noise_std,
        "distance": private.recipe.distance("without-replacement"),
        "dimension": float(private.recipe.dimension),
        "projections": float(method.bases * private.recipe.dimension),
        "clipped": private.clipped,
    }
    return Plan(
        targets.OutputGradient(chosen, private.groups),
        None if privacy is None else chosen.event(),
        figures | private.signal_to_noise(chosen.noise_std),
    )


def _embedded(
    dataset: str,
    method: choices.MeanEmbedding,
    privacy: choices.Noise | None,
    classes: int,
    train: Split,
    device: torch.device,
) -> Plan:
    import torch

    from wassdp.generation import targets
    from wassdp.mechanisms import merf
    from wassdp.noise import seeded

    view = _view(method.view, image_of(dataset).shape)
    features = merf.FourierFeatures.draw(
        dimension=view.dimension,
        count=method.features,
        bandwidth=method.bandwidth,
        generator=seeded(method.seed, "frequencies"),
    )
    mechanism = functools.partial(
        merf.MERF,
        features=merf.FourierFeatures(features.frequencies.to(device)),
        classes=classes,
        records=len(train),
    )
    chosen = mechanism(noise_multiplier=_noise(privacy, lambda noise: mechanism(noise_multiplier=noise).event()))
    vectors = torch.cat([view(images) for images, _ in _chunks(train, dataset, labelled=False)])
    target = targets.MeanEmbedding(chosen, view, vectors.to(device), torch.from_numpy(train.labels).to(device))
    event = None if privacy is None else chosen.event()
    return Plan(target, event, {"noise": chosen.noise_multiplier, "dimension": float(features.count)})


def _noise(privacy: choices.Noise | None, event: Callable[[float], Composed]) -> float:
    """The noise of a run: none, as given, or the least that keeps its budget."""
    if privacy is None:
        return 0.0
    if privacy.noise is not None:
        return privacy.noise
    assert privacy.epsilon is not None, "Noise holds one of the two"
    return calibrate.noise_multiplier(
        event, epsilon=privacy.epsilon, delta=privacy.delta, accountant=accountant.load(UPPER)
    )


def _view(chosen: choices.View, shape: tuple[int, int, int]) -> View:
    from wassdp.generation import views

    if isinstance(chosen, choices.Pooled):
        return views.Pooled(shape, chosen.factor)
    if isinstance(chosen, choices.Cosine):
        return views.Cosine(shape, chosen.side)
    if isinstance(chosen, choices.Convolutional):
        return views.Convolutional(shape, chosen.seed)
    return views.Pixels(shape)


def _chunks(split: Split, name: str, *, labelled: bool) -> Iterator[tuple[torch.Tensor, torch.Tensor | None]]:
    """Images in [0, 1], some at a time, with their labels if those are wanted."""
    import torch

    for first in range(0, len(split), CHUNK):
        part = slice(first, first + CHUNK)
        yield unit(split.inputs[part], name), torch.from_numpy(split.labels[part]) if labelled else None


def unit(images: NDArray[Any], name: str) -> torch.Tensor:
    """Stored images with pixels in [0, 1]."""
    from wassdp.training.inputs import scaled

    return (scaled(images, maximum=image_of(name).maximum) + 1) / 2
