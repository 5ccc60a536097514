"""The claims that matter most beside what published runs show: a table of figures, its picture and its Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from wassdp import claims
from wassdp.accounting.rounding import kind_of, of_all, rounded, worst
from wassdp.claims import Finding, Pick, SelectedClaim, Shown
from wassdp.claims.paired_seeds import half_width
from wassdp.files import RUNS, find_table
from wassdp.ledger import files as ledger_files
from wassdp.publish.terms import terms
from wassdp.report import picked
from wassdp.report.frames import relation
from wassdp.report.picked import Runs
from wassdp.report.shares import largest

NO_FINITE = "none finite"
NONE = "–"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def reader(folder: Path, places: Mapping[str, Path] | None = None) -> Runs:
    """Reads published sets, each once, and gives of a setting the same rows each time: nobody may change them.

    Args:
        folder: ``docs/results``.
        places: of sets that are elsewhere.
    """
    tables: dict[str, pd.DataFrame] = {}

    @cache
    def settings(name: str) -> dict[tuple[str, str], list[int]]:
        found: dict[tuple[str, str], list[int]] = {}
        for place, key in enumerate(zip(tables[name]["experiment"], tables[name]["label"], strict=True)):
            found.setdefault(key, []).append(place)
        return found

    @cache
    def runs(shown: Shown) -> pd.DataFrame:
        path = find_table((places or {}).get(shown.set, folder / shown.set), RUNS)
        if shown.set not in tables:
            if not path.is_file():
                raise ValueError(f"set = {shown.set!r}: there is no {path}")
            table = pd.read_csv(path, low_memory=False)
            tables[shown.set] = table.merge(_texts(ledger_files.find(path.parent)), on="run", how="left")
        own = settings(shown.set).get((shown.experiment, shown.setting), [])
        if not own:
            raise ValueError(f"setting = {shown.setting!r}: no run of {shown.experiment} in {path} is called so")
        rows = tables[shown.set].iloc[own]
        return rows.loc[:, rows.notna().any()]

    return runs


def _texts(ledger: Path) -> pd.DataFrame:
    """Of each run the ledger's ``remark``, and under ``rests_on/<kind>/<accountant>`` what a budget rests on."""
    rows = pd.read_csv(ledger, usecols=["run", "kind", "accountant", "rests_on", "remark"]).dropna(subset="accountant")
    rows = rows.assign(budget="rests_on/" + rows["kind"] + "/" + rows["accountant"])
    rows = rows.drop_duplicates(["run", "budget"])
    texts = rows.pivot(index="run", columns="budget", values="rests_on")
    return texts.assign(remark=rows.drop_duplicates("run").set_index("run")["remark"]).reset_index()


def table(runs: Runs) -> pd.DataFrame:
    """A row per claim, in the order of their places; infinite: no finite budget, missing: there is none.

    Columns: ``name``; the claim's own place, paper, where and words; ``title`` and ``finding`` with their figures; of
    the claim and of the runs beside it ``claimed``, ``attacked`` (assuming nothing), ``attacked_family``, ``proven``
    and ``honest``, each ``_delta`` and, but for the claim, ``_relation``; ``printed_accuracy``, ``accuracy`` and
    ``honest_accuracy`` in percent, the last two with ``_reach``, half the width of their interval; of the runs beside
    it ``runs``, where they are published, ``seeds``, ``share``, δ × records, ``selection`` and ``rests_on``, of the
    honest ones the same with ``honest_``; ``attacked_rests_on``; ``unattacked``, ``dishonest``: why something is
    missing.

    Raises:
        ValueError: runs or a figure that a claim names are not there, or its words say what the runs do not show.
    """
    rows = []
    for name, claim in claims.foremost_claims().items():
        try:
            rows.append({"name": name} | _row(claim, runs))
        except picked.UntrueError as error:
            raise picked.UntrueError(f"claim {name}: {error}") from None
    return pd.DataFrame(rows)


def _row(claim: SelectedClaim, runs: Runs) -> dict[str, Any]:
    same = runs(claim.same)
    row: dict[str, Any] = {key: getattr(claim, key) for key in ("place", "paper", "where", "words")}
    row |= _claimed(claim, same)
    row |= _shown("", claim.same, same)
    rests_on = []
    for name, family in (("attacked", False), ("attacked_family", True)):
        found, texts = _attacked(name, same, family=family)
        row |= found
        rests_on += texts
    row["attacked_rests_on"] = "; ".join(dict.fromkeys(rests_on))
    row |= {"proven": row.pop("epsilon"), "proven_delta": row.pop("delta"), "proven_relation": row.pop("relation")}
    row["printed_accuracy"] = math.nan if claim.accuracy is None else claims.printed_value(claim.accuracy).printed
    missing = math.isnan(row["attacked"]) and math.isnan(row["attacked_family"])
    if missing and not claim.unattacked:
        raise ValueError(f"setting = {claim.same.setting!r}: its runs have no lower bound, and the claim says not why")
    row["unattacked"] = claim.unattacked if missing else ""
    honest: dict[str, Any] = {"honest": math.nan}
    if isinstance(claim.honest, Shown):
        honest = _shown("honest_", claim.honest, runs(claim.honest))
        honest["honest"] = honest.pop("honest_epsilon")
    row |= {"dishonest": claim.honest if isinstance(claim.honest, str) else ""} | honest
    figures = words(row) | _picked(claim.picks, runs) | _counted(claim, runs)
    at_hand = ("claimed", "attacked", "attacked_family", "proven", "honest", "accuracy", "honest_accuracy")
    picked.refuse_untrue(claim.says, claim.picks, runs, {name: row.get(name, math.nan) for name in at_hand})
    return row | {name: _filled(getattr(claim, name), figures) for name in ("title", "finding")}


def findings(name: str, runs: Runs, *, partial: bool = False) -> list[str]:
    """What was found in a published set, each as a sentence with its figures, and what they rest on (`terms`).

    Args:
        name: of the set.
        runs: reads it.
        partial: leave out what needs runs that are not there.

    Raises:
        ValueError: runs or a figure that a finding names are not there, or its words say what the runs do not show
            (the latter in part, too).
    """
    found = []
    for place, finding in enumerate(claims.found_in(name), start=1):
        try:
            text = _filled(finding.text, _picked(finding.picks, runs) | _counted(finding, runs))
            text = f"{text} {terms(finding.picks, runs)}".rstrip()
            picked.refuse_untrue(finding.says, finding.picks, runs)
        except picked.UntrueError as error:
            raise picked.UntrueError(f"finding {place} of {name}: {error}") from None
        except ValueError:
            if not partial:
                raise
            continue
        found.append(text)
    return found


def _filled(text: str, figures: Mapping[str, str]) -> str:
    rendered: str = jinja2.Template(text, undefined=jinja2.StrictUndefined).render(figures)
    return rendered


def _claimed(claim: SelectedClaim, same: pd.DataFrame) -> dict[str, Any]:
    if isinstance(claim.claimed, str):
        label = f"published/{claim.claimed}"
        return {
            "claimed": worst(picked.column(same, f"epsilon/{label}"), "published"),
            "claimed_delta": float(picked.column(same, f"delta/{label}").max()),
            "claimed_by": f"not printed, by its formula for these runs ({claim.claimed})",
        }
    value = claims.printed_value(claim.claimed)
    return {"claimed": value.printed, "claimed_delta": value.delta, "claimed_by": "as printed"}


def _shown(prefix: str, shown: Shown, rows: pd.DataFrame) -> dict[str, Any]:
    """The best proven budget of some runs, their accuracy and their seeds.

    Raises:
        ValueError: none is proven, or under several relations, or a run lacks the accuracy.
    """
    proven = [column for column in map(str, rows) if column.startswith("epsilon/upper/")]
    if not proven:
        raise ValueError(f"setting = {shown.setting!r}: its runs have no proven budget")
    bounds = {column: of_all(rows[column].astype(float), "upper") for column in proven}
    best = min(bounds, key=lambda column: bounds[column])
    told = {key: _one(shown, rows, best.replace("epsilon", key, 1)) for key in ("delta", "adjacency", "sampling")}
    notes = [rows[name].dropna() for name in (best.replace("epsilon", "rests_on", 1), "remark") if name in rows]
    scores = pd.Series([math.nan]) if shown.accuracy is None else picked.column(rows, shown.accuracy)
    return {
        f"{prefix}epsilon": bounds[best],
        f"{prefix}delta": float(told["delta"]),
        f"{prefix}relation": relation(told["adjacency"], told["sampling"]),
        f"{prefix}accuracy": 100 * float(scores.mean(skipna=False)),
        f"{prefix}accuracy_reach": 100 * half_width(scores.tolist()),
        f"{prefix}seeds": int(rows["seed"].nunique()),
        f"{prefix}share": largest(rows, best.removeprefix("epsilon/")),
        f"{prefix}selection": "; ".join(dict.fromkeys(map(str, rows["selection"]))),
        f"{prefix}rests_on": "; ".join(dict.fromkeys(text for part in notes for text in part)),
        f"{prefix}runs": f"{shown.set}: {shown.experiment}, {shown.setting}",
    }


def _one(shown: Shown, rows: pd.DataFrame, column: str) -> Any:
    """What the runs that have anything in a column have there: a budget of several kinds is none of the setting's."""
    found = list(dict.fromkeys(rows[column].dropna()))
    if len(found) != 1:
        said = ", ".join(map(str, found)) or "none"
        raise ValueError(f"setting = {shown.setting!r}: its runs have {column} {said}; must have one")
    return found[0]


def _attacked(name: str, rows: pd.DataFrame, *, family: bool) -> tuple[dict[str, float], list[str]]:
    """The best lower bound of one kind, its δ, and what it rests on."""
    lower = [column for column in map(str, rows) if column.startswith("epsilon/lower/")]
    own = [column for column in lower if column.endswith("_family") == family]
    values = {
        column: float(rows[column].astype(float).min()) for column in own if (rows[column].astype(float) > 0).all()
    }
    if not values:
        return {name: math.nan, f"{name}_delta": math.nan}, []
    best = max(values, key=lambda column: values[column])
    told = best.replace("epsilon", "rests_on", 1)
    texts = list(rows[told].dropna()) if told in rows else []
    return {name: values[best], f"{name}_delta": float(rows[best.replace("epsilon", "delta", 1)].min())}, texts


def _picked(picks: Mapping[str, Pick], runs: Runs) -> dict[str, str]:
    return {name: _shown_pick(pick, runs) for name, pick in picks.items()}


def _shown_pick(pick: Pick, runs: Runs) -> str:
    value = picked.value(pick, runs)
    if pick.column.startswith("accuracy"):
        return percent(100 * value)
    return rounded(value, kind_of(pick.column), infinite=NO_FINITE)


def _counted(said: Finding | SelectedClaim, runs: Runs) -> dict[str, str]:
    counts = {name: picked.seeds(own, said.picks, runs) for name, own in said.seeds.items()}
    return {
        name: f"{NUMBERS[count] if count < len(NUMBERS) else count} seed{'s' if count != 1 else ''}"
        for name, count in counts.items()
    }


def percent(value: float) -> str:
    """A share of a hundred with one decimal; a dash where there is none.

    >>> percent(72.01), percent(73.0), percent(math.nan)
    ('72.0', '73.0', '–')
    """
    return NONE if math.isnan(value) else f"{value:.1f}"


def words(row: Mapping[str, Any] | pd.Series[Any]) -> dict[str, str]:
    """The figures of a row as text, each rounded as its kind asks."""
    attacked = [rounded(row["attacked"], "lower")] if row["attacked"] > 0 else []
    attacked += [f"{rounded(row['attacked_family'], 'lower')} by a family"] if row["attacked_family"] > 0 else []
    return {
        "claimed": rounded(row["claimed"], "published"),
        "attacked": "; ".join(attacked) or NONE,
        "proven": rounded(row["proven"], "upper", infinite=NO_FINITE),
        "honest": NONE if math.isnan(row["honest"]) else rounded(row["honest"], "upper", infinite=NO_FINITE),
        "printed_accuracy": NONE if math.isnan(row["printed_accuracy"]) else f"{row['printed_accuracy']:g}",
        "accuracy": percent(row["accuracy"]),
        "honest_accuracy": percent(row.get("honest_accuracy", math.nan)),
    }
