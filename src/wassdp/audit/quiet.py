"""A training in the project's own loop that leaves nothing but its model: no checkpoint, no report, no evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from wassdp.noise import Bits
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.fit import Epoch
from wassdp.training.gradients import Source
from wassdp.training.inputs import Examples
from wassdp.training.poisson import PoissonTraining, Row
from wassdp.training.reproducible import Streams
from wassdp.training.session import Session


def train(
    *,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    source: Source,
    records: Examples,
    steps: int,
    generator: Bits,
) -> None:
    """Train ``model`` in one epoch of so many steps.

    Args:
        model: what is trained.
        optimiser: of its weights.
        source: draws a step's records, and gives its gradient.
        records: what is drawn from.
        steps: at least 1.
        generator: samples and noise.

    Raises:
        FloatingPointError: the training diverged.
    """
    _Loop(
        session=session(generator),
        model=model,
        optimiser=optimiser,
        source=source,
        train=records,
        test=Examples(records.inputs[:0], records.targets[:0]),
        epochs=1,
        steps_per_epoch=steps,
    ).run()


def session(generator: Bits) -> Session:
    """Where such a training works: one stream for samples and noise, no checkpoint, no report."""
    return Session(
        streams=Streams(bytes(32), generator, generator),
        checkpoint=_Nowhere(path=Path(), belongs_to={}),
        record=_unheard,
    )


class _Loop(PoissonTraining):
    def evaluate(self, epoch: int, rows: list[Row]) -> Epoch:
        return Epoch({"steps": float(len(rows))})


class _Nowhere(Checkpoint):
    def save(self, state: dict[str, Any]) -> None:
        """Keep nothing: such a training is short."""

    def load(self) -> dict[str, Any] | None:
        return None


def _unheard(axis: str, position: float, figures: Mapping[str, float]) -> None:
    pass
