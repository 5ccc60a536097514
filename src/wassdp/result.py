"""What a run leaves behind, as a schema: its outcome (the job itself) and its result (outcome plus budgets).

Each file carries a digest of its own content, and a result the digest of the outcome behind it: a figure that
was edited, and a file that was cut short, are not taken for what a run found. A digest is no signature: whoever
changes a file and computes its digest anew is not found out.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wassdp import complaints
from wassdp.accounting.guarantee import Guarantee
from wassdp.files import canonical_json, write_text

RunId = Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Notes = Annotated[dict[str, str], Field(description="what was found in words, by name")]
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
    datasets: dict[str, str] = Field(
        description="dataset file to md5; of a run to be released, those alone that were published before"
    )
    device: str
    machine: str = Field(description="architecture and processor count; no host name")
    started: str = Field(description="UTC, ISO 8601")
    seconds: float = Field(description="wall-clock time of the job, earlier parts of a resumed run included")
    peak_memory_mib: float
    attempts: int | None = Field(
        default=None,
        ge=1,
        exclude_if=lambda attempts: attempts is None,
        description="without a seed: how many attempts at the run began to draw noise, this one and those before it "
        "in its folder; null: there is a seed, or no noise",
    )


class Schedule(Strict):
    """Positions along a run at which its budget is accounted, with the number of releases up to each."""

    axis: str
    positions: tuple[float, ...]
    steps: tuple[int, ...]


class Attacked(Strict):
    """What an attack on a run measured.

    Args:
        guarantee: the lower bound, with the confidence that its assumptions state.
        certain: epsilon of the same attack at the confidence `wassdp.accounting.consistency.CERTAINTY`. Where a proven
            upper bound lies below it, the run has no result.
    """

    guarantee: Guarantee
    certain: float = Field(ge=0)


class Record(Strict):
    """A record with a file of its own. `save` writes the digest, `load_outcome` and `load_result` check it."""

    schema_version: Literal[1] = 1
    digest: Digest | None = Field(
        default=None, description="SHA-256 of all other fields, as JSON with sorted keys and without spaces"
    )


class Outcome(Record):
    """What the job itself found: the event it released, metrics and curves."""

    run: RunId
    spec: dict[str, Any]
    event: dict[str, Any] | None = Field(description="the encoded release; null if nothing private was released")
    delta: float | None = Field(description="the delta at which the run is accounted; null without a release")
    metrics: dict[str, float]
    history: tuple[Point, ...] = ()
    accounted_at: Schedule | None = Field(default=None, description="where along the run the budget is accounted too")
    pictures: Pictures = {}
    notes: Notes = Field(default={}, exclude_if=lambda notes: not notes)
    attacks: tuple[Attacked, ...] = Field(
        default=(), exclude_if=lambda attacks: not attacks, description="lower bounds that attacks on the run measured"
    )
    provenance: Provenance


class Result(Record):
    """An outcome with every budget that was asked for. The event's arrays are left behind in the outcome."""

    run: RunId
    spec: dict[str, Any]
    outcome: Digest | None = Field(default=None, description="digest of the outcome that was accounted for")
    guarantees: tuple[Guarantee, ...]
    accountants: tuple[dict[str, Any], ...] | None = Field(
        default=None,
        exclude_if=lambda choices: choices is None,
        description="which accountants were asked for, as in a configuration; null in results that are older than this",
    )
    delta: float | None
    metrics: dict[str, float]
    history: tuple[Point, ...]
    pictures: Pictures = {}
    notes: Notes = Field(default={}, exclude_if=lambda notes: not notes)
    provenance: Provenance
    accounting_code: str = Field(description="hash of the accounting code behind the guarantees")


def is_control(result: Result) -> bool:
    """Whether a run released its method's noise alone, for comparison: nothing of the private side."""
    method = result.spec["parameters"].get("method")
    return isinstance(method, Mapping) and method.get("control") is True


def evenly(total: int, *, most: int = 12) -> tuple[int, ...]:
    """At most ``most`` places of 1 to ``total``, evenly spread; the last is ``total``.

    So often is a budget accounted along a run at most: some accountants take a fraction of a second each time.

    >>> evenly(20, most=4)
    (5, 10, 15, 20)
    """
    count = min(total, most)
    return tuple(-(-total * part // count) for part in range(1, count + 1))


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


def curves(axis: str, positions: Sequence[float], rows: Sequence[Mapping[str, float]]) -> tuple[Point, ...]:
    """One curve for each figure, in the order in which they first appear; a row that lacks a figure lacks its point.

    >>> [(point.metric, point.position) for point in curves("epoch", [1, 2], [{"loss": 3.0}, {"loss": 2.0, "a": 1}])]
    [('loss', 1.0), ('loss', 2.0), ('a', 2.0)]

    Raises:
        ValueError: a value is not a number, or there are not as many positions as rows.
    """
    points: list[Point] = []
    for name in dict.fromkeys(name for row in rows for name in row):
        measured = [(position, row[name]) for position, row in zip(positions, rows, strict=True) if name in row]
        points += curve(name, axis, *zip(*measured, strict=True))
    return tuple(points)


Kept = TypeVar("Kept", bound=Record)


def save(path: Path, record: Kept) -> Kept:
    """Write a record as JSON with its digest, whole or not at all.

    Returns:
        The record as written.
    """
    content = json.loads(record.model_dump_json(exclude={"digest"}))
    sealed = record.model_copy(update={"digest": digest(content)})
    write_text(path, sealed.model_dump_json(indent=1) + "\n")
    return sealed


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 (64 hex digits) of a record's fields but ``digest``; order and spacing of the file do not count."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    return hashlib.sha256(canonical_json(rest).encode()).hexdigest()


def load_outcome(path: Path) -> Outcome:
    """Read and check an outcome.

    Raises:
        ValueError: one line: the file breaks the schema, or its content is not what was written.
    """
    return _load(Outcome, path, path.read_bytes(), undigested=False)


def load_result(path: Path, *, undigested: bool = False) -> Result:
    """Read and check a result.

    Args:
        path: its file.
        undigested: whether it may lack a digest, as those do that were published before there were any.

    Raises:
        ValueError: one line: the file breaks the schema, or its content is not what was written.
    """
    return parse_result(path, path.read_bytes(), undigested=undigested)


def parse_result(path: Path, raw: bytes, *, undigested: bool = False) -> Result:
    """As `load_result`, for the bytes ``raw`` of the file at ``path``."""
    return _load(Result, path, raw, undigested=undigested)


def _load(kind: type[Kept], path: Path, raw: bytes, *, undigested: bool) -> Kept:
    what = f"{path}: is not {'an outcome' if kind is Outcome else 'a result'}"
    try:
        content = json.loads(raw)
        record = kind.model_validate(content)
        found = digest(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = complaints.dotted(first["loc"])
        raise ValueError(f"{what} ({where + ': ' if where else ''}{first['msg']})") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{what} ({str(error) or 'cannot be read'})") from None
    if record.digest is None:
        if not undigested:
            raise ValueError(f"{path}: has no digest; nothing tells whether its figures are those that were computed")
    elif record.digest != found:
        raise ValueError(f"{path}: was changed after it was written (its digest is that of another content)")
    return record
