"""All runs of a plan into a tracking store: once, or again and again until every run is finished."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wassdp import checks
from wassdp.files import read_object
from wassdp.ledger.rows import ACCURACY
from wassdp.pipeline import stored
from wassdp.pipeline.plan import Plan, PlannedExperiment, PlannedRun
from wassdp.result import Result, parse_result
from wassdp.tracking import content, description, progress, view
from wassdp.tracking.content import Content, Shown
from wassdp.tracking.names import short_names
from wassdp.tracking.store import (
    DIGEST_TAG,
    FIGURES_TAG,
    Change,
    Drawn,
    Store,
    TrackingError,
    connect,
    is_complete,
)

FIGURE_SUFFIXES = (".png", ".svg")
TABLE_SUFFIXES = (".md", ".csv")


@dataclass
class Report:
    """What a call did.

    Args:
        digests: run id to the digest of its content, for every finished run.
        experiments: experiment to the digest of its figures and tables, as far as they are drawn.
        unfinished: run ids without a current result.
        changes: how many runs were left alone, added, completed and replaced.
        redrawn: how many experiments' figures were.
    """

    digests: dict[str, dict[str, str]] = field(default_factory=dict)
    experiments: dict[str, str] = field(default_factory=dict)
    unfinished: list[str] = field(default_factory=list)
    changes: Counter[Change] = field(default_factory=Counter)
    redrawn: int = 0

    def line(self) -> str:
        """The report in one line."""
        parts = ", ".join(f"{count} {change}" for change, count in sorted(self.changes.items())) or "nothing to do"
        drawn = f", figures of {self.redrawn} experiment{'s' * (self.redrawn > 1)}" if self.redrawn else ""
        left = f"; {len(self.unfinished)} not finished yet" if self.unfinished else ""
        return f"{len(self.digests)} finished runs ({parts}){drawn}{left}"


class Folder:
    """A results folder seen through a plan."""

    def __init__(self, results: Path, plan: Plan) -> None:
        self.results = results
        self.plan, self.preset = plan, plan.preset
        self.rows: dict[str, list[PlannedRun]] = {}
        for row in plan.runs:
            self.rows.setdefault(row.run, []).append(row)
        self._shown = _shown(plan)
        # A published folder may have its results packed, and they stay what they are.
        published = stored.read(results, self.rows) if (results / stored.PUBLISHED).is_file() else {}
        self._published = {run: raw for run, (raw, _) in published.items()}
        self._restored = stored.restored(results)
        self._hashes: dict[Path, tuple[tuple[int, int], str]] = {}
        self._contents: dict[str, tuple[tuple[int | None, int | None], Content]] = {}
        self._results: dict[str, Result] = {}

    def run_folder(self, run: str) -> Path:
        """Where a run's files are."""
        return self.results / "runs" / run

    def is_finished(self, run: str) -> bool:
        """Whether the run has a result that stems from its newest outcome.

        While a run is computed again its old result is still there; the outcome that it came from is
        gone, or is newer. A published folder has results and no outcomes, nor have those that were put back.
        """
        if run in self._published:
            return True
        folder = self.run_folder(run)
        result, outcome, log = (_modified(folder / name) for name in ("result.json", "outcome.json", "run.log"))
        if result is None:
            return False
        if outcome is None:
            return run in self._restored or log is None or log <= result
        return outcome <= result or _origin(folder / "outcome.json") == _origin(folder / "result.json")

    def finished(self, run: str) -> Content:
        """Content of a finished run.

        Raises:
            ValueError: its result file breaks the schema, was changed after it was written, has no digest, or belongs
                to another run. One without a digest that was published, or put back, before there were any is taken:
                its bytes are those that the folder's own record names, and it has the tag ``digest`` = none.
        """
        path = self.run_folder(run) / "result.json"
        mark = (_modified(path), _modified(path.with_name("history.jsonl")))
        if run in self._contents and self._contents[run][0] == mark:
            return self._contents[run][1]
        raw = self._published[run] if run in self._published else path.read_bytes()
        vouched = run in self._published or run in self._restored
        result = parse_result(path, raw, undigested=vouched)
        shown = self._shown[run]
        found = content.finished(self.rows[run], result, raw, self.progress(run), self.preset, shown)
        self._contents[run], self._results[run] = (mark, found), result
        return found

    def running(self, run: str, going: progress.TrackingProgress) -> Content:
        """Content of a run that is still going."""
        return content.running(self.rows[run], going, self.preset, self._shown[run])

    def progress(self, run: str) -> progress.TrackingProgress | None:
        """What a run has recorded on its way."""
        return progress.read(self.run_folder(run) / "history.jsonl")

    def figures(self, experiment: PlannedExperiment) -> dict[str, Path]:
        """File name to path of the figures and tables of an experiment, as far as they are made."""
        stems = [
            (self.results / "figures" / experiment.paper / item.name, FIGURE_SUFFIXES) for item in experiment.figures
        ]
        stems += [(self.results / "tables" / item.name, TABLE_SUFFIXES) for item in experiment.tables]
        paths = [stem.with_name(stem.name + suffix) for stem, suffixes in stems for suffix in suffixes]
        return {path.name: path for path in paths if path.is_file()}

    def descriptions(self, runs: Iterable[str]) -> dict[str, str]:
        """Experiment to its text, over runs that `finished` has read."""
        return description.of_experiments(self.plan, {run: self._results[run] for run in runs})

    def figures_digest(self, figures: dict[str, Path]) -> str:
        """Equal for equal figures."""
        lines = [f"{name} {self._hash(path)}" for name, path in sorted(figures.items())]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]

    def _hash(self, path: Path) -> str:
        status = path.stat()
        mark = (status.st_mtime_ns, status.st_size)
        known = self._hashes.get(path)
        if known is None or known[0] != mark:
            known = (mark, hashlib.sha256(path.read_bytes()).hexdigest())
            self._hashes[path] = known
        return known[1]


def track(folder: Folder, store: Store) -> Report:
    """Bring every finished run of the plan into line. Runs that are still going are left as they are.

    Raises:
        ValueError: a result file is not what it should be.
        TrackingError: the store cannot be reached; what has been done so far stays.
    """
    report = Report()
    wanted: dict[str, Content] = {}
    for run in folder.rows:
        if not folder.is_finished(run):
            report.unfinished.append(run)
            continue
        wanted[run] = folder.finished(run)
        report.digests[run] = {"content": wanted[run].digest}
    told: dict[str, list[Content]] = {}
    for run, rows in folder.rows.items():
        for name in dict.fromkeys(row.experiment for row in rows if run in wanted):
            told.setdefault(name, []).append(wanted[run])
    experiments = [item for item in folder.plan.experiments if item.name in told]
    with store.locked():
        # First, since taking an experiment out of the trash brings back all that it ever held.
        store.prepare(map(content.experiment_name, experiments))
        present = store.snapshot()
        for each in wanted.values():
            report.changes[_brought_into_line(store, each, present)] += 1
        texts = folder.descriptions(wanted)
        for item in experiments:
            _experiment(folder, store, item, told[item.name], texts[item.name], present, report)
        _recount(store, wanted, present)
    return report


def _recount(store: Store, wanted: Mapping[str, Content], present: Mapping[str, Sequence[Any]]) -> None:
    """Say in every experiment how many finished runs it holds: those of earlier plans stay, and may have lost some."""
    own = Counter(each.experiment for each in wanted.values())
    others = Counter(
        run.info.experiment_id
        for name, found in present.items()
        for run in found
        if name not in wanted and DIGEST_TAG in run.data.tags and FIGURES_TAG not in run.data.tags
    )
    for name, (identifier, told) in store.experiments().items():
        if told != (runs := own[name] + others[identifier]):
            store.count(identifier, runs)


def _brought_into_line(
    store: Store, wanted: Content, present: Mapping[str, Sequence[Any]], figures: Drawn | None = None
) -> Change:
    there = present.get(wanted.run, [])
    if len(there) == 1 and is_complete(there[0], wanted, figures):
        return "unchanged"
    return store.upsert(wanted, there, figures)


def _experiment(
    folder: Folder,
    store: Store,
    item: PlannedExperiment,
    contents: Sequence[Content],
    text: str,
    present: Mapping[str, Sequence[Any]],
    report: Report,
) -> None:
    """Text, columns, figures and tables of an experiment: the latter two in a run of their own, the newest."""
    name = content.experiment_name(item)
    metrics = (point.key for each in contents if each.experiment == name for point in each.measurements)
    store.describe(name, {content.NOTE: text, **view.tags(metrics)})
    wanted = content.of_figures(item, max(each.end or 0 for each in contents), folder.preset)
    figures = folder.figures(item)
    if not figures:
        if not (item.figures or item.tables):  # else they are being made
            store.drop(present.get(wanted.run, ()))
        return
    drawn = Drawn(figures, folder.figures_digest(figures))
    if _brought_into_line(store, wanted, present, drawn) != "unchanged":
        report.redrawn += 1
    report.experiments[item.name] = drawn.digest


def follow(
    folder: Folder,
    store: Store,
    *,
    interval: float,
    say: Callable[[str], None],
    wait: Callable[[float], None] = time.sleep,
) -> Report:
    """Track live curves until every run of the plan is finished.

    A store that cannot be reached in between is waited for; nothing is lost meanwhile, since
    everything is in the files.

    Args:
        folder: the results folder.
        store: where to.
        interval: seconds between two looks at the files.
        say: told what changed, one line at a time.
        wait: how to wait.
    """
    checks.positive("interval", interval)
    seen: dict[str, tuple[int, ...]] = {}
    lost = ""
    while True:
        try:
            live = _track_live(folder, store, seen)
            report = track(folder, store)
        except TrackingError as error:
            if str(error) != lost:
                say(f"{error}; trying again every {interval:g} s")
            lost = str(error)
        else:
            lost = ""
            if live or report.redrawn or set(report.changes) - {"unchanged"}:
                say(report.line() + (f"; {live} live curves went on" if live else ""))
            if not report.unfinished:
                return report
        wait(interval)


def _track_live(folder: Folder, store: Store, seen: dict[str, tuple[int, ...]]) -> int:
    """Bring the runs that are going into line, if they have recorded anything since they were last ``seen``."""
    changed = 0
    for run in folder.rows:
        path = folder.run_folder(run) / "history.jsonl"
        try:
            status = path.stat()
        except FileNotFoundError:
            continue
        mark = (status.st_mtime_ns, status.st_size, status.st_ino)
        if seen.get(run) == mark:
            continue
        with store.locked():
            # Looked at under the lock: another tracker may have found the result in the meantime.
            going = None if folder.is_finished(run) else folder.progress(run)
            if going is not None and store.upsert_live(folder.running(run, going)) != "unchanged":
                changed += 1
        seen[run] = mark
    return changed


def open_folder(results: Path, plan: Plan, uri: str) -> tuple[Folder, Store]:
    """A results folder and the store for it."""
    return Folder(results, plan), connect(uri, results)


def _shown(plan: Plan) -> dict[str, Shown]:
    """How each run is shown, by the experiment that has it first."""
    headlines = {experiment.name: experiment.headline or ACCURACY for experiment in plan.experiments}
    first: dict[str, PlannedRun] = {}
    for row in plan.runs:
        first.setdefault(row.run, row)
    settings: dict[str, dict[tuple[str, int | None], None]] = {}
    for row in first.values():
        settings.setdefault(row.experiment, {})[row.label, row.seed] = None
    names = {experiment: dict(zip(own, short_names(list(own)), strict=True)) for experiment, own in settings.items()}
    return {
        run: Shown(names[row.experiment][row.label, row.seed], headlines.get(row.experiment, ACCURACY))
        for run, row in first.items()
    }


def _modified(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def _origin(path: Path) -> object:
    return read_object(path).get("provenance")
