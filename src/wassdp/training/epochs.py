"""What every training that resumes has in common: epochs in order, each reported and then saved."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar


@dataclass
class Progress:
    """How far a run has come.

    Args:
        epochs: one row of figures for each finished epoch.
        seconds: wall-clock time spent so far, in earlier parts of a resumed run included.
    """

    epochs: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0


P = TypeVar("P", bound=Progress)


def remaining(
    progress: P,
    last: int,
    *,
    epoch: Callable[[int], dict[str, float]],
    on_epoch: Callable[[int, dict[str, float]], None],
    save: Callable[[P], None],
    only: frozenset[str] | None = None,
) -> tuple[P, float]:
    """Go through the epochs that are left.

    Args:
        progress: where the run stands; brought up to date after each epoch.
        last: number of the last epoch.
        epoch: makes the epoch of that number (from 1), and gives its figures.
        on_epoch: told the number and the figures of each finished epoch.
        save: keeps the state of the run.
        only: names of the figures that are reported and kept; None for all.

    Returns:
        The progress, and how many of its seconds were spent before this call.
    """
    earlier, started = progress.seconds, time.monotonic()
    for number in range(len(progress.epochs) + 1, last + 1):
        figures = {name: value for name, value in epoch(number).items() if only is None or name in only}
        progress.epochs.append(figures)
        progress.seconds = earlier + time.monotonic() - started
        # Reported before it is saved: a kill in between reports the same figures twice, and loses none.
        on_epoch(number, figures)
        save(progress)
    return progress, earlier
