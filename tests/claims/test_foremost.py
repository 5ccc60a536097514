"""The claims that matter: each leads to what a paper prints and to runs that are published, and to nothing else."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wassdp import claims
from wassdp.claims import Shown
from wassdp.publish import foremost, foremost_figure, foremost_text

ROOT = Path(__file__).parents[2]
SETS = ROOT / "docs" / "results"
CLAIMS = claims.foremost_claims()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return foremost.table(foremost.reader(SETS))


def test_places_are_one_to_ten() -> None:
    assert [claim.place for claim in CLAIMS.values()] == list(range(1, 11))


@pytest.mark.parametrize("name", CLAIMS)
def test_no_claim_holds_a_figure_of_its_own(name: str) -> None:
    """A number in a sentence is the paper's, or a name: of a figure's order, of a data set, of another claim."""
    claim = CLAIMS[name]
    for text in (claim.title, re.sub(r"\{\{.*?\}\}", "", claim.finding)):
        bare = re.sub(
            r"CIFAR-10|100 noisy steps|\d+ epochs|[Oo]rder 1|distance 1|P\(A\) = 1/\(1|bound is 1|claim \d", "", text
        )
        assert not re.search(r"\d", bare), bare


@pytest.mark.parametrize("name", CLAIMS)
def test_the_words_are_the_papers(name: str) -> None:
    assert 20 < len(CLAIMS[name].words) < 300
    assert CLAIMS[name].where


def test_every_figure_is_that_of_the_named_runs(table: pd.DataFrame) -> None:
    for name, claim in CLAIMS.items():
        row = table.set_index("name").loc[name]
        runs = pd.read_csv(SETS / claim.same.set / "runs.csv.xz", low_memory=False)
        same = runs[(runs["experiment"] == claim.same.experiment) & (runs["label"] == claim.same.setting)]
        upper = same.filter(like="epsilon/upper/").dropna(axis=1, how="all").astype(float)
        assert row["proven"] == upper.max().min()
        assert row["seeds"] == same["seed"].nunique()
        if isinstance(claim.claimed, str):
            assert row["claimed"] == pytest.approx(same[f"epsilon/published/{claim.claimed}"].mean())
        else:
            assert row["claimed"] == claims.printed_value(claim.claimed).printed
        if not row["unattacked"]:
            assert 0 < row[["attacked", "attacked_family"]].max() <= row["proven"]


def test_no_bound_is_shown_better_than_it_is(table: pd.DataFrame) -> None:
    for _, row in table.iterrows():
        shown = foremost.words(row)
        for name in ("proven", "honest"):
            if math.isfinite(row[name]):
                assert float(shown[name]) >= row[name]
        if row["attacked_family"] > 0:
            assert float(shown["attacked"].removesuffix(" by a family")) <= row["attacked_family"]


def test_a_proven_budget_above_the_claim_is_bold_and_no_other(table: pd.DataFrame) -> None:
    head, _, *rows = foremost_text.rows(table)
    assert head.count("|") == rows[0].count("|")
    for text, (_, row) in zip(rows, table.iterrows(), strict=True):
        assert ("**" in text) == (row["proven"] > row["claimed"])


def test_marks_stand_where_the_table_says(table: pd.DataFrame) -> None:
    figure, _ = foremost_figure.draw(table)
    (axis,) = figure.axes
    shown = {(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in axis.lines}
    for place, (_, row) in enumerate(table.iterrows()):
        for name in foremost_figure.LOOKS:
            if row[name] > 0 and math.isfinite(row[name]):
                assert (row[name], place) in shown
    left, right = axis.get_xlim()
    assert all(left < value < right for value, _ in shown)


def test_the_picture_says_what_the_table_says(table: pd.DataFrame) -> None:
    """As many digits: two roundings up of one bound would be two budgets."""
    figure, _ = foremost_figure.draw(table)
    drawn = {text.get_text().split(":")[0] for text in figure.axes[0].texts}
    for _, row in table[np.isfinite(table["proven"])].iterrows():
        shown = foremost.words(row)["proven"]
        mantissa, _, exponent = shown.partition("e+")
        assert (f"${mantissa}\\times10^{{{int(exponent)}}}$" if exponent else mantissa) in drawn


def test_a_run_that_is_not_published_is_refused() -> None:
    runs = foremost.reader(SETS)
    with pytest.raises(ValueError, match="setting = 'none': no run of composition"):
        runs(Shown(set="wasserstein-dp", experiment="composition", setting="none"))
    with pytest.raises(ValueError, match="set = 'nowhere'"):
        runs(Shown(set="nowhere", experiment="composition", setting="none"))
