"""The first page of all published sets: the claims that matter, their picture, and an index; and the README's part."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl

from wassdp.files import write_text
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.report import foremost, foremost_figure, foremost_text, style

BEGIN, END = (
    "<!-- claims: written by `wassdp publish --front`; a test compares them with the data -->",
    "<!-- /claims -->",
)
INTRODUCTION = (
    "*Claimed*: the paper's ε. *Proven*: an upper bound that a theorem proves for runs that do as the paper says, in "
    "bold where it is above the claim. *Attacked*: what a measurement reached at least on the same runs; a dash where "
    "none was made, with the reason below. *Honest noise*: another run at a proven ε, and what it is good for. "
    "Accuracies are means over seeds, on test records. Each ε is that of one run, at its own δ and neighbouring "
    "relation, which stand with each claim; the search that chose settings is in no ε."
)


def write(folder: Path, readme: Path | None = None) -> list[Path]:
    """Write ``README.md`` and ``claims.svg``, ``.png``, ``.csv`` of a folder of published sets.

    Args:
        folder: ``docs/results``.
        readme: a page whose part between two comments takes the same rows; None for none.

    Returns:
        The files that were written.

    Raises:
        ValueError: runs that a claim names are not published, or ``readme`` has no such part.
    """
    mpl.use("agg")
    table = foremost.table(foremost.reader(folder))
    rows = foremost_text.rows(table)
    page = None if readme is None else _with_rows(readme, rows)
    style.save(*foremost_figure.draw(table), folder / foremost_figure.STEM)
    lines = [
        "# Published results",
        "",
        "## The claims that matter",
        "",
        f"![Claimed, attacked, proven and honest budgets of {len(table)} claims]({foremost_figure.STEM}.png)",
        "",
        *rows,
        "",
        INTRODUCTION,
        "",
        f"Every figure here is read from the sets below: [{foremost_figure.STEM}.csv]({foremost_figure.STEM}.csv)"
        " holds them in full. This page was written by `wassdp publish --front`.",
        "",
        "## All sets",
        "",
        *index(folder),
        "",
        "[comparison.html](comparison.html) sorts and filters every method at equal budgets, with budgets, relations, "
        "tuning, seeds, costs and the runs behind each row ([comparison.csv](comparison.csv): the same rows). "
        "[leaderboard](leaderboard) has the classifications in the form of the community's list of private learning.",
        "",
        "## Each claim",
        "",
        *foremost_text.details(table),
    ]
    write_text(folder / "README.md", "\n".join(lines).rstrip() + "\n")
    written = [folder / "README.md", *(folder / f"{foremost_figure.STEM}.{suffix}" for suffix in ("svg", "png", "csv"))]
    if readme is not None and page is not None:
        write_text(readme, page)
        written.append(readme)
    return written


def index(folder: Path) -> list[str]:
    """A row for each published set: its experiments, runs, and seeds of those configured."""
    lines = ["| set | papers | experiments | runs | seeds of plan, by experiment |", "|---|---|---:|---:|---|"]
    for path in sorted(folder.glob("*/plan.json")):
        place = path.parent
        plan, finished = plans.read(path), set(stored.vouched(place))
        papers = ", ".join(dict.fromkeys(experiment.paper for experiment in plan.experiments))
        count = len({row.run for row in plan.runs if row.run in finished})
        seeds: dict[str, int] = {}
        for experiment in plan.experiments:
            own = {row.seed for row in plan.runs if row.experiment == experiment.name and row.run in finished}
            configured = "?" if experiment.seeds is None else str(len(experiment.seeds))
            key = f"{len(own)} of {configured}"
            seeds[key] = seeds.get(key, 0) + 1
        shown = ", ".join(f"{key} ({number}×)" for key, number in sorted(seeds.items(), key=lambda item: -item[1]))
        lines.append(
            f"| [{place.name}]({place.name}/README.md) | {papers} | {len(plan.experiments)} | {count} | {shown} |"
        )
    return lines


def _with_rows(readme: Path, rows: list[str]) -> str:
    """The page with these rows in their place."""
    text = readme.read_text()
    pattern = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", flags=re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"{readme}: must have the lines {BEGIN} and {END} once, for the rows of the claims")
    return pattern.sub(lambda _: "\n".join([BEGIN, "", *rows, "", END]), text)
