"""One training step of the paper's generator, beside what its distance alone costs: target at most 1.3 times.

The peer makes the same release (directions, projections, noise) and differentiates the same distance with respect to
points that are at hand, so that what a step adds is the generator, its gradient and the optimiser. Both take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from bench._clock import devices
from bench.sliced import ROUNDS, in_turns
from wassdp import noise
from wassdp.generation import generators
from wassdp.generation.methods.sliced import SlicedMethod, SlicedTarget
from wassdp.generation.pooled import PooledProjections
from wassdp.generation.rows import Recipe
from wassdp.generation.views import Cosine
from wassdp.training.optimisers import Optimiser

SHAPE, CLASSES, RECORDS, GENERATED = (1, 28, 28), 10, 6000, 100
SETTINGS = {
    "Table 2: joint labels, 1000 directions": SlicedMethod(name="sliced", labels="joint", projections=1000),
    "per class, 100 cosines, 500 draws of 1": SlicedMethod(
        name="sliced",
        labels="per_class",
        view=Cosine(name="cosine", side=10),
        projections=100,
        directions="orthogonal",
        batch=1,
        draws=500,
    ),
}


def main() -> list[dict[str, Any]]:
    """Rows: device, setting, milliseconds of a step and of its distance, their ratio."""
    return [_row(device, name, method) for device in devices() for name, method in SETTINGS.items()]


def _row(device: str, name: str, method: SlicedMethod) -> dict[str, Any]:
    step, distance = _calls(torch.device(device), method)
    ours, alone = in_turns(step, distance, device, rounds=5 * ROUNDS)
    return {"device": device, "setting": name, "step_ms": ours, "distance_ms": alone, "ratio": ours / alone}


def _calls(device: torch.device, method: SlicedMethod) -> tuple[Callable[[], None], Callable[[], None]]:
    assert method.projections is not None, "SETTINGS gives it"
    assert method.batch is not None, "SETTINGS gives it"
    stream, drawing = noise.seeded(0), torch.Generator(device).manual_seed(0)
    groups = method.groups(CLASSES * RECORDS, (RECORDS,) * CLASSES)
    mechanism = PooledProjections(
        recipe=Recipe(method, SHAPE, CLASSES),
        groups=groups,
        sigma=1.0,
        projections=method.projections,
        batch=method.batch,
        draws=method.draws,
        directions=method.directions,
        sampling=method.sampling,
    )
    private = []
    for size in groups:
        images = torch.rand(size, *SHAPE, generator=drawing, device=device)
        private.append(mechanism.prepare(images, torch.arange(size, device=device) % CLASSES)[0])
    target = SlicedTarget(method, mechanism, private)
    network = generators.Network().build(SHAPE, CLASSES).to(device)
    optimiser = Optimiser(name="adam", learning_rate=1e-4).build(list(network.parameters()))
    labels = generators.balanced(GENERATED, CLASSES, device)
    points = torch.rand(GENERATED, *SHAPE, generator=drawing, device=device, requires_grad=True)

    def step() -> None:
        target.advance(0, stream)
        images = generators.generate(network, labels, count=GENERATED, device=device)
        optimiser.zero_grad()
        target.loss(images, labels, stream).backward()
        optimiser.step()

    def distance() -> None:
        target.advance(0, stream)
        torch.autograd.grad(target.loss(points, labels, stream), points)

    return step, distance
