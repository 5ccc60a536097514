"""The README of a published folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wassdp.pipeline.plan import Plan
from wassdp.result import Result

FIGURE_SUFFIXES = ("svg", "png", "csv")
TABLE_SUFFIXES = ("md", "csv", "tex")
LEDGER_ROWS = 20


def readme(
    plan: Plan,
    found: Mapping[str, Result],
    files: Mapping[str, Path],
    missing: Sequence[str],
    origin: Mapping[str, Any],
) -> str:
    """The README of a published folder."""
    tree = "an unknown commit" if origin["commit"] is None else f"commit `{origin['commit'][:12]}`"
    if origin["dirty"]:
        tree += f" with {origin['changed_files']} changed files"
    lines = [
        f"# Results of the set *{plan.preset}*",
        "",
        f"{len(found)} runs of {len({row.run for row in plan.runs})}, computed in {_duration(origin['seconds'])} on "
        f"{' and '.join(origin['machines'])} ({', '.join(origin['devices'])}); published {origin['published']} from "
        f"{tree}. `provenance.json` has code hashes and versions, `runs/<id>/result.json` every figure with what it "
        "rests on. This folder was written by `wassdp publish` and is replaced as a whole by the next one.",
        "",
        f"`wassdp compare docs/results/{plan.preset} results` tells where your own results differ beyond their "
        "seeds' spread.",
    ]
    if missing:
        lines += ["", "## Missing", "", "These results are **incomplete**:", "", *(f"- {item}" for item in missing)]
    lines += _ledger(files.get("ledger.md"))
    for paper in dict.fromkeys(experiment.paper for experiment in plan.experiments):
        shown = []
        for experiment in plan.experiments:
            if experiment.paper != paper:
                continue
            for figure in experiment.figures:
                name = f"figures/{paper}/{figure.name}"
                links = [f"[{s}]({name}.{s})" for s in FIGURE_SUFFIXES if f"{name}.{s}" in files]
                if f"{name}.png" in files:
                    shown += ["", f"### {figure.name}", "", f"![{figure.name}]({name}.png)"]
                if links:
                    shown += ["", f"{figure.name} of experiment {experiment.name}: {', '.join(links)}"]
        if shown:
            lines += ["", f"## Figures: {paper}", *shown]
    tables = [table.name for experiment in plan.experiments for table in experiment.tables]
    if tables:
        lines += ["", "## Tables", ""]
    for name in tables:
        links = [f"[{s}](tables/{name}.{s})" for s in TABLE_SUFFIXES if f"tables/{name}.{s}" in files]
        lines += [f"- {name}: {', '.join(links)}"] if links else []
    lines += ["", "## Runs", "", "`runs.csv` is the table of all runs. Run, name, seconds:", ""]
    names = {row.run: row.name for row in reversed(plan.runs)}
    lines += [
        f"- [{run}](runs/{run}/result.json) {names[run]}, {result.provenance.seconds:.1f} s"
        for run, result in found.items()
    ]
    return "\n".join(lines) + "\n"


def _ledger(path: Path | None) -> list[str]:
    """The ledger's first rows, and where the rest is."""
    if path is None:
        return []
    rows = [line for line in path.read_text().splitlines() if line.startswith("|")]
    shown = rows[: LEDGER_ROWS + 2]
    rest = f" (its first {LEDGER_ROWS} of {len(rows) - 2} rows)" if len(rows) > len(shown) else ""
    return ["", "## Ledger", "", f"Every budget and what it rests on: [ledger.md](ledger.md){rest}.", "", *shown]


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
