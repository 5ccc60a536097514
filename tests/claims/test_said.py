"""What the words of findings and foremost claims say without a figure: recomputed, and refused where it is not so."""

from __future__ import annotations

import csv
import lzma
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from scipy import stats

from wassdp import claims
from wassdp.claims import Above, Below, Finding, NotAbove, Pick, SelectedClaim, Shown
from wassdp.pipeline import plan as plans
from wassdp.publish import foremost
from wassdp.report import picked

RESULTS = Path(__file__).parents[2] / "docs" / "results"
SETS = sorted(path.parent.name for path in plans.kept(RESULTS))
TELLERS: dict[str, Finding | SelectedClaim] = {
    f"{name}-{place}": finding
    for name in SETS
    for place, finding in enumerate(claims.found_in(name), start=1)
    if finding.says
} | {name: claim for name, claim in claims.foremost_claims().items() if claim.says}
SAID = [(name, place) for name, teller in TELLERS.items() for place in range(len(teller.says))]
READ = foremost.reader(RESULTS)
PICKED = [(name, place) for name, place in SAID if isinstance(TELLERS[name].says[place], NotAbove | Above)]


@cache
def rows(name: str) -> list[dict[str, str]]:
    with lzma.open(RESULTS / name / "runs.csv.xz", "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_seed(pick: Pick) -> dict[str, float]:
    wanted = (pick.runs.experiment, pick.runs.setting)
    own = [row for row in rows(pick.runs.set) if (row["experiment"], row["label"]) == wanted]
    return {row["seed"]: float(row[pick.column]) if row[pick.column] else math.inf for row in own}


@cache
def foremost_rows() -> dict[str, dict[str, object]]:
    return {str(row["name"]): dict(row) for row in foremost.table(READ).to_dict("records")}


def number(end: str | float, picks: Mapping[str, Pick]) -> float:
    """A figure by its definition: of upper bounds the largest, of lower ones the smallest, of others the mean."""
    if not isinstance(end, str):
        return end
    values = list(by_seed(picks[end]).values())
    if picks[end].column == "disparate_impact":
        values = [min(value, 1 / value) for value in values]
    if "/upper/" in picks[end].column:
        return max(values)
    return min(values) if "lower/" in picks[end].column else sum(values) / len(values)


def render(teller: Finding | SelectedClaim, runs: picked.Runs) -> object:
    """The page's words of one finding, or the row of one claim."""
    if isinstance(teller, SelectedClaim):
        return foremost._row(teller, runs)
    return picked.refuse_untrue(teller.says, teller.picks, runs)


def test_words_are_there_to_be_judged() -> None:
    assert len(SAID) >= 40
    assert len(PICKED) >= 20


@pytest.mark.parametrize(("name", "place"), SAID)
def test_what_words_say_is_so_by_other_means(name: str, place: int) -> None:
    teller = TELLERS[name]
    said = teller.says[place]
    if isinstance(said, NotAbove | Above):
        first, second = (by_seed(teller.picks[end]) for end in (said.first, said.second))
        assert first.keys() == second.keys()
        seeds = sorted(first)
        test = stats.ttest_rel([first[seed] for seed in seeds], [second[seed] for seed in seeds])
        assert (test.confidence_interval(0.95).low > 0) == isinstance(said, Above)
        return
    at_hand = foremost_rows().get(name, {})
    low, high = (
        float(str(at_hand[end])) if isinstance(end, str) and end not in teller.picks else number(end, teller.picks)
        for end in (said.low, said.high)
    )
    assert said.times * low < high


@pytest.mark.parametrize(("name", "place"), SAID)
def test_corrupted_runs_make_the_words_untrue(name: str, place: int) -> None:
    teller = TELLERS[name]
    said = teller.says[place]
    ends = (said.first, said.second) if isinstance(said, NotAbove | Above) else (said.high, said.low)
    named = next((end for end in ends if end in teller.picks), None)

    def corrupted(shown: Shown) -> pd.DataFrame:
        table = READ(shown).copy()
        # As large as can be where it should not be above or is below, as small where something else is below.
        if named is None:  # both figures are the claim's own
            own = [column for column in table if str(column).startswith(("epsilon/upper/", "epsilon/lower/"))]
            table[own] = 1e12 if said.low in ("proven", "honest") else 1e-12
            return table
        pick = teller.picks[str(named)]
        if pick.runs == shown:
            up = isinstance(said, NotAbove) or (isinstance(said, Below) and named == said.low)
            largest = 1.0 if pick.column == "disparate_impact" else 1e12
            table[pick.column] = table[pick.column].astype(float) * 0 + (largest if up else 1e-12)
        return table

    with pytest.raises(picked.UntrueError, match="the words say"):
        render(teller, corrupted)
