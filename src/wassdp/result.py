"""What a run leaves behind, as a schema: its outcome (the job itself) and its result (outcome plus budgets)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from wassdp.accounting.guarantee import Guarantee
from wassdp.files import write_text

RunId = Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
Pictures = Annotated[dict[str, str], Field(description="sheets of pictures by name, each the base64 text of a PNG")]


class Strict(BaseModel):
    """A frozen record that refuses unknown keys, NaN and infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Point(Strict):
    """One value on one curve of a run."""

    metric: str = Field(description="what was measured, e.g. accuracy or epsilon/upper/pld")
    axis: str = Field(description="name of the horizontal axis, e.g. epoch, step or order")
    position: float
    value: float | None = Field(description="null where the value is unbounded")


class Provenance(Strict):
    """Where an outcome comes from. Two runs of one spec may differ here and nowhere else."""

    code: str = Field(description="hash of the code that this outcome depends on")
    commit: str | None = Field(description="version-control commit of the working tree, if there is one")
    versions: dict[str, str] = Field(description="Python and packages")
    datasets: dict[str, str] = Field(description="dataset file to md5")
    device: str
    machine: str = Field(description="architecture and processor count; no host name")
    started: str = Field(description="UTC, ISO 8601")
    seconds: float = Field(description="wall-clock time of the job, earlier parts of a resumed run included")
    peak_memory_mib: float


class Schedule(Strict):
    """Positions along a run at which its budget is accounted, with the number of releases up to each."""

    axis: str
    positions: tuple[float, ...]
    steps: tuple[int, ...]


class Outcome(Strict):
    """What the job itself found: the event it released, metrics and curves."""

    schema_version: Literal[1] = 1
    run: RunId
    spec: dict[str, Any]
    event: dict[str, Any] | None = Field(description="the encoded release; null if nothing private was released")
    delta: float | None = Field(description="the delta at which the run is accounted; null without a release")
    metrics: dict[str, float]
    history: tuple[Point, ...] = ()
    accounted_at: Schedule | None = Field(default=None, description="where along the run the budget is accounted too")
    pictures: Pictures = {}
    provenance: Provenance


class Result(Strict):
    """An outcome with every budget that was asked for. The event's arrays are left behind in the outcome."""

    schema_version: Literal[1] = 1
    run: RunId
    spec: dict[str, Any]
    guarantees: tuple[Guarantee, ...]
    delta: float | None
    metrics: dict[str, float]
    history: tuple[Point, ...]
    pictures: Pictures = {}
    provenance: Provenance
    accounting_code: str = Field(description="hash of the accounting code behind the guarantees")


def curve(metric: str, axis: str, positions: Any, values: Any) -> tuple[Point, ...]:
    """Points of one curve; infinite values become null, NaN is refused.

    Raises:
        ValueError: a value is not a number, or the lengths differ.
    """
    points = []
    for position, value in zip(positions, values, strict=True):
        if math.isnan(value):
            raise ValueError(f"{metric}: is not a number at {axis} {position}")
        points.append(
            Point(
                metric=metric,
                axis=axis,
                position=float(position),
                value=None if math.isinf(value) else float(value),
            )
        )
    return tuple(points)


def save(path: Path, record: Strict) -> None:
    """Write a record as JSON, whole or not at all."""
    write_text(path, record.model_dump_json(indent=1) + "\n")


def load_outcome(path: Path) -> Outcome:
    """Read and check an outcome.

    Raises:
        ValueError: the file breaks the schema (pydantic's error, which names the field).
    """
    return Outcome.model_validate_json(path.read_text())


def load_result(path: Path) -> Result:
    """Read and check a result.

    Raises:
        ValueError: the file breaks the schema.
    """
    return Result.model_validate_json(path.read_text())
