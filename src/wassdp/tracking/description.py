"""What MLflow shows of a run and of an experiment as text: Markdown with the table of budgets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.rounding import rounded
from wassdp.labels import LONGEST as LONGEST_LABEL
from wassdp.ledger import text as ledger_text
from wassdp.ledger.rows import ledger
from wassdp.metric_words import metric_words
from wassdp.pipeline.plan import Plan, PlannedExperiment, PlannedRun
from wassdp.report import escaping
from wassdp.report.frames import ADJACENCIES, SAMPLINGS
from wassdp.result import Result

FIGURES = "figures and tables"
"""Name of the run that holds them, one in each experiment."""
WORDS = {"published": "claimed", "lower": "attacked", "upper": "proven"}
LONGEST = 5000
"""Characters that MLflow allows in a tag of an experiment."""


def of_run(row: PlannedRun, result: Result, headline: str) -> str:
    """A run: its setting, its figures, every budget, and where the rest stands."""
    seed = "of the system" if row.seed is None else row.seed
    proven = [item for item in result.guarantees if item.kind == "upper"][:1]
    name = escaping.words(metric_words(headline))
    said = [f"{name} {result.metrics[headline]:.4g}"] if headline in result.metrics else []
    said += [f"proven ε {_size(item)} at δ = {rounded(item.delta, item.kind, digits=6)}" for item in proven]
    label = row.label if len(row.label) <= LONGEST_LABEL else f"{row.label[: LONGEST_LABEL - 1]}…"
    lines = [f"**{escaping.words(label)}** (seed {seed}): {', '.join(said) or 'no private release'}"]
    if result.guarantees:
        lines += ["", "| budget | by | ε | δ | neighbouring | sampling |", "|---|---|---|---|---|---|"]
    for kind, word in WORDS.items():
        for item in result.guarantees:
            if item.kind == kind:
                cells = [word, escaping.code(item.accountant), f"**{_size(item)}**"]
                cells += [rounded(item.delta, item.kind, digits=6)]
                cells += [ADJACENCIES.get(item.adjacency, item.adjacency), SAMPLINGS.get(item.sampling, item.sampling)]
                lines.append(f"| {' | '.join(cells)} |")
    lines += ["", f"Figures: run *{FIGURES}* of this experiment, under Artifacts."]
    # Last: MLflow takes so many characters and no more, and budgets are not what is to be cut.
    lines += [f"\n*{escaping.words(name)}*: {escaping.words(text)}" for name, text in result.notes.items()]
    return _shown("\n".join(lines))


def _shown(text: str) -> str:
    """Markdown for MLflow, which takes underscores inside a word for emphasis: these are letters, but in code."""
    parts = re.split(r"(`[^`\n]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"(?<=\w)_(?=\w)", "&#95;", part) for part in parts)


def _size(item: Guarantee) -> str:
    return "unbounded" if item.epsilon is None else rounded(item.epsilon, item.kind)


def of_experiments(plan: Plan, found: Mapping[str, Result]) -> dict[str, str]:
    """Experiment to its text: the ledger's table of claimed, attacked and proven budgets, a row for each setting."""
    sections = ledger_text.sections(ledger(plan, found))
    return {item.name: _of_experiment(item, sections.get((item.paper, item.name), [])) for item in plan.experiments}


def _of_experiment(experiment: PlannedExperiment, section: Sequence[str]) -> str:
    head = [
        f"Paper: {experiment.paper}. Kind: {escaping.words(experiment.kind)}. "
        f"Figures and tables: run *{FIGURES}*, under Artifacts. If this page looks empty, choose *Runs* on the left.",
        "",
    ]
    last = "\n\nMore in `results/ledger.md`."
    lines: list[str] = []
    for line in map(_shown, [*head, *section]):
        if line.startswith("<details>"):  # what the ledger folds, MLflow would show unfolded
            break
        if len("\n".join([*lines, line])) > LONGEST - len(last):
            return "\n".join(lines) + last
        lines.append(line)
    return "\n".join(lines).strip()
