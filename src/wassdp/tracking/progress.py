"""What a run has recorded while it goes: ``history.jsonl``, one line per call of ``Context.record``."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Line:
    """One call of ``Context.record``.

    Args:
        milliseconds: when, Unix time.
        axis: name of the horizontal axis.
        position: position on that axis.
        metrics: finite values by metric.
    """

    milliseconds: int
    axis: str
    position: float
    metrics: dict[str, float]


@dataclass(frozen=True)
class TrackingProgress:
    """The lines of a run's current attempt, in the order in which they were written; at least one."""

    lines: tuple[Line, ...]

    @property
    def started(self) -> int:
        """When the attempt wrote its first line, Unix milliseconds."""
        return self.lines[0].milliseconds

    @property
    def ended(self) -> int:
        """When it wrote its last line, Unix milliseconds."""
        return self.lines[-1].milliseconds

    def times(self) -> dict[tuple[str, float], int]:
        """(axis, position) to the time at which it was first reached."""
        found: dict[tuple[str, float], int] = {}
        for line in self.lines:
            found.setdefault((line.axis, line.position), line.milliseconds)
        return found

    def values(self) -> dict[tuple[str, str, float], float]:
        """(metric, axis, position) to its value; a resumed run may pass a position twice, the later line counts."""
        return {
            (metric, line.axis, line.position): value for line in self.lines for metric, value in line.metrics.items()
        }


def read(path: Path) -> TrackingProgress | None:
    """The progress in ``path``; None if there is none yet.

    A line that was cut short is left out. A run that started over from its very first position has
    begun a new attempt: the lines before are of no interest any more.
    """
    try:
        text = path.read_text(errors="replace")
    except FileNotFoundError:
        return None
    lines = [line for line in map(_parse, text.splitlines()) if line is not None]
    if not lines:
        return None
    marks = [(line.axis, line.position, tuple(line.metrics)) for line in lines]
    newest = len(marks) - 1 - marks[::-1].index(marks[0])
    return TrackingProgress(tuple(lines[newest:]))


def _parse(text: str) -> Line | None:
    try:
        value: Any = json.loads(text)
        return Line(
            milliseconds=round(1000 * value["time"]),
            axis=str(value["axis"]),
            position=float(value["position"]),
            metrics={str(key): float(item) for key, item in value["metrics"].items() if math.isfinite(item)},
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None
