"""A small set whose every free text would do harm if a page, a table or an interface took it for its own marks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wassdp.cli import main
from wassdp.pipeline import plan as plans
from wassdp.result import load_result, save

OWNED = "<script>window.owned=1</script>"
MARKUP = rf'{OWNED} <img src=x onerror="window.owned=2"> a|b `c` [d](javascript:alert(1))'
"""What a browser would run, and what would end a cell or a span of code."""
MARKDOWN = (
    "![e](javascript:alert(2)) {download}`../secret.txt` [f](path:../secret.txt) "
    r"*g* h_i_j &lt;k&gt; \* ~~l~~ \|m <!-- n"
)
"""What Markdown, and the site's reader of it, would take for marks: roles and links that copy files among them."""
MATHS = r"$\input{/etc/passwd}$ \write18{ls} {word} {{ 7 * 7 }} $\def\m{o}\m$"
"""What TeX, Matplotlib and templates would take for theirs."""
TEXT = f"{MARKUP} {MARKDOWN} {MATHS}"
LINES = (
    f"{MARKUP}\n\n# {MARKDOWN}\n| a | b |\n|---|---|\n{MATHS}\n\n"
    "```{include} ../secret.txt\n```\n<!-- site: file README.md -->"
)
FORMULA = '=HYPERLINK("http://127.0.0.1:9/","m")'
STRANGE = "\0\x1b[31m\u202e\u2028"
"""What no terminal and no page should be given: NUL, a colour, an override of the direction, an end of line."""
LONG = "x" * 10_000
MINE, SET = "printed-noise", "hostile"


def line(text: str) -> str:
    """A text as a page has it: in one line."""
    return " ".join(text.split())


def configuration(**changes: Any) -> dict[str, Any]:
    """A configuration of two runs that take no time, whose texts are hostile as far as the schema lets them be."""
    setting = {"delta": 1e-5, "dimension": 16, "projections": 4, "records": 100, "batch": 10, "steps": 2, "sigma": 4.0}
    experiment = {
        "name": MINE,
        "paper": "dp-sliced-wasserstein",
        "kind": "sliced_noise",
        "parameters": {"budgets": [10.0]},
        "grid": {"setting": [setting | {"problem": text} for text in (MARKUP, MARKDOWN, MATHS, FORMULA)]},
        "accountants": ["pld", "swd_bernstein_code"],
        "search": LINES,
        "remarks": [{"text": LINES}, {"text": FORMULA}],
        "compared": {
            "task": "trial",
            "problem": MARKUP,
            "method": MARKDOWN,
            "public": MATHS,
            "objective": {"metric": "sigma/10"},
        },
        "tables": [{"name": "table-4", "kind": "sliced_noise"}, {"name": "ranks", "kind": "head_to_head"}],
        "figures": [{"name": "figure-4", "kind": "head_to_head"}],
    }
    return {"preset": SET, "experiments": [experiment | changes]}


def finished(folder: Path, **changes: Any) -> plans.Plan:
    """A results folder in which all runs of `configuration` are finished."""
    path = folder / "plan.json"
    assert main(["plan", "--json", json.dumps(configuration(**changes)), "--out", str(path)]) == 0
    plan = plans.read(path)
    for row in plan.runs:
        place = folder / "runs" / row.run
        words = ["--plan", str(path), "--out", str(place / "outcome.json")]
        assert main(["run", row.run, *words]) == 0
        words = ["--plan", str(path), "--outcome", str(place / "outcome.json"), "--out", str(place / "result.json")]
        assert main(["account", row.run, *words]) == 0
    return plan


def estranged(folder: Path) -> None:
    """A folder as a stranger might have written it, digests and all: every text in it that is shown is hostile."""
    for path in folder.glob("runs/*/result.json"):
        result = load_result(path)
        marked = {"source": LINES, "assumptions": (TEXT, STRANGE, FORMULA)}
        provenance = {"machine": TEXT, "device": LINES, "commit": MARKUP, "versions": {MARKUP: MARKDOWN}}
        changes = {
            "guarantees": tuple(item.model_copy(update=marked) for item in result.guarantees),
            "notes": {TEXT: LINES, "strange": STRANGE, "long": LONG},
            "metrics": result.metrics | {MARKUP: 1.0},
            "provenance": result.provenance.model_copy(update=provenance),
        }
        save(path, result.model_copy(update=changes))
    plan = json.loads((folder / "plan.json").read_text())
    for row in plan["runs"]:
        row["label"] += f" {STRANGE}"
    (experiment,) = plan["experiments"]
    experiment |= {"kind": MARKUP, "headline": MARKUP, "selection": LINES}
    experiment["remarks"].append({"text": STRANGE + LONG, "where": {}})
    experiment["tables"][0]["caption"] = LINES
    (folder / "plan.json").write_text(json.dumps(plan))
