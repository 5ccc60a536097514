"""What MLflow shall hold of a run, worked out from its files alone."""

from __future__ import annotations

import csv
import datetime
import functools
import hashlib
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from wassdp import data
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.rounding import rounded
from wassdp.files import canonical_json
from wassdp.pipeline.plan import PlannedExperiment, PlannedRun
from wassdp.report import escaping
from wassdp.result import Point, Result
from wassdp.tracking import description
from wassdp.tracking.progress import TrackingProgress

# Changing what is tracked changes this number, and with it every digest: the next call brings all runs into line.
LAYOUT = 3
STEP_AXES = ("epoch", "step", "iteration", "round")
LONGEST_PARAMETER = 6000
LONGEST_TAG = 8000
NOTE = "mlflow.note.content"  # shown as Markdown
CLOSE = 1e-9


class Measurement(NamedTuple):
    """One point of an MLflow metric; ``timestamp`` in Unix milliseconds."""

    key: str
    step: int
    value: float
    timestamp: int


class Read(NamedTuple):
    """A data set that a run read; ``digest`` of its files, ``profile`` and ``source`` as JSON."""

    name: str
    digest: str
    source: str
    profile: str


class Shown(NamedTuple):
    """How an experiment shows a run: its short name, and the metric that says in one number how good it is."""

    name: str
    headline: str


@dataclass(frozen=True)
class Content:
    """Everything that MLflow shall hold of one run, but for its figures.

    Args:
        run: run id, 12 hex digits.
        experiment: name of the MLflow experiment.
        name: readable name.
        start: start time, Unix milliseconds.
        end: end time; None while the run is going.
        parameters: MLflow parameters.
        measurements: points of MLflow metrics, in order.
        tags: MLflow tags.
        files: name to content of the run's artifacts.
        datasets: what it read.
    """

    run: str
    experiment: str
    name: str
    start: int
    end: int | None
    parameters: Mapping[str, str]
    measurements: tuple[Measurement, ...]
    tags: Mapping[str, str]
    files: Mapping[str, bytes] = field(default_factory=dict)
    datasets: tuple[Read, ...] = ()

    @functools.cached_property
    def digest(self) -> str:
        """Equal for equal contents, and only then."""
        value = {
            "layout": LAYOUT,
            "run": [self.run, self.experiment, self.name, self.start, self.end],
            "parameters": dict(self.parameters),
            "measurements": self.measurements,
            "tags": dict(self.tags),
            "files": {name: hashlib.sha256(content).hexdigest() for name, content in self.files.items()},
            "datasets": self.datasets,
        }
        return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:32]


def experiment_name(row: PlannedRun | PlannedExperiment) -> str:
    """The MLflow experiment of an experiment, or of a run of it."""
    return f"wassdp/{row.paper}/{row.experiment if isinstance(row, PlannedRun) else row.name}"


def metric_key(metric: str, headline: str) -> str:
    """Where a metric stands: MLflow draws groups, which end at a slash, in alphabetical order.

    What a reader looks for first comes first, diagnostics last.

    >>> [metric_key(name, "accuracy") for name in ("accuracy", "epsilon/upper/pld", "batch_max")]
    ['accuracy/test', 'epsilon/upper/pld', 'other/batch_max']
    """
    if metric.startswith(("epsilon/", "job/")):
        return metric
    if metric == headline:
        return "accuracy/test" if metric.startswith("accuracy") else f"headline/{metric}"
    return f"other/{metric}"


def finished(
    rows: Sequence[PlannedRun],
    result: Result,
    raw: bytes,
    progress: TrackingProgress | None,
    preset: str,
    shown: Shown,
) -> Content:
    """Content of a finished run.

    Args:
        rows: the run's rows in the plan, one per experiment that shares it; the first names it.
        result: its result.
        raw: the bytes of its result file.
        progress: what it recorded on its way; only the times are taken from there.
        preset: name of the plan's preset.
        shown: its name and headline.

    Raises:
        ValueError: the result belongs to another run, or two of its figures would share one key.
    """
    first = rows[0]
    if result.run != first.run or result.spec != first.spec:
        raise ValueError(f"run {first.run} ({first.name}): its result file belongs to another specification")
    origin = result.provenance
    started = round(1000 * datetime.datetime.fromisoformat(origin.started).timestamp())
    # Lines that all precede the job were written by an attempt which this result does not stem from.
    if progress is not None and progress.ended < started:
        progress = None
    start = started if progress is None else progress.started
    end = start + round(1000 * origin.seconds)
    finals = _finals(first, result)
    times = {} if progress is None else progress.times()
    measurements = _curves(result.history, finals, times, end)
    tracked = {item.key for item in measurements}
    measurements += [
        Measurement(key, 0, value, end) for key, value in finals.items() if value is not None and key not in tracked
    ]
    files = {"result.json": raw}
    if result.history:
        files["history.csv"] = _history_csv(result.history)
    tags = _base_tags(rows, preset) | {
        "adjacency": _joined(item.adjacency for item in result.guarantees) or "none",
        "sampling": _joined(item.sampling for item in result.guarantees) or "none",
        "device": origin.device,
        "machine": origin.machine,
        "code": origin.code,
        "accounting_code": result.accounting_code,
        "started": origin.started,
    }
    if origin.commit is not None:
        tags |= {"commit": origin.commit, "mlflow.source.git.commit": origin.commit.split("+")[0]}
    if result.digest is None:
        tags["digest"] = "none: published before there were digests"
    tags[NOTE] = description.of_run(first, result, shown.headline)[:LONGEST_TAG]
    for item in result.guarantees:
        tags[f"guarantee/{item.label}"] = _statement(item)[:LONGEST_TAG]
        if not item.bounded:
            tags[f"epsilon/{item.label}"] = "unbounded"
    return Content(
        run=first.run,
        experiment=experiment_name(first),
        name=shown.name,
        start=start,
        end=end,
        parameters=_parameters(first.spec),
        measurements=_renamed(measurements, shown.headline),
        tags={_key(key): value for key, value in tags.items()},
        files=files,
        datasets=_read(origin.datasets),
    )


def running(rows: Sequence[PlannedRun], progress: TrackingProgress, preset: str, shown: Shown) -> Content:
    """Content of a run that is still going: its curves up to now."""
    first = rows[0]
    points = [
        Point(metric=metric, axis=axis, position=position, value=value)
        for (metric, axis, position), value in progress.values().items()
    ]
    measurements = _curves(points, {}, progress.times(), progress.ended)
    return Content(
        run=first.run,
        experiment=experiment_name(first),
        name=shown.name,
        start=progress.started,
        end=None,
        parameters=_parameters(first.spec),
        measurements=_renamed(measurements, shown.headline),
        tags=_base_tags(rows, preset),
    )


def of_figures(experiment: PlannedExperiment, end: int, preset: str) -> Content:
    """Content of the run that holds an experiment's figures and tables, which are logged beside it.

    Args:
        experiment: whose.
        end: when the last of its runs ended, Unix milliseconds: MLflow lists the newest first.
        preset: name of the plan's preset.
    """
    shown = [item for item in (*experiment.figures, *experiment.tables) if item.caption]
    made = [f"- `{item.name}`: {escaping.words(_unmarked(str(item.caption)))}" for item in shown]
    return Content(
        run=f"figures/{experiment.paper}/{experiment.name}",
        experiment=experiment_name(experiment),
        name=description.FIGURES,
        start=end,
        end=end,
        parameters={},
        measurements=(),
        tags={
            "wassdp.run": f"figures/{experiment.paper}/{experiment.name}",
            "experiment": experiment.name,
            "paper": experiment.paper,
            "preset": preset,
            NOTE: "\n".join(["Under Artifacts:", "", *made])[:LONGEST_TAG],
        },
    )


def _unmarked(caption: str) -> str:
    """A caption, reStructuredText, without its marks: a plan that somebody else made may have any others."""
    return re.sub(r"``|\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", caption)


def _finals(row: PlannedRun, result: Result) -> dict[str, float | None]:
    """Final figures by metric key; None where a budget is unbounded."""
    pairs: list[tuple[str, float | None]] = [(f"epsilon/{item.label}", item.epsilon) for item in result.guarantees]
    pairs += list(result.metrics.items())
    pairs += [("job/seconds", result.provenance.seconds), ("job/peak_memory_mib", result.provenance.peak_memory_mib)]
    if result.delta is not None:
        pairs.append(("delta", result.delta))
    finals = dict(pairs)
    if len(finals) < len(pairs):
        names = [key for key, _ in pairs]
        twice = sorted({key for key in names if names.count(key) > 1})
        raise ValueError(f"run {row.run} ({row.name}): has two figures called {', '.join(twice)}")
    return finals


def _curves(
    history: Iterable[Point], finals: Mapping[str, float | None], times: Mapping[tuple[str, float], int], otherwise: int
) -> list[Measurement]:
    """Curves over steps, under keys whose latest value never contradicts the run's final figure.

    A curve takes its metric's own key if it ends on the final figure, or if there is no such figure;
    else it is called ``<metric>/<axis>``. A curve that ends unbounded is left to ``history.csv``:
    MLflow would show its last finite value as if it were the run's. So is one whose axis does not
    count steps.
    """
    grouped: dict[tuple[str, str], list[Point]] = {}
    for point in history:
        grouped.setdefault((point.metric, point.axis), []).append(point)
    curves = {}
    for place, points in grouped.items():
        ordered = sorted(points, key=lambda point: point.position)
        if _counts_steps(ordered) and ordered[-1].value is not None:
            curves[place] = ordered
    found = []
    for (metric, axis), points in curves.items():
        alone = sum(other == metric for other, _ in curves) == 1
        values = {int(point.position): point.value for point in points}
        last = int(points[-1].position)
        final = finals.get(metric, values[last])
        own = alone and final is not None and math.isclose(final, values[last] or 0.0, rel_tol=CLOSE)
        if own:
            values[last] = final
        for step, value in values.items():
            if value is not None:
                when = times.get((axis, float(step)), otherwise)
                found.append(Measurement(metric if own else f"{metric}/{axis}", step, value, when))
    return found


def _counts_steps(points: Sequence[Point]) -> bool:
    positions = [point.position for point in points]
    return (
        points[0].axis in STEP_AXES
        and len(set(positions)) == len(positions)
        and all(position >= 0 and position.is_integer() for position in positions)
    )


def _base_tags(rows: Sequence[PlannedRun], preset: str) -> dict[str, str]:
    first = rows[0]
    return {
        "wassdp.run": first.run,
        "experiment": _joined(row.experiment for row in rows)[:LONGEST_TAG],
        "paper": _joined(row.paper for row in rows)[:LONGEST_TAG],
        "kind": first.kind,
        "label": first.label[:LONGEST_TAG],
        "seed": str(first.seed),
        "preset": preset,
        "mlflow.source.name": f"wassdp {first.phase}",
        "mlflow.source.type": "JOB",
    }


def _statement(item: Guarantee) -> str:
    """A budget with everything that it needs in order to mean something."""
    size = "epsilon unbounded" if item.epsilon is None else f"epsilon = {rounded(item.epsilon, item.kind, digits=6)}"
    rests = "; ".join(item.assumptions) or "no further assumption"
    about = f"delta = {rounded(item.delta, item.kind, digits=6)}, {item.adjacency}, {item.sampling}"
    return f"{item.kind}: {size} at {about}; {rests} ({item.source})"


def _parameters(spec: Mapping[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    _flatten(spec, "", flat)
    return {_key(key): value for key, value in flat.items()}


def _flatten(value: Mapping[str, Any], prefix: str, flat: dict[str, str]) -> None:
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            _flatten(item, f"{prefix}{key}.", flat)
        else:
            text = item if isinstance(item, str) and item else json.dumps(item, allow_nan=False)
            if len(text) > LONGEST_PARAMETER:
                text = text[: LONGEST_PARAMETER - 20] + "… (see result.json)"
            flat[f"{prefix}{key}"] = text


def _history_csv(history: Sequence[Point]) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["metric", "axis", "position", "value"])
    writer.writerows(
        (point.metric, point.axis, point.position, "inf" if point.value is None else point.value) for point in history
    )
    return buffer.getvalue().encode()


def _renamed(measurements: Iterable[Measurement], headline: str) -> tuple[Measurement, ...]:
    named = [item._replace(key=_key(metric_key(item.key, headline))) for item in measurements]
    if len({(item.key, item.step) for item in named}) < len(named):
        raise ValueError("metrics: two names differ only in characters that MLflow does not allow")
    return tuple(sorted(named))  # MLflow lists a run's metrics in the order in which they came


def _read(checksums: Mapping[str, str]) -> tuple[Read, ...]:
    """The data sets of a result, which names files of them: ``mnist/train-images``."""
    names = dict.fromkeys(file.partition("/")[0] for file in checksums)
    found = []
    for name in names:
        known = data.descriptor(name) if name in data.names() else None
        files = {file: md5 for file, md5 in checksums.items() if file.partition("/")[0] == name}
        digest = hashlib.sha256(canonical_json(files).encode()).hexdigest()[:8]
        source = {} if known is None else {"url": known.source, "licence": known.licence, "citation": known.citation}
        profile = {f"records_{part}": count for part, count in (known.counts if known else {}).items()}
        found.append(Read(name, digest, json.dumps(source), json.dumps(profile | {"files": files})))
    return tuple(found)


def _key(name: str) -> str:
    """``name`` in the characters that MLflow allows for keys."""
    return re.sub(r"[^\w./: -]", "_", name)


def _joined(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(values))
