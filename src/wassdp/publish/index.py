"""The README of a published folder."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wassdp.config import SECTIONS, FigureChoice
from wassdp.config import output as choice
from wassdp.files import PACKED, RUNS
from wassdp.ledger import files as ledger_files
from wassdp.ledger import judged
from wassdp.pipeline.plan import KEPT, Plan, PlannedExperiment, PlannedOutput, PlannedRun
from wassdp.publish import foremost
from wassdp.publish.sets import ResultSet
from wassdp.report import called, escaping, seed_counts, table_files

FIGURE_SUFFIXES = ("svg", "png", "csv", "csv.xz")
TABLE_SUFFIXES = ("md", "csv", "tex")
OPEN = 4
"""Figures of a paper that stand open on the page; the others are folded."""
SMALL = 22
"""Lines of a table that stands open."""
LISTED = 10
"""Items of a list that stands open."""


def readme(found: ResultSet, files: Mapping[str, Path], missing: Sequence[str], made: Mapping[str, Any]) -> str:
    """The README of a published folder.

    Args:
        found: its set.
        files: name to path of the other files.
        missing: what it lacks, in words.
        made: when and by what code ledger, tables and figures were made.
    """
    plan, parts = found.plan, found.parts
    seconds = sum(part["seconds"] for part in parts)
    machines, devices = (sorted({item for part in parts for item in part[key]}) for key in ("machines", "devices"))
    lines = [f"# Results of the set *{plan.preset}*"]
    remarks = {part.get("remark") for part in parts}
    if len(remarks) == 1:
        lines += [line for remark in remarks if remark for line in ("", f"**{escaping.words(remark)}**")]
    lines += _findings(plan.preset, files.get(RUNS + PACKED))
    if missing:
        items = [f"- {escaping.words(item)}" for item in missing]
        many = len(items) > LISTED
        shown = _folded(f"{len(items)} of them", items) if many else items
        lines += ["", "## Missing", "", "These results are **incomplete**:", "", *shown]
    lines += ["", "## Experiments, with their seeds and those of the plan", "", *_experiments(found)]
    lines += ["", "## Where they come from", ""]
    figures = made.get("figures")
    what = "Ledger, tables and figures" if figures is None else "Ledger and pages"
    lines += [f"{what} were made again from these results on {_when(made)}.", ""]
    if figures:
        lines[-2] += f" Tables and figures are those of {_when(figures)}."
    where = f"{' and '.join(machines)} ({', '.join(devices)})"
    lines += [
        f"{_counted_runs(found)}, computed in {_duration(seconds)} on "
        f"{escaping.words(where)}{_published(parts[0]) if len(parts) == 1 else ''}. "
        f"{_links(['provenance.json'])} has code hashes and versions, {_links([RUNS + PACKED])} a row for each run of "
        "each experiment, "
        f"{_links([name for name in files if name.endswith('.tar.xz')])} every `runs/<id>/result.json`, each with "
        f"what its budgets rest on, {_links([KEPT])} what was planned. This folder was written by "
        "`wassdp publish`.",
        "",
        f"`wassdp compare docs/results/{plan.preset} results` tells where your own results differ beyond their "
        f"seeds' spread; `wassdp restore docs/results/{plan.preset}` puts these back, so that the workflow goes on "
        "from them.",
    ]
    if len(parts) > 1:
        items = [_part(part, plan) for part in parts]
        lines += ["", *_folded(f"{len(items)} parts", items)]
    lines += _ledger(files.get(ledger_files.KEPT))
    captioned: dict[str, str] = {}
    for paper in dict.fromkeys(experiment.paper for experiment in plan.experiments):
        figures = [
            _figure(figure, experiment, files, captioned)
            for experiment in plan.experiments
            for figure in (experiment.figures if experiment.paper == paper else ())
        ]
        figures = [own for own in figures if own]
        if figures:
            lines += ["", f"## Figures: {called.title(paper)}"]
            lines += [line for own in figures[:OPEN] for line in own]
            if len(figures) > OPEN:
                folded = [_unheaded(line) for own in figures[OPEN:] for line in own]
                lines += ["", *_folded(f"{len(figures) - OPEN} more figures", folded)]
    tables = [table for experiment in plan.experiments for table in experiment.tables]
    own_tables = [own for own in (_table(table, files, captioned) for table in tables) if own]
    if own_tables:
        lines += ["", "## Tables", *(line for own in own_tables for line in own)]
    return "\n".join(lines) + "\n"


def _unheaded(line: str) -> str:
    """A heading in bold: what is folded opens no section of the page."""
    return f"**{line.removeprefix('### ')}**" if line.startswith("### ") else line


def _folded(words: str, lines: Sequence[str]) -> list[str]:
    """Lines that open at a click; what is in them is Markdown still."""
    return [f"<details><summary>{words}</summary>", "", *lines, "", "</details>"]


def _findings(name: str, path: Path | None) -> list[str]:
    """What was found in the set, as far as its runs are here."""
    if path is None:
        return []
    runs = foremost.reader(path.parent.parent, {name: path.parent})
    found = foremost.findings(name, runs, partial=True)
    return ["", "## Findings", "", *(f"- {text}" for text in found)] if found else []


def _experiments(found: ResultSet) -> list[str]:
    """A row for each experiment: its runs and seeds, of those configured."""
    lines = ["| experiment | shown under | kind | runs | seeds |", "|---|---|---|---|---|"]
    for item in found.plan.experiments:
        rows = [row for row in found.plan.runs if row.experiment == item.name and row.run in found.raw]
        runs = f"{len(rows)} of {item.configured_runs or '?'}"
        cells = [item.name, called.title(item.paper), escaping.markdown(item.kind), runs, counted_seeds(rows, item)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _counted_runs(found: ResultSet) -> str:
    """How many runs there are, of those configured where that is known of every experiment."""
    plan, present = found.plan, f"{len(found.raw)} runs"
    configured = [experiment.configured_runs for experiment in plan.experiments]
    # A run of two experiments counts twice among the configured ones.
    shared = len(plan.runs) > len({row.run for row in plan.runs})
    if None in configured or shared:
        return present
    return f"{present} of {sum(filter(None, configured))}"


def counted_seeds(rows: Iterable[PlannedRun], experiment: PlannedExperiment) -> str:
    """How many seeds the settings of an experiment have, of its finished runs."""
    own: dict[str, set[int | None]] = {}
    for row in rows:
        own.setdefault(row.label, set()).add(row.seed)
    wanted = None if experiment.seeds is None else len(experiment.seeds)
    return seed_counts.counted([len(each) for each in own.values()], seeds=wanted, runs=experiment.configured_runs)


def _part(part: Mapping[str, Any], plan: Plan) -> str:
    """A part in one item of a list: what it holds, where it was computed, and what is said of it."""
    own = dict.fromkeys(row.experiment for row in plan.runs if row.run in part["results"])
    remark = f" **{escaping.words(part['remark'])}**" if part.get("remark") else ""
    return (
        f"- {', '.join(own)}: {part['runs']} runs, computed in {_duration(part['seconds'])} on "
        f"{escaping.words(' and '.join(part['machines']))}{_published(part)}.{remark}"
    )


def _figure(
    figure: PlannedOutput, experiment: PlannedExperiment, files: Collection[str], captioned: dict[str, str]
) -> list[str]:
    """A figure with its caption and its files; nothing where there are none."""
    name = f"figures/{experiment.paper}/{figure.name}"
    links = [f"[{suffix}]({name}.{suffix})" for suffix in FIGURE_SUFFIXES if f"{name}.{suffix}" in files]
    if not links:
        return []
    title, caption = called.title(figure.name), _caption("figures", figure, captioned)
    picture = [f"![{_alternative(title, figure)}]({name}.png)", ""] if f"{name}.png" in files else []
    about = f"{title}, of experiment {experiment.name}: {', '.join(links)}"
    return ["", f"### {title}", "", *picture, *caption[1:], "", about]


def _alternative(title: str, figure: PlannedOutput) -> str:
    """What a figure shows, for who does not see it: its title and the first sentence of its caption."""
    if figure.kind not in SECTIONS["figures"].names():
        return title
    asked = choice("figures", FigureChoice(name=figure.name, kind=figure.kind, options=figure.options))
    plain = re.sub(r"[`*\[\]]", "", " ".join(asked.captioned().split()))
    first = re.split(r"(?<=[a-z0-9)])[.:;] ", plain)[0].rstrip(".")
    return f"{title}: {first[:1].lower() + first[1:] if first[1:2].islower() else first}"


def _table(table: PlannedOutput, files: Mapping[str, Path], captioned: dict[str, str]) -> list[str]:
    """A table with its caption and its files; its rows too, where they are few, and folded where they are many."""
    links = [f"[{s}](tables/{table.name}.{s})" for s in TABLE_SUFFIXES if f"tables/{table.name}.{s}" in files]
    if not links:
        return []
    title = called.title(table.name)
    lines = ["", f"### {title}", *_caption("tables", table, captioned), ""]
    path = files.get(f"tables/{table.name}.md")
    rows = path.read_text().strip().splitlines() if path is not None and path.is_file() else []
    if len(rows) > SMALL:
        lines += _folded(f"{title}: {len(rows) - 2} rows", rows)
    else:
        lines += rows
    return [*lines, "", f"{title}: {', '.join(links)}"]


def _caption(section: str, output: PlannedOutput, captioned: dict[str, str]) -> list[str]:
    """What a reader has to know, once in a README; nothing of a kind that was given up since.

    ``captioned`` maps the captions so far to the first figure or table that has them, and takes this one.
    """
    if output.kind not in SECTIONS[section].names():
        return []
    asked = choice(section, FigureChoice(name=output.name, kind=output.kind, options=output.options))
    caption = asked.captioned().replace("``", "`")
    first = captioned.setdefault(caption, called.title(output.name))
    return ["", caption if first == called.title(output.name) else f"Its caption is that of {first}."]


def _published(part: Mapping[str, Any]) -> str:
    changes = f" with {escaping.words(part['changed_files'])} changed files" if part["dirty"] else ""
    return f"; published {escaping.words(part['published'])} from {_commit(part['commit'])}{changes}"


def _commit(commit: str | None) -> str:
    return "an unknown commit" if commit is None else f"commit {escaping.code(commit[:12])}"


def _when(made: Mapping[str, Any]) -> str:
    return f"{escaping.words(made['at'])}, from {_commit(made['commit'])}"


def _links(names: Sequence[str]) -> str:
    return ", ".join(f"[{name}]({name})" for name in names)


def _ledger(path: Path | None) -> list[str]:
    """How many settings of each experiment have which verdict, and where the ledger is."""
    if path is None:
        return []
    counts = judged.summary(judged.settings(pd.read_csv(path)))
    if counts.empty:
        return ["", "## Ledger", "", "No run of this set has a budget. [ledger.md](ledger.md) holds verdicts alone."]
    return [
        "",
        "## Ledger",
        "",
        "How many settings' claims hold, by experiment; each setting with what it claims, what an attack reached and "
        "what is proven stands in [ledger.md](ledger.md), every budget of every run in [ledger.json](ledger.json) "
        f"and as a table in {_links([ledger_files.KEPT])}, which `pandas.read_csv` reads as it is.",
        "",
        *table_files.markdown(counts).splitlines(),
    ]


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
