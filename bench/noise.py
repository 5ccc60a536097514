"""Exactly rounded noise beside torch's normal numbers, and its share of a private training step.

Each row draws and its peer draws in turn, and the median turn counts; on a processor the time is that of one thread at
work. `times_randn` is how many times as long as `torch.randn` in double precision the rounded noise takes for as many
numbers (releases in single precision, as trainings make them). Normal numbers in single precision, of which directions
are made, stand beside `torch.randn` in single precision and NumPy's from the same cipher. `share_of_step` is the
noise's part of a whole step of that model: gradients, clipping, noise.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bench._clock import devices, mean_seconds
from bench.engines import CASES, Case
from wassdp import models, noise
from wassdp.training import engines

TURNS, LEAST_SECONDS = 7, 0.1
COUNTS = (10_000, 100_000, 1_000_000)


def main() -> list[dict[str, Any]]:
    """Rows: what is drawn, how many numbers, nanoseconds for each, the ratios to the peers, the share of a step."""

    torch.set_num_threads(1)
    calls: list[tuple[int, Callable[[], dict[str, Any]]]] = []
    for device in devices():
        calls += [
            (count, partial(_against_randn, device, count, bits)) for count in COUNTS for bits in ("counter", "system")
        ]
        calls += [(count, partial(_published, device, count)) for count in COUNTS]
        calls += [(_parameters(_model(case)), partial(_within_a_step, device, case)) for case in CASES]
    # The fewest numbers first: the compiled kernels, once they are there for many, draw few too.
    measured = {place: call() for place, (_, call) in sorted(enumerate(calls), key=lambda each: each[1][0])}
    return [measured[place] for place in range(len(calls))]


def _model(case: Case) -> nn.Module:
    return models.Model(name=case.model, options=case.options).architecture.build(case.shape, 10)


def _parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def _against_randn(device: str, count: int, bits: str) -> dict[str, Any]:

    source = noise.seeded(0) if bits == "counter" else noise.SystemBits()
    x, generator = torch.randn(count).to(device), torch.Generator(device)
    ours, peer = _medians(
        device,
        lambda: noise.rounded(x, std=1.3, generator=source),
        lambda: torch.randn(count, generator=generator, dtype=torch.float64, device=device),
    )
    return {
        "device": device,
        "what": f"rounded noise, {bits} bits",
        "numbers": count,
        "nanoseconds": ours / count * 1e9,
        "times_randn": ours / peer,
    }


def _published(device: str, count: int) -> dict[str, Any]:

    source, generator = noise.seeded(0), torch.Generator(device)
    cipher = np.random.Generator(np.random.Philox(0))
    where = torch.device(device)
    ours, torchs, numpys = _medians(
        device,
        lambda: noise.normal(count, generator=source, dtype=torch.float32, device=where),
        lambda: torch.randn(count, generator=generator, device=device),
        lambda: torch.from_numpy(cipher.standard_normal(count, dtype=np.float32)).to(device),
    )
    return {
        "device": device,
        "what": "normal numbers in single precision",
        "numbers": count,
        "nanoseconds": ours / count * 1e9,
        "times_randn": ours / torchs,
        "times_numpy": ours / numpys,
    }


def _within_a_step(device: str, case: Case) -> dict[str, Any]:

    model = _model(case).to(device)
    engine = engines.load("ghost_norms", model)
    inputs = torch.randn(case.batch, *case.shape).to(device)
    targets = torch.randint(0, 10, (case.batch,)).to(device)
    count = _parameters(model)
    total, source = torch.zeros(count, device=device), noise.seeded(0)

    def loss(outputs: Tensor, targets: Tensor) -> Tensor:
        return nn.functional.cross_entropy(outputs, targets, reduction="none")

    ours, rest = _medians(
        device,
        lambda: noise.rounded(total, std=1.3, generator=source),
        lambda: engine.clipped_gradient_sum(loss, (inputs, targets), 1.0),
    )
    return {
        "device": device,
        "what": f"{case.what}, batch {case.batch}",
        "numbers": count,
        "nanoseconds": ours / count * 1e9,
        "share_of_step": ours / (ours + rest),
    }


def _medians(device: str, *calls: Callable[[], object]) -> list[float]:
    for call in calls:
        call()
    turns = [[mean_seconds(call, device, least=LEAST_SECONDS) for call in calls] for _ in range(TURNS)]
    return [statistics.median(column) for column in zip(*turns, strict=True)]
