"""The first page of all published sets: the claims that matter, their picture, and an index; and the README's part."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import pandas as pd

from wassdp.files import write_text
from wassdp.ledger import files as ledger_files
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.publish import foremost, foremost_figure, foremost_text
from wassdp.publish.index import counted_seeds
from wassdp.report import called, style

BEGIN, END = (
    "<!-- claims: written by `wassdp publish --front`; a test compares them with the data -->",
    "<!-- /claims -->",
)
LANDING = Path("workflow") / "report" / "landing.rst"
"""The workflow's report begins with it; beside a page that takes the rows it takes them too."""
LANDING_BEGIN, LANDING_END = (".. The rows of `wassdp publish --front`.", ".. End of the rows.")
INTRODUCTION = (
    "*Claimed*: the paper's ε, or what its formula gives where none is printed. *Proven*: an upper bound that a "
    "theorem proves for runs that do as the paper says, and as its authors' code does where it leaves something open "
    "(the noise of rows 1 to 3 and 5, which is not printed), in bold where it is above the claim. *Attacked*: what a "
    "measurement on the release of such a run reached at least; a dash where none was made, with the reason below. "
    "*Honest noise*: another run at a proven ε, and what it is good for. Accuracies are means over seeds, on test "
    "records, with half the width of Student's 95 % interval where there are several; † marks those of settings that "
    "test accuracies had a part in, or of which nobody wrote down how they were chosen: they may be too good. ‡, where "
    "a row has it, marks a bound of what today's code does and older runs did not: noise without rounding, or sums "
    "without it, where theirs were drawn, or added up, in single precision, so that records chosen for it move what "
    "was released by more ([theory 11](../theory.md#11-noise-as-a-computer-draws-it)). Each ε is that of one run, at "
    "its own δ and neighbouring relation, which stand with each claim; the search that chose settings is in no ε."
)

SEEDS = (
    "*3 of 3 (5×), 1 to 3 of 10 (2×)*: in five experiments every setting has its three configured seeds; in two more "
    "settings have one to three finished seeds of the ten configured. *Upper*: runs of which the ledger has an upper "
    "bound, finite or not; ‡ as above, those whose own noise, or sums, were in single precision."
)


def write(folder: Path, readme: Path | None = None) -> list[Path]:
    """Write ``README.md`` and ``claims.svg``, ``.png``, ``.csv`` of a folder of published sets.

    Args:
        folder: ``docs/results``.
        readme: a page whose part between two comments takes the same rows, and with it the first text of the
            workflow's report, if there is one beside it (`LANDING`); None for none.

    Returns:
        The files that were written.

    Raises:
        ValueError: runs that a claim names are not published, or ``readme`` has no such part.
    """
    mpl.use("agg")
    table = foremost.table(foremost.reader(folder))
    rows = foremost_text.rows(table)
    pages: dict[Path, str] = {}
    if readme is not None:
        pages[readme] = _with_rows(readme, BEGIN, rows, END)
        if (landing := readme.parent / LANDING).is_file():
            pages[landing] = _with_rows(landing, LANDING_BEGIN, foremost_text.landing(table), LANDING_END)
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
        SEEDS,
        "",
        "[Coverage](../coverage.md) has every figure, table and theorem of the papers: reproduced or not, in which "
        "set, and what came out.",
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
    for path, page in pages.items():
        write_text(path, page)
    return [*written, *pages]


def index(folder: Path) -> list[str]:
    """A row for each published set: its experiments, runs, upper bounds, and seeds of those configured."""
    lines = [
        "| set | papers | experiments | runs | upper | noise ‡ | sums ‡ "
        "| experiments by seeds finished, of those configured |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    totals = [0] * 5
    for path in plans.kept(folder):
        place = path.parent
        plan, finished = plans.read(path), set(stored.vouched(place))
        papers = ", ".join(dict.fromkeys(called.title(experiment.paper) for experiment in plan.experiments))
        own = [len(plan.experiments), len({row.run for row in plan.runs if row.run in finished}), *_upper(place)]
        totals = [total + number for total, number in zip(totals, own, strict=True)]
        seeds: dict[str, int] = {}
        for experiment in plan.experiments:
            rows = [row for row in plan.runs if row.experiment == experiment.name and row.run in finished]
            key = counted_seeds(rows, experiment)
            seeds[key] = seeds.get(key, 0) + 1
        shown = ", ".join(f"{key} ({number}×)" for key, number in sorted(seeds.items(), key=lambda item: -item[1]))
        numbers = " | ".join(map(str, own))
        lines.append(f"| [{place.name}]({place.name}/README.md) | {papers} | {numbers} | {shown} |")
    return [*lines, f"| all | | {' | '.join(f'{total:,}' for total in totals)} | |"]


def _upper(place: Path) -> list[int]:
    """Runs of a set with an upper bound; of these, those whose noise, and those whose sums, had single precision."""
    columns = ["run", "kind", "rests_on", "remark"]
    ledger = pd.read_csv(ledger_files.find(place), usecols=columns, dtype=str, keep_default_na=False)
    upper = ledger[ledger["kind"] == "upper"]
    said = upper["rests_on"] + "; " + upper["remark"]
    rounded = [upper.loc[said.str.contains(words, regex=False), "run"] for words in foremost_text.IDEAL]
    return [runs.nunique() for runs in (upper["run"], *rounded)]


def _with_rows(page: Path, begin: str, rows: list[str], end: str) -> str:
    """The page with these rows in their place."""
    text = page.read_text()
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", flags=re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"{page}: must have the lines {begin} and {end} once, for the rows of the claims")
    return pattern.sub(lambda _: "\n".join([begin, "", *rows, "", end]), text)
