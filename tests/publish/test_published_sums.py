"""Published bounds of runs that added private records up in single precision say that they are of exact sums."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from wassdp.ledger import files as ledger_files
from wassdp.pipeline import collect, single_sums
from wassdp.pipeline import plan as plans
from wassdp.publish import front
from wassdp.result import Result

SETS = Path(__file__).parents[2] / "docs" / "results"
PLACES = [path.parent for path in plans.kept(SETS)]
RELEASED_ONE_BY_ONE_OR_EXACTLY = {
    ("adaptation", "dp_swd"),
    ("adaptation", "published_dp_swd"),
    ("generation", "sliced"),
    ("generation", "moments"),
    ("generation", "mean_embedding"),  # since its sums are exact
    ("gibbs_accuracy", None),
    ("published_classification", None),
    ("synthetic_gradients", None),
    ("sliced_noise", None),
}
"""Kinds and methods that have an upper bound and need no such note, whatever their version."""


@functools.cache
def _results(place: Path) -> dict[str, Result]:
    return collect.results(plans.read(place / plans.KEPT), place, partial=True)


def _bounds(place: Path) -> pd.DataFrame:
    ledger = pd.read_csv(ledger_files.find(place), low_memory=False)
    return ledger[ledger["kind"] == "upper"].assign(
        says=lambda rows: rows["rests_on"].str.contains(single_sums.SAID, na=False)
    )


def _kind(spec: dict[str, Any]) -> tuple[str, str | None]:
    method = spec["parameters"].get("method")
    return spec["kind"], method.get("name") if isinstance(method, dict) else None


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_a_bound_is_marked_where_its_sums_were_rounded_and_nowhere_else(place: Path) -> None:
    bounds = _bounds(place).groupby("run")["says"].agg(["any", "all"])
    assert (bounds["any"] == bounds["all"]).all(), "all bounds of a run rest on the same sums"
    results = _results(place)
    wanted = {run: single_sums.rounded(results[run]) for run in bounds.index}
    assert bounds["all"].to_dict() == wanted
    unmarked = {_kind(results[run].spec) for run, marked in wanted.items() if not marked}
    later = {_kind(result.spec) for result in results.values() if result.provenance.versions["wassdp"] != "0.1.0"}
    assert unmarked - later <= RELEASED_ONE_BY_ONE_OR_EXACTLY


def test_comparison_and_leaderboard_say_it_too() -> None:
    marked = {run for place in PLACES for run, says in _bounds(place).set_index("run")["says"].items() if says}
    rows = pd.read_csv(SETS / "comparison.csv", keep_default_na=False)
    told = rows["remark"].str.contains(single_sums.SAID)
    assert told.tolist() == [not marked.isdisjoint(runs.split()) for runs in rows["runs"]]
    assert told.any()
    reports = [report for path in SETS.glob("leaderboard/*.yml") for report in yaml.safe_load(path.read_text())]
    notes = [each.get("note", "") for own in reports for claim in own["claims"] for each in claim.get("analyses", [])]
    said = [note for note in notes if single_sums.SAID in note]
    on_board = rows[(rows["task"] == "classification") & (rows["score"] == "accuracy") & told]
    assert len(said) == sum(pd.to_numeric(on_board["epsilon"], errors="coerce") < float("inf"))


def test_the_first_page_marks_such_bounds() -> None:
    assert "‡" in front.INTRODUCTION
    claims = pd.read_csv(SETS / "claims.csv", keep_default_na=False)
    lines = [line for line in (SETS / "README.md").read_text().splitlines() if line.startswith("| ")]
    rows = {line.split(" | ")[0].lstrip("| "): line for line in lines}
    for _, claim in claims.iterrows():
        cells = [cell.strip() for cell in rows[str(claim["place"])].strip("| ").split(" | ")]
        assert (single_sums.SAID in claim["honest_rests_on"]) == cells[6].endswith("‡"), claim["title"]
        if single_sums.SAID in claim["rests_on"]:
            assert cells[4].endswith("‡"), claim["title"]


def test_the_first_page_counts_them() -> None:
    text = (SETS / "README.md").read_text().split("## All sets\n")[1].split("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines() if line.startswith("| [")
    ]
    shown = {row[0][1:].split("]")[0]: [int(number.replace(",", "")) for number in row[3:7]] for row in cells}
    assert sorted(shown) == sorted(place.name for place in PLACES)
    for place in PLACES:
        results = _results(place)
        with_upper = {run for run, result in results.items() if any(each.kind == "upper" for each in result.guarantees)}
        remarks = pd.read_csv(ledger_files.find(place), dtype=str, keep_default_na=False).set_index("run")["remark"]
        noisy = {run for run in with_upper if "drawn in single precision" in " ".join(remarks.loc[[run]])}
        summed = {run for run in with_upper if single_sums.rounded(results[run])}
        assert shown[place.name] == [len(results), len(with_upper), len(noisy), len(summed)], place.name
    totals = [f"{sum(column):,}" for column in zip(*shown.values(), strict=True)]
    (line,) = (line for line in text.splitlines() if line.startswith("| all |"))
    assert [cell.strip() for cell in line.strip("| ").split("|")][3:7] == totals
