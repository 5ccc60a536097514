"""The ledger: one row per run and budget, saying what is claimed, by which formula, and what it rests on.

A run that put a published statement to the test has a row for its verdict, and one that released nothing of the
private side, for comparison, a row without a budget. `wassdp.ledger.text` makes it readable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from wassdp import claims
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.large_delta import LARGE_SHARE, large
from wassdp.accounting.rounding import rounded
from wassdp.files import json_lines
from wassdp.pipeline.collect import amended, records
from wassdp.pipeline.plan import Plan, PlannedExperiment, PlannedRun
from wassdp.result import Result, is_control
from wassdp.selection import NOT_RECORDED

EPSILON = "epsilon_of_one_run"
PAPERS_CLAIM = "papers_claim"  # whether the row is what the paper claims; other published figures stand beside it
ACCURACY = "accuracy"  # the headline of kinds that declare none, and in plans that are older than the declaration
COLUMNS = (
    "paper",
    "experiment",
    "run",
    "label",
    "seed",
    "kind",
    "accountant",
    "claim",
    PAPERS_CLAIM,
    EPSILON,
    "epsilon_error",
    "delta",
    "records",
    "delta_times_records",
    "delta_mark",
    "adjacency",
    "sampling",
    "accuracy",
    "headline",
    "headline_value",
    "source",
    "rests_on",
    "search",
    "selection",
    "remark",
    "seeds_present",
    "seeds_configured",
    "plan_cut",
)

TEXTS = (
    *("paper", "experiment", "label", "kind", "accountant", "claim", "adjacency", "sampling", "headline", "selection"),
    *("delta_mark", "source", "rests_on", "search", "remark", "plan_cut"),
)
"""Columns whose texts many rows share."""

CLAIM = "claim"  # kind of a row that is a verdict, not a budget
CONTROL = "control"  # kind of a row that says that there is no budget, since nothing private was released

MEANING = {
    "upper": "upper bound: a theorem proves it",
    "lower": "lower bound: an attack measured it",
    "published": "published: the paper's own formula, whatever it proves",
}

NO_BUDGET = "no budget: a control, whose releases are its noise alone and hold nothing of the private side"
COVERS = (
    "A row is the budget of one run. Runs that read the same records compose: what all of them give away together, "
    "several seeds of one setting for instance, costs up to the sum of their ε at the sum of their δ; no row says so. "
    "Sums over private records are in double precision, whose rounding adds to what one record moves by so little that "
    "no row has it (docs/threat-model.md says how much); rows of runs that summed in single precision rest on exact "
    "sums, and say so. The number of records is taken as public, under add/remove too: it sets rates and divisors, and "
    "results name it"
)


def ledger(plan: Plan, found: Mapping[str, Result]) -> pd.DataFrame:
    """One row per run and budget, upper bounds before lower bounds before published figures; one per verdict.

    Column ``epsilon_of_one_run`` is the budget of that run alone, ``headline_value`` the one metric by which its kind
    says how good it is, and ``headline`` that metric's name. What neither plan nor result holds, since they are
    older than its record, is "not recorded" or missing.
    """
    experiments = {experiment.name: experiment for experiment in plan.experiments}
    present, cut = _seeds(plan, found), _cut(plan)
    rows: list[dict[str, Any]] = []
    for planned in plan.runs:
        result = found.get(planned.run)
        if result is None:
            continue
        experiment = experiments.get(planned.experiment)
        headline = (experiment.headline if experiment else None) or ACCURACY
        about = _about(planned, experiment) | {
            "plan_cut": cut.get(planned.experiment, NOT_RECORDED),
            ACCURACY: result.metrics.get(ACCURACY),
            "headline": headline,
            "headline_value": result.metrics.get(headline),
            "seeds_present": present[planned.experiment, planned.label],
        }
        budgets = amended(result).guarantees
        claimed = _claimed(budgets, experiment)
        for item in sorted(budgets, key=lambda item: list(MEANING).index(item.kind)):
            rows.append(about | _budget(item, records(result)) | {PAPERS_CLAIM: item is claimed})
        if is_control(result):
            rows.append(about | {"kind": CONTROL, "accountant": CONTROL, "claim": NO_BUDGET, "rests_on": NO_BUDGET})
        if "claim_holds" in result.metrics:
            rows.append(about | _verdict(planned, result))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def as_json(frame: pd.DataFrame, *, preset: str, remark: str | None = None) -> str:
    """The ledger as JSON: names of ``columns``, and ``rows``, each a list in a line; unbounded budgets are null.

    Long texts of many rows stand once, in ``texts`` by column; such a column of a row holds the place of its text.
    """
    # Through objects, since text of a fixed number of decimals could fall below a proven figure.
    known = frame.astype(object).where(frame.notna(), None)
    texts = {name: list(dict.fromkeys(known[name])) for name in TEXTS}
    for name, own in texts.items():
        known[name] = known[name].map({text: place for place, text in enumerate(own)})
    head = {"preset": preset} | ({"remark": remark} if remark else {}) | {"covers": COVERS, "columns": [*frame.columns]}
    return json_lines(head | {"texts": texts, "rows": known.to_numpy().tolist()})


def _claimed(budgets: Sequence[Guarantee], experiment: PlannedExperiment | None) -> Guarantee | None:
    """The one that the paper claims: that of the accountant which the experiment names, else the first published."""
    published = [item for item in budgets if item.kind == "published"]
    named = [item for item in published if experiment is not None and item.accountant == experiment.claim]
    return next(iter([*named, *published]), None)


def _seeds(plan: Plan, found: Mapping[str, Result]) -> dict[tuple[str, str], int]:
    """By experiment and setting, how many seeds there are results of."""
    seeds: dict[tuple[str, str], set[int | None]] = {}
    for row in plan.runs:
        own = seeds.setdefault((row.experiment, row.label), set())
        if row.run in found:
            own.add(row.seed)
    return {key: len(own) for key, own in seeds.items()}


def _about(planned: PlannedRun, experiment: PlannedExperiment | None) -> dict[str, Any]:
    """What every row of a run says of it, whatever its budgets."""
    remarks = [] if experiment is None else [each.text for each in experiment.remarks if each.concerns(planned.spec)]
    return {
        "paper": planned.paper,
        "experiment": planned.experiment,
        "run": planned.run,
        "label": planned.label,
        "seed": planned.seed,
        "search": NOT_RECORDED if experiment is None or experiment.search is None else experiment.search,
        "selection": (experiment.selection if experiment else None) or NOT_RECORDED,
        "remark": "; ".join(remarks),
        "seeds_configured": None if experiment is None or experiment.seeds is None else len(experiment.seeds),
    }


def _cut(plan: Plan) -> dict[str, str]:
    """By experiment, whether the plan has all runs of its configuration, in words; empty if it has."""
    rows = Counter(row.experiment for row in plan.runs)
    wanted = {each.name: each.configured_runs for each in plan.experiments if each.configured_runs is not None}
    return {
        name: "" if rows[name] >= count else f"{rows[name]} of {count} configured runs"
        for name, count in wanted.items()
    }


def _budget(item: Guarantee, known: int | None) -> dict[str, Any]:
    share = None if known is None else known * item.delta
    return {
        "kind": item.kind,
        "accountant": item.accountant,
        "claim": _claim(item),
        EPSILON: item.epsilon,
        "epsilon_error": item.epsilon_error,
        "delta": item.delta,
        "records": known,
        "delta_times_records": share,
        "delta_mark": _mark(share),
        "adjacency": item.adjacency,
        "sampling": item.sampling,
        "source": item.source,
        "rests_on": "; ".join(item.assumptions),
    }


def _mark(share: float | None) -> str:
    """What is to be said of δ × records; empty where nothing is."""
    if share is None:
        return f"records {NOT_RECORDED}"
    if not large(share):
        return ""
    return f"δ × records is above {LARGE_SHARE:g}: a mechanism that gives away so many records whole keeps this δ"


def _verdict(planned: PlannedRun, result: Result) -> dict[str, Any]:
    name = planned.spec["parameters"]["claim"]
    claim = claims.claim(name)
    stated = f"{claim.statement} ({claim.formula})" if claim.formula else claim.statement
    found = [f"{result.notes[key]}" for key in ("verdict", "figure") if key in result.notes]
    smallest = [f"smallest: {result.notes['counterexample']}"] if "counterexample" in result.notes else []
    return {
        "kind": CLAIM,
        "accountant": name,
        "claim": f"{stated}: {'; '.join([': '.join(found) or _unsaid(result), *smallest])}",
        "source": claim.where,
        ACCURACY: None,
        "headline_value": None,
    }


def _unsaid(result: Result) -> str:
    """The verdict of a result that is older than its words."""
    verdict = "holds here" if result.metrics["claim_holds"] else "refuted"
    tried = int(result.metrics["claim_tried"])
    return f"{verdict}: largest found / stated {result.metrics['claim_ratio']:.3g} in {tried} cases"


def _claim(item: Guarantee) -> str:
    if item.epsilon is None:
        return "no finite budget"
    relation = {"upper": "≤", "lower": "≥", "published": "stated as"}[item.kind]
    delta = rounded(item.delta, item.kind, digits=6)
    return f"ε {relation} {rounded(item.epsilon, item.kind)} at δ = {delta}, one run"
