"""Where a training works: its device, its random streams, its checkpoint, and what it may keep of what it measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import torch

from wassdp.experiment import Context, PrivateParameters
from wassdp.training import reproducible
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.reproducible import Streams

Measured = TypeVar("Measured")


def _nothing() -> None:
    """Nothing was recorded elsewhere."""


@dataclass(frozen=True, kw_only=True)
class Session:
    """What a training needs of its run.

    Args:
        streams: the run's random streams.
        checkpoint: where the state is kept.
        record: told an axis, a position on it and figures, while the training goes on.
        begin: called where the training does not go on from a checkpoint, before its first step.
        publishable: whether a figure or tensor of this name is reported and kept; None for all.
        device: where models and records are.
        device_name: what ran, for provenance.
    """

    streams: Streams
    checkpoint: Checkpoint
    record: Callable[[str, float, Mapping[str, float]], None]
    begin: Callable[[], None] = _nothing
    publishable: Callable[[str], bool] | None = None
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    device_name: str = "cpu"

    @staticmethod
    @contextmanager
    def of(
        parameters: PrivateParameters,
        *,
        seed: int | None,
        context: Context,
        device: str | None = None,
    ) -> Iterator[Session]:
        """The session of a run. The checkpoint is removed when the block ends, unless by an error.

        Args:
            parameters: of the run.
            seed: of the run; None for bits of the operating system.
            context: where the run works.
            device: ``auto``, ``cpu`` or ``cuda``; None for the context's.

        Raises:
            ValueError: the device is absent.
        """
        working_device = reproducible.device(device or context.device)
        streams = Streams.of(seed, context.run, before_noise=context.count_attempt)
        with reproducible.surroundings(streams.initialisation, working_device):
            checkpoint = Checkpoint.of_run(parameters, seed=seed, context=context, device=working_device)
            yield Session(
                streams=streams,
                checkpoint=checkpoint,
                record=context.record,
                begin=context.begin,
                publishable=parameters.publishable if parameters.release else None,
                device=working_device,
                device_name=reproducible.describe(working_device),
            )
        checkpoint.remove()

    def kept(self, measured: Mapping[str, Measured]) -> dict[str, Measured]:
        """Of what was measured, by name, what may be reported and kept."""
        return {name: value for name, value in measured.items() if self.publishable is None or self.publishable(name)}
