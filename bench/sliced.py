"""Sliced Wasserstein distance, forward and backward, against POT's and against the sorts alone.

Every pair is timed in turns (ours, peer, ours, peer, ...) and the median of each is kept, so that a
busy machine slows both.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from bench._clock import devices
from wassdp import noise
from wassdp.distances import directions, sliced

ROUNDS = 7
SIZES = (
    # points, dimension, directions
    (100, 784, 1000),
    (1000, 784, 1000),
    (60_000, 64, 1000),
)


def main() -> list[dict[str, Any]]:
    """Rows: device, size, our milliseconds, the peer's, their ratio, and our peak memory."""

    return [row for device in devices() for size in SIZES for row in _rows(device, *size)]


def _rows(device: str, points: int, dimension: int, count: int) -> list[dict[str, Any]]:
    import ot  # late: a peer, which only the extra bench installs

    generator = torch.Generator(device).manual_seed(0)
    x, y = (torch.rand(points, dimension, generator=generator, device=device) for _ in range(2))
    unit = directions.draw("iid", dimension=dimension, count=count, generator=noise.seeded(0), device=x.device)
    x.requires_grad_()

    def ours() -> None:
        torch.autograd.grad(sliced.sliced_wasserstein_power(x, y, unit), x)

    def pot() -> None:
        torch.autograd.grad(ot.sliced_wasserstein_distance(x, y, projections=unit, p=2) ** 2, x)

    def sorts() -> None:
        with torch.no_grad():
            for first in range(0, count, 100):
                part = unit[:, first : first + 100].T.contiguous()
                for sample in (x, y):
                    torch.sort(part @ sample.T, dim=1)

    setting = {"device": device, "points": points, "dimension": dimension, "directions": count}
    peers = {"project and torch.sort, no gradient": sorts}
    if points * count <= 10**7:  # POT keeps every projection, permutation and gap for its backward pass
        peers = {"POT": pot, **peers}
    rows = []
    for name, peer in peers.items():
        mine, theirs = in_turns(ours, peer, device, rounds=ROUNDS if points < 10_000 else 3)
        rows.append(setting | {"ms": mine, "peer": name, "peer_ms": theirs, "ratio": mine / theirs})
    memory = _peak(points, dimension, count) if device == "cpu" else None
    return [row | {"peak_memory_mib": memory} for row in rows]


def in_turns(ours: Callable[[], None], peer: Callable[[], None], device: str, *, rounds: int) -> tuple[float, float]:

    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds + 1):
        for call, kept in zip((ours, peer), times, strict=True):
            started = time.perf_counter()
            call()
            if device == "cuda":
                torch.cuda.synchronize()
            if turn:  # the first warms up
                kept.append(1e3 * (time.perf_counter() - started))
    return statistics.median(times[0]), statistics.median(times[1])


PEAK = """
import sys, torch
from wassdp import noise
from wassdp.distances import directions, sliced
from wassdp.pipeline.provenance import peak_memory_mib
points, dimension, count = map(int, sys.argv[1:])
generator = torch.Generator().manual_seed(0)
x, y = (torch.rand(points, dimension, generator=generator) for _ in range(2))
unit = directions.draw("iid", dimension=dimension, count=count, generator=noise.seeded(0))
x.requires_grad_()
before = peak_memory_mib()
torch.autograd.grad(sliced.sliced_wasserstein_power(x, y, unit), x)
print(peak_memory_mib() - before)
"""


def _peak(points: int, dimension: int, count: int) -> float:
    """What one gradient adds to the memory of a fresh process that already holds the points, in MiB."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(points), str(dimension), str(count)],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)
