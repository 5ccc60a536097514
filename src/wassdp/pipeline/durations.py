"""How long runs took on the machines that computed them, from which a pipeline says how long it is going to take.

They are kept beside the published results, in one table: a row for each run (experiment, kind, dataset, run, seconds),
and one for each rule of other jobs (rule, seconds). Tables of older versions name no datasets.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeVar

from wassdp.files import write_text

Name = TypeVar("Name")
FILE = Path("docs/results/durations.csv")
COLUMNS = ("rule", "experiment", "kind", "dataset", "run", "seconds")
RUN = "run"  # what rows of runs have in place of a rule
BY = ("experiment", "kind and dataset", "kind")
"""What a mean is of, the nearest first."""
LOGS = {"collect": "collect", "ledger": "ledger", "track": "track", "figure": "figure/*/*", "table": "table/*"}


class Estimate(NamedTuple):
    """About what a run takes, and what says so.

    Args:
        seconds: of one processor.
        by: what took so long: the ``run`` itself, or the mean of one of `BY`.
        name: of that run, experiment or kind, with its dataset or without.
    """

    seconds: float
    by: str
    name: str


@dataclass(frozen=True)
class Durations:
    """Seconds of one processor by run, of means by what `BY` names and by rule.

    Args:
        means: what a mean is of, and its name, to the mean.
        counts: the same to the number of runs of which it is.
    """

    runs: Mapping[str, float] = field(default_factory=dict)
    means: Mapping[tuple[str, str], float] = field(default_factory=dict)
    rules: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def of(self, run: str, experiment: str, kind: str, datasets: Iterable[str] = ()) -> float | None:
        """What a run took; else the mean of its experiment's runs, of its kind's on these datasets, of its kind's.

        None: nothing is known.
        """
        found = self.estimate(run, experiment, kind, datasets)
        return None if found is None else found.seconds

    def estimate(self, run: str, experiment: str, kind: str, datasets: Iterable[str] = ()) -> Estimate | None:
        """As `of`, with what says so."""
        if run in self.runs:
            return Estimate(self.runs[run], "run", run)
        names = _names({"experiment": experiment, "kind": kind, "dataset": joined(datasets)})
        return next((Estimate(self.means[key], *key) for key in names if key in self.means), None)

    def basis(self, estimates: Sequence[Estimate]) -> str:
        """From how many published runs these estimates are, in words; nothing of none."""
        said = []
        if itself := sum(found.by == "run" for found in estimates):
            said.append(f"{itself} as published")
        for by in BY:
            names = [found.name for found in estimates if found.by == by]
            if names:
                of = sum(self.counts.get((by, name), 0) for name in set(names))
                said.append(f"{len(names)} by the mean of their {by} in {of} published run{'s' * (of != 1)}")
        return ", ".join(said)


def read(path: Path = FILE) -> Durations:
    """The table at ``path``; empty where there is none.

    Raises:
        ValueError: it is not such a table.
    """
    rows = _rows(path)
    of_runs = [row for row in rows if row["rule"] == RUN]
    return Durations(
        runs={row["run"]: float(row["seconds"]) for row in of_runs},
        means=_means((key, float(row["seconds"])) for row in of_runs for key in _names(row)),
        counts=Counter(key for row in of_runs for key in _names(row)),
        rules=_means((row["rule"], float(row["seconds"])) for row in rows if row["rule"] != RUN),
    )


def keep(rows: Iterable[Mapping[str, str]], path: Path = FILE) -> int:
    """Put rows into the table at ``path``, in place of older ones of the same runs and rules.

    Returns:
        Number of rows that it has now.
    """
    kept = {(row["rule"], row["run"]): row for row in (*_rows(path), *rows)}
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(kept[key] for key in sorted(kept))
    write_text(path, text.getvalue())
    return len(kept)


def of_run(experiment: str, kind: str, run: str, seconds: float, datasets: Iterable[str] = ()) -> dict[str, str]:
    """The row of a run."""
    told = {"experiment": experiment, "kind": kind, "dataset": joined(datasets), "run": run}
    return {"rule": RUN, **told, "seconds": f"{seconds:.1f}"}


def joined(datasets: Iterable[str]) -> str:
    """Datasets as the table has them; nothing of a run that reads none.

    >>> joined(["usps", "mnist"])
    'usps mnist'
    """
    return " ".join(datasets)


def of_rules(results: Path) -> list[dict[str, str]]:
    """Rows of what the other jobs of a results folder took, on average, from what each wrote down."""
    patterns = {f"runs/*/{name}.tsv": name for name in ("account",)}
    patterns |= {f"logs/{pattern}.tsv": rule for rule, pattern in LOGS.items()}
    means = {rule: [_seconds(path) for path in sorted(results.glob(pattern))] for pattern, rule in patterns.items()}
    empty = dict.fromkeys(COLUMNS, "")
    return [empty | {"rule": rule, "seconds": f"{fmean(each):.1f}"} for rule, each in means.items() if each]


def in_words(seconds: float) -> str:
    """About how long, as one says it.

    >>> in_words(8), in_words(50), in_words(260), in_words(5000), in_words(400000)
    ('10 s', '50 s', '4 min', '1.4 h', '4.6 days')
    """
    if seconds < 55:
        return f"{max(10, round(seconds / 10) * 10)} s"
    if seconds < 3600:
        return f"{max(1, round(seconds / 60))} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86400 else f"{seconds / 86400:.1f} days"


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows, start=2):
        row.setdefault("dataset", "")
        try:
            good = set(row) == set(COLUMNS) and float(row["seconds"]) >= 0
        except (TypeError, ValueError):
            good = False
        if not good:
            raise ValueError(f"{path}: line {number} = {json.dumps(row)}: must have {', '.join(COLUMNS)}, seconds >= 0")
    return rows


def _names(row: Mapping[str, str]) -> list[tuple[str, str]]:
    """Of which of `BY` a run is one, and what that is called, the nearest first."""
    names = {"experiment": row["experiment"], "kind": row["kind"]}
    if row["dataset"]:
        names["kind and dataset"] = f"{row['kind']} {row['dataset']}"
    return [(by, names[by]) for by in BY if by in names]


def _means(pairs: Iterable[tuple[Name, float]]) -> dict[Name, float]:
    values: dict[Name, list[float]] = defaultdict(list)
    for key, value in pairs:
        values[key].append(value)
    return {key: fmean(each) for key, each in values.items()}


def _seconds(benchmark: Path) -> float:
    """Wall-clock seconds in a job's benchmark file, 0 if it cannot be read."""
    try:
        return float(benchmark.read_text().splitlines()[1].split("\t")[0])
    except (OSError, IndexError, ValueError):
        return 0.0
