"""Faults and outcomes, as they are observed: ``python tests/table_of_faults.py --keep`` writes `docs/faults.md`.

Each fault is done to a small set of three runs, one of them a training with checkpoints, in a copy of this checkout.
Then the same command is given again, and what stands there is compared with a set that nobody disturbed: results
without their origin, figures and tables to the byte, ledger, report, and every run in MLflow once. It takes most of an
hour of two processors. Faults that a machine cannot do, for want of a mount, Slurm or data, are left out and named.

Any NAMEs do these faults alone, and ``--keep`` then replaces their rows. The exit code says whether all ended well.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import _checkout
from _faults import damage, disks, kills, limits, servers
from _faults.harness import CONFIGURATION, STEPS, Place, Row, contents
from wassdp.pipeline import provenance
from wassdp.report import escaping

ROOT = Path(__file__).parents[1]
PAGE, DATA = ROOT / "docs" / "faults.md", ROOT / "docs" / "faults.csv"
BEGIN, END = "<!-- faults: written by `python tests/table_of_faults.py --keep` -->", "<!-- /faults -->"
HEAD = {
    "fault": "fault",
    "times": "times",
    "code": "exit code",
    "said": "what is said",
    "lost": "lost",
    "again": "the same command again, against an undisturbed set",
}
NAMES = (
    *(f"kills-{whom}" for whom in kills.WHOM),
    "two",
    "disk-at-start",
    *(f"disk-{step}" for step in STEPS),
    "read-only",
    *(f"damaged-{name}" for name in damage.FILES),
    "checkpoint",
    "data",
    "network",
    "server",
    "dying-server",
    "memory",
    "hang",
)
ORIGIN = ("name", "date", "commit", "machine")


class Stage:
    """The small set, in one folder, since a database names the folder that it is of: fresh, or finished undisturbed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.fresh_one, self.finished_one = (folder / name for name in ("set", "fresh", "finished"))
        self.fresh_one.mkdir()
        _checkout.copy(self.fresh_one, CONFIGURATION)
        place = Place(self.folder)
        shutil.copytree(self.fresh_one, self.folder)
        begin = time.monotonic()
        done = place.run()
        self.seconds = time.monotonic() - begin
        if done.returncode:
            raise RuntimeError(f"the undisturbed set failed:\n{done.stdout}\n{done.stderr}")
        self.reference = contents(self.folder)
        shutil.copytree(self.folder, self.finished_one, symlinks=True)

    def fresh(self) -> Place:
        return self.copied(self.fresh_one)

    def finished(self) -> Place:
        return self.copied(self.finished_one)

    def copied(self, origin: Path) -> Place:
        """The set as it was, in place of the one before."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(origin, self.folder, symlinks=True, dirs_exist_ok=True)
        return Place(self.folder, self.reference)


def faults(stage: Stage) -> dict[str, Callable[[], Iterable[Row]]]:
    """All that this machine can do, by name."""
    found: dict[str, Callable[[], Iterable[Row]]] = {
        **{f"kills-{whom}": lambda whom=whom: [kills.row(whom, stage.fresh, stage.seconds)] for whom in kills.WHOM},
        "two": lambda: [kills.second_pipeline(stage.fresh)],
        **{f"damaged-{each}": lambda each=each: [damage.row(each, stage.finished)] for each in damage.FILES},
        "checkpoint": lambda: damage.checkpoint(stage.fresh),
        "network": lambda: [servers.no_network(stage.fresh())],
        "server": lambda: [servers.no_server(stage.finished())],
        "dying-server": lambda: [servers.dying_server(stage.finished())],
        "memory": lambda: [limits.memory(stage.fresh)],
        "hang": lambda: [limits.hang(stage.fresh)],
    }
    if os.environ.get("WASSDP_MIRROR"):
        found["data"] = lambda: damage.data(stage.fresh())
    if disks.possible():
        found["disk-at-start"] = lambda: [disks.at_the_start(stage.folder, stage.finished)]
        for step in STEPS:
            found[f"disk-{step}"] = lambda step=step: [disks.at_step(step, stage.folder, stage.finished)]
        found["read-only"] = lambda: [
            each(stage.folder, stage.finished) for each in (disks.read_only, disks.read_only_midway)
        ]
    return found


def observed(names: list[str], folder: Path) -> Iterator[tuple[str, Row]]:
    """Each fault done, in order, with its name."""
    stage = Stage(folder)
    print(f"an undisturbed set takes {stage.seconds:.0f} s", file=sys.stderr, flush=True)
    known = faults(stage)
    if absent := [name for name in names or NAMES if name not in known]:
        print(f"not possible on this machine: {', '.join(absent)}", file=sys.stderr, flush=True)
    for name in (name for name in names or NAMES if name in known):
        for row in known[name]():
            print(json.dumps(asdict(row), ensure_ascii=False), file=sys.stderr, flush=True)
            yield name, row


def kept() -> list[dict[str, str]]:
    """The rows that the page has."""
    if not DATA.exists():
        return []
    with DATA.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def origin() -> dict[str, str]:
    """When and where faults are observed, and on which code: ask before any, since a checkout may change meanwhile."""
    commit = provenance.commit(ROOT)
    if commit is None:
        raise RuntimeError(f"{ROOT}: the package that is imported is of no commit of this tree (PYTHONPATH?)")
    return {
        "date": provenance.now()[:10],
        "commit": commit[:12],
        "machine": str(provenance.machine()),
    }


def keep(name: str, rows: list[Row], origin: Mapping[str, str]) -> None:
    """Replace the rows of one fault in the page, and in the CSV beside it."""
    new = [{"name": name, **origin} | {key: str(value) for key, value in asdict(row).items()} for row in rows]
    order = list(NAMES)
    both = [row for row in kept() if row["name"] != name] + new
    both.sort(key=lambda row: order.index(row["name"]))
    table = io.StringIO()
    writer = csv.DictWriter(table, [*ORIGIN, *HEAD, "whole"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(both)
    DATA.write_text(table.getvalue(), encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}\n\n{page(both)}\n\n{END}{tail}", encoding="utf-8")


def page(rows: list[dict[str, str]]) -> str:
    """The table as the page has it, and where and when it was observed."""
    origins = sorted({(row["machine"], row["date"], row["commit"]) for row in rows})
    where = "; ".join(f"{machine}, {date}, at commit {commit}" for machine, date, commit in origins)
    return f"{markdown(rows)}\n\nObserved on {where}."


def markdown(rows: Iterable[Mapping[str, str]]) -> str:
    """The table, what programs said escaped; the names of faults are this file's own Markdown."""
    lines = [f"| {' | '.join(HEAD.values())} |", "| :-- | --: | --: | :-- | :-- | :-- |"]
    for row in rows:
        said = (escaping.markdown(str(row[key])) for key in HEAD if key != "fault")
        lines.append(f"| {' | '.join([row['fault'], *said])} |")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Do, print, keep."""
    parser = argparse.ArgumentParser(prog="table_of_faults", description=str(__doc__).partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; none: all")
    parser.add_argument("--keep", action="store_true", help="put the rows into docs/faults.md and docs/faults.csv")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in NAMES]:
        parser.error(f"NAME = {unknown[0]!r}: must be one of {', '.join(NAMES)}")
    found: dict[str, list[Row]] = {}
    here = origin()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # mounts and pipelines end with their blocks
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        for name, row in observed(options.names, Path(folder)):
            found.setdefault(name, []).append(row)
            if options.keep:
                keep(name, found[name], here)
    rows = [row for each in found.values() for row in each]
    print(markdown(asdict(row) for row in rows))
    return 0 if rows and all(row.whole for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
