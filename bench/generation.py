"""One training step of the paper's generator, beside what its distance alone costs: target at most 1.3 times.

The peer makes the same release (directions, projections, noise) and differentiates the same distance with respect to
points that are at hand, so that what a step adds is the generator, its gradient and the optimiser. Both take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from bench.sliced import ROUNDS, in_turns
from wassdp import noise
from wassdp.generation import generators, pooled, targets
from wassdp.generation.rows import Recipe
from wassdp.generation.views import Cosine, Pixels, View
from wassdp.training.optimisers import Optimiser

SHAPE, RECORDS, BATCH = (1, 28, 28), 6000, 100
SETTINGS: dict[str, dict[str, Any]] = {
    "Table 2: joint labels, 1000 directions": {"view": Pixels(SHAPE), "entry": "joint", "projections": 1000},
    "per class, 100 cosines, 500 draws of 1": {
        "view": Cosine(SHAPE, 10),
        "entry": "image",
        "projections": 100,
        "directions": "orthogonal",
        "batch": 1,
        "draws": 500,
    },
}


def main() -> list[dict[str, Any]]:
    """Rows: device, setting, milliseconds of a step and of its distance, their ratio."""
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    return [_row(device, name, dict(setting)) for device in devices for name, setting in SETTINGS.items()]


def _row(device: str, name: str, setting: dict[str, Any]) -> dict[str, Any]:
    step, distance = _calls(torch.device(device), **setting)
    ours, alone = in_turns(step, distance, device, rounds=5 * ROUNDS)
    return {"device": device, "setting": name, "step_ms": ours, "distance_ms": alone, "ratio": ours / alone}


def _calls(
    device: torch.device, *, view: View, entry: Any, batch: int = BATCH, **release: Any
) -> tuple[Callable[[], None], Callable[[], None]]:
    stream, drawing = noise.seeded(0), torch.Generator(device).manual_seed(0)
    groups = (RECORDS,) * 10 if entry == "image" else (10 * RECORDS,)
    mechanism = pooled.PooledProjections(
        recipe=Recipe(view=view, entry=entry, classes=10), groups=groups, sigma=1.0, batch=batch, **release
    )
    private = []
    for size in groups:
        images = torch.rand(size, *SHAPE, generator=drawing, device=device)
        private.append(mechanism.prepare(images, torch.arange(size, device=device) % 10)[0])
    target = targets.Sliced(mechanism, private)
    network = generators.build("upsampling", SHAPE, code=10, classes=10).to(device)
    optimiser = Optimiser(name="adam", learning_rate=1e-4).build(list(network.parameters()))
    labels = generators.balanced(BATCH, 10, device)
    points = torch.rand(BATCH, *SHAPE, generator=drawing, device=device, requires_grad=True)

    def step() -> None:
        target.advance(0, stream)
        images = generators.generate(network, labels, count=BATCH, device=device)
        optimiser.zero_grad()
        target.loss(images, labels, stream).backward()
        optimiser.step()

    def distance() -> None:
        target.advance(0, stream)
        torch.autograd.grad(target.loss(points, labels, stream), points)

    return step, distance
