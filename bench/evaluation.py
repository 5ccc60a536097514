"""Images per second of evaluation, beside the same model on 1,000 images at a time as they lie in memory.

On a processor the time is that of one thread at work (other work on the machine does not count), on a GPU it is the
clock's. Both take turns, and the shortest turn of each counts. `times_plain` is how many times as many images as the
peer's a second takes.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bench._clock import devices, mean_seconds
from bench.engines import CASES
from wassdp import models
from wassdp.adaptation.networks import build
from wassdp.training.evaluation import evaluate

EXAMPLES, TURNS = 2000, 5


def main() -> list[dict[str, Any]]:
    """Rows: device, model, images per second of evaluation and of the peer, their ratio."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    networks: dict[str, tuple[nn.Module, tuple[int, ...]]] = {
        "adaptation of digits": (build("digits", inputs=(1, 28, 28), classes=10), (1, 28, 28))
    }
    for case in CASES:
        choice = models.Model(name=case.model, options=case.options)
        networks[case.what] = choice.architecture.build(case.shape, 10), case.shape
    return [_row(device, what, *network) for device in devices() for what, network in networks.items()]


def _row(device: str, what: str, model: nn.Module, shape: tuple[int, ...]) -> dict[str, Any]:
    model.to(device)
    inputs = torch.rand(EXAMPLES, *shape, device=device)
    targets = torch.randint(0, 10, (EXAMPLES,), device=device)
    ours, plain = float("inf"), float("inf")
    for _ in range(TURNS):
        ours = min(ours, mean_seconds(lambda: evaluate(model, inputs, targets), device))
        plain = min(plain, mean_seconds(lambda: _plain(model, inputs, targets), device))
    return {
        "device": device,
        "model": what,
        "images_per_second": EXAMPLES / ours,
        "plain_images_per_second": EXAMPLES / plain,
        "times_plain": plain / ours,
    }


def _plain(model: nn.Module, inputs: Tensor, targets: Tensor) -> float:
    model.eval()
    with torch.no_grad():
        return sum(
            float(nn.functional.cross_entropy(model(rows), wanted, reduction="sum"))
            for rows, wanted in zip(inputs.split(1000), targets.split(1000), strict=True)
        )
