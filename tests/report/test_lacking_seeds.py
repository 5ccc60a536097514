"""A mean over seeds is one of all of them: where a seed lacks its share there is none, and nobody ranks or says one."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from wassdp.claims import Pick, Shown
from wassdp.publish import comparison_rows, foremost, leaderboard
from wassdp.report import fair, picked, ranks, seeds
from wassdp.report.fair import arranged, budget, means, summary
from wassdp.report.figures.fair_outputs import FairOutputs
from wassdp.report.figures.fairness_trade_off import FairnessTradeOff
from wassdp.report.tables.membership import COLUMNS, MembershipTable

# Three seeds; the second and the third decide for nobody, and have no disparate impact (`wassdp.fairness.measures`).
FAIR = pd.DataFrame(
    {
        "run": ["a", "b", "c"],
        "seed": [0, 1, 2],
        "label": "x",
        fair.ALPHA: 0.5,
        fair.EPSILON: 1.0,
        "accuracy": [0.7, 0.8, 0.9],
        "disparate_impact": [0.95, math.nan, math.nan],
    }
)
WHOLE = FAIR.assign(**{"run": ["d", "e", "f"], fair.ALPHA: 0.0, "disparate_impact": [0.5, 0.6, 0.7]})
IMPACT = ["disparate_impact", "disparate_impact_least", "disparate_impact_most"]
SHOWN = Shown(set="s", experiment="e", setting="x", accuracy="accuracy")


def test_a_fair_measure_that_a_seed_lacks_has_no_mean_and_no_range() -> None:
    assert means(FAIR, [("ACC", "accuracy"), ("DI", "disparate_impact")]) == "ACC\xa00.8, DI\xa0–"
    table = summary(arranged(pd.concat([WHOLE, FAIR])), ["disparate_impact"])
    whole, lacking = table.to_dict("records")
    assert lacking["seeds"] == whole["seeds"] == 3
    assert all(math.isnan(lacking[name]) for name in IMPACT)
    assert [whole[name] for name in IMPACT] == [pytest.approx(0.6), 0.5, 0.7]


def test_the_trade_off_has_no_mark_there_and_says_so() -> None:
    figure, data = FairnessTradeOff().draw(pd.concat([FAIR, WHOLE]), pd.DataFrame())
    assert data["disparate_impact"].isna().sum() == 1
    assert "1 without a mark: a seed lacks it" in figure.axes[0].get_xlabel()
    assert [text.get_text() for text in figure.axes[0].texts] == ["0"]
    assert "without a mark" not in FairnessTradeOff().draw(WHOLE, pd.DataFrame())[0].axes[0].get_xlabel()


def test_the_numbers_above_a_panel_are_of_all_seeds() -> None:
    points = {"metric": ["score/0", "score/1"], "axis": "score", "position": 0.5, "value": 1.0}
    _, data = FairOutputs().draw(FAIR, pd.DataFrame({"run": "a"} | points))
    above = data[data["axis"] == "measure"].set_index("coordinate")["value"]
    assert above["accuracy"] == pytest.approx(0.8)
    assert math.isnan(above["disparate_impact"])


PROVEN, AS_PUBLISHED = fair.PROVEN, fair.PROVEN_AS_PUBLISHED


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({PROVEN: [1.0, 1.0, 1.0], AS_PUBLISHED: [2.0, 2.0, 2.0]}, "1.00 (published sensitivity: 2.00)"),
        ({PROVEN: [1.0, 1.0, math.nan]}, r"$\infty$"),
        ({PROVEN: [1.0] * 3, AS_PUBLISHED: [2.0, 2.0, math.nan]}, r"1.00 (published sensitivity: $\infty$)"),
    ],
)
def test_a_proven_budget_that_a_seed_lacks_is_none_of_the_row(columns: dict[str, list[float]], words: str) -> None:
    assert budget(arranged(FAIR.assign(**columns))) == rf"proven $\varepsilon$ = {words}"


@pytest.mark.parametrize("alike", [{fair.ALPHA: 0.0}, {fair.PENALTY: "renyi"}])
def test_where_no_distance_is_clipped_there_is_one_budget_for_both_sensitivities(alike: dict[str, Any]) -> None:
    """A gradient without a Wasserstein distance has one sensitivity, and its runs one proven budget."""
    first = FAIR.assign(**{PROVEN: 1.0, AS_PUBLISHED: 2.0, fair.PENALTY: "statistical_parity"})
    second = WHOLE.assign(**{fair.ALPHA: 0.25, PROVEN: 1.5, fair.PENALTY: "statistical_parity"} | alike)
    words = budget(arranged(pd.concat([first, second])))
    assert words == r"proven $\varepsilon$ = 1.00 to 1.50 (published sensitivity: 1.50 to 2.00)"


def test_published_budgets_are_the_largest_of_all_seeds_or_missing() -> None:
    limits = FAIR.assign(**{"epsilon/published/gdp": [1.0, 2.0, math.nan]})
    assert summary(arranged(limits), [])["epsilon/published/gdp"].isna().all()
    assert summary(arranged(limits[:2]), [])["epsilon/published/gdp"].tolist() == [2.0]


def compared(method: str, scores: list[float]) -> list[dict[str, Any]]:
    place = {"problem": "p", "method": method, "epsilon": 1.0, "releases_nothing": False, "public": "none"}
    facts = {"epsilon": 1.0, "delta": 1e-5, "adjacency": "replace-one", "sampling": "poisson"}
    told = {f"compared.{name}": value for name, value in place.items()}
    told |= {f"{name}/upper/pld": value for name, value in facts.items()}
    told |= {"delta": 1e-5, "selection": "none", "seconds": 1.0, "peak_memory_mib": 1.0}
    return [told | {"seed": seed, "compared.score": score} for seed, score in enumerate(scores)]


@pytest.mark.parametrize("scores", [[0.9, math.nan, math.nan], [math.nan] * 3])
def test_a_run_without_a_score_is_not_ranked(scores: list[float]) -> None:
    rows = compared("A", scores) + compared("B", [0.8, 0.8, 0.8])
    with pytest.raises(ValueError, match="runs: a run of A has no score"):
        ranks.cells(pd.DataFrame(rows), "upper/pld")


def test_the_comparison_shows_no_mean_of_fewer_seeds() -> None:
    lacking = comparison_rows.summary(pd.Series([0.9, math.nan, math.nan]))
    assert set(lacking) == {"mean", "low", "high", "least", "most"}
    assert all(map(math.isnan, lacking.values()))


def test_the_leaderboard_takes_no_classification_without_an_accuracy() -> None:
    row = {"task": "classification", "score": "accuracy", "data": "MNIST", "public_data": "none", "epsilon": 1.0}
    row |= {"accountant": "upper/pld", "relation": "r", "sampling": "s", "method": "m", "delta": 1e-5, "seeds": 3}
    row |= {"tuning": "none", "attacked": math.nan, "remark": "", "mean": 0.9}
    assert "90.0%" in leaderboard.files([row], {})["MNIST_no.yml"]
    assert leaderboard.files([row | {"mean": math.nan}], {}) == {}


@pytest.mark.parametrize("column", ["accuracy", "disparate_impact", "epsilon/upper/pld"])
def test_a_sentence_names_no_figure_that_a_seed_lacks(column: str) -> None:
    runs = WHOLE.assign(**{"epsilon/upper/pld": 1.0})
    runs.loc[1, column] = math.nan
    with pytest.raises(ValueError, match=rf"column = '{column}': run e of 3 has none"):
        picked.value(Pick(runs=SHOWN, column=column), lambda shown: runs)


def test_the_front_page_shows_no_accuracy_of_fewer_seeds_and_no_budget_of_several_kinds() -> None:
    facts = {"epsilon": 1.0, "delta": 1e-5, "adjacency": "replace-one", "sampling": "poisson"}
    runs = WHOLE.assign(selection="none", **{f"{name}/upper/pld": value for name, value in facts.items()})
    assert foremost._shown("", SHOWN, runs)["accuracy"] == pytest.approx(80)
    with pytest.raises(ValueError, match="column = 'accuracy': run d of 3 has none"):
        foremost._shown("", SHOWN, runs.assign(accuracy=[math.nan, 0.8, 0.9]))
    with pytest.raises(ValueError, match=r"delta/upper/pld 1e-05, 1e-06; must have one"):
        foremost._shown("", SHOWN, runs.assign(**{"delta/upper/pld": [1e-5, 1e-6, 1e-5]}))


def test_a_table_of_attackers_shows_no_mean_of_fewer_seeds() -> None:
    runs = pd.DataFrame([dict.fromkeys(COLUMNS, 0.5) | {"label": "x"}] * 2)
    assert MembershipTable().build(runs, pd.DataFrame())["accuracy"].tolist() == [0.5]
    runs.loc[0, "accuracy"] = math.nan
    assert MembershipTable().build(runs, pd.DataFrame())["accuracy"].isna().all()


def test_only_means_and_ranges_ask_for_all_seeds() -> None:
    rows = pd.DataFrame({"line": ["a", "a"], "loss": [1.0, 3.0], "noise": [0.5, math.nan]})
    table = seeds.summarised(rows, ["line"], "loss", noise=("noise", "mean"), most_noise=("noise", "max"))
    assert table[["mean", "most_noise"]].to_numpy().tolist() == [[2.0, 0.5]]
    assert table["noise"].isna().all()
