"""All runs of a plan into a tracking store: once, or again and again until every run is finished."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from wassdp import checks
from wassdp.pipeline import stored
from wassdp.pipeline.plan import Plan, PlannedRun
from wassdp.result import parse_result
from wassdp.tracking import content, progress
from wassdp.tracking.content import Content
from wassdp.tracking.store import FIGURES_TAG, Change, Store, TrackingError, connect, is_complete

FIGURE_SUFFIXES = (".png", ".svg")


@dataclass
class Report:
    """What a call did.

    Args:
        digests: run id to the digests of its content and of its figures, for every finished run.
        unfinished: run ids without a current result.
        changes: how many runs were left alone, added, completed and replaced.
    """

    digests: dict[str, dict[str, str]] = field(default_factory=dict)
    unfinished: list[str] = field(default_factory=list)
    changes: Counter[Change] = field(default_factory=Counter)

    def line(self) -> str:
        """The report in one line."""
        parts = ", ".join(f"{count} {change}" for change, count in sorted(self.changes.items())) or "nothing to do"
        left = f"; {len(self.unfinished)} not finished yet" if self.unfinished else ""
        return f"{len(self.digests)} finished runs ({parts}){left}"


class Folder:
    """A results folder seen through a plan."""

    def __init__(self, results: Path, plan: Plan) -> None:
        self.results = results
        self.preset = plan.preset
        self.rows: dict[str, list[PlannedRun]] = {}
        for row in plan.runs:
            self.rows.setdefault(row.run, []).append(row)
        self._drawn = {
            experiment.name: [(experiment.paper, figure.name) for figure in experiment.figures]
            for experiment in plan.experiments
        }
        # A published folder may have its results packed, and they stay what they are.
        published = stored.read(results, self.rows) if (results / stored.PUBLISHED).is_file() else {}
        self._published = {run: raw for run, (raw, _) in published.items()}
        self._hashes: dict[Path, tuple[tuple[int, int], str]] = {}
        self._contents: dict[str, tuple[tuple[int | None, int | None], Content]] = {}

    def run_folder(self, run: str) -> Path:
        """Where a run's files are."""
        return self.results / "runs" / run

    def is_finished(self, run: str) -> bool:
        """Whether the run has a result that stems from its newest outcome.

        While a run is computed again its old result is still there; the outcome that it came from is
        gone, or is newer. A published folder has results and no outcomes.
        """
        if run in self._published:
            return True
        folder = self.run_folder(run)
        result, outcome, log = (_modified(folder / name) for name in ("result.json", "outcome.json", "run.log"))
        if result is None:
            return False
        if outcome is None:
            return log is None or log <= result
        return outcome <= result or _origin(folder / "outcome.json") == _origin(folder / "result.json")

    def finished(self, run: str) -> Content:
        """Content of a finished run.

        Raises:
            ValueError: its result file breaks the schema, was changed after it was written, or belongs to another run.
                One that was published before there were digests has the tag ``digest`` = none.
        """
        path = self.run_folder(run) / "result.json"
        mark = (_modified(path), _modified(path.with_name("history.jsonl")))
        if run in self._contents and self._contents[run][0] == mark:
            return self._contents[run][1]
        raw = self._published[run] if run in self._published else path.read_bytes()
        result = parse_result(path, raw, undigested=True)
        found = content.finished(self.rows[run], result, raw, self.progress(run), self.preset)
        self._contents[run] = (mark, found)
        return found

    def progress(self, run: str) -> progress.TrackingProgress | None:
        """What a run has recorded on its way."""
        return progress.read(self.run_folder(run) / "history.jsonl")

    def figures(self, run: str) -> dict[str, Path]:
        """File name to path of the figures of the experiments that a run belongs to, as far as they are drawn."""
        found: dict[str, Path] = {}
        for row in self.rows[run]:
            for paper, name in self._drawn.get(row.experiment, []):
                for suffix in FIGURE_SUFFIXES:
                    path = self.results / "figures" / paper / f"{name}{suffix}"
                    if path.is_file():
                        found.setdefault(path.name, path)
        return found

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
    present = store.snapshot()
    for run in folder.rows:
        if not folder.is_finished(run):
            report.unfinished.append(run)
            continue
        wanted, figures = folder.finished(run), folder.figures(run)
        drawn = folder.figures_digest(figures)
        there = present.get(run, [])
        if len(there) == 1 and is_complete(there[0], wanted) and there[0].data.tags.get(FIGURES_TAG) == drawn:
            report.changes["unchanged"] += 1
        else:
            with store.locked():
                report.changes[store.upsert(wanted, figures, drawn)] += 1
        report.digests[run] = {"content": wanted.digest, "figures": drawn}
    return report


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
            if live or set(report.changes) - {"unchanged"}:
                say(report.line() + (f"; {live} live curves went on" if live else ""))
            if not report.unfinished:
                return report
        wait(interval)


def _track_live(folder: Folder, store: Store, seen: dict[str, tuple[int, ...]]) -> int:
    """Bring the runs that are going into line, if they have recorded anything since they were last ``seen``."""
    changed = 0
    for run, rows in folder.rows.items():
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
            if going is not None and store.upsert_live(content.running(rows, going, folder.preset)) != "unchanged":
                changed += 1
        seen[run] = mark
    return changed


def open_folder(results: Path, plan: Plan, uri: str) -> tuple[Folder, Store]:
    """A results folder and the store for it."""
    return Folder(results, plan), connect(uri, results)


def _modified(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def _origin(path: Path) -> object:
    return json.loads(path.read_bytes()).get("provenance")
