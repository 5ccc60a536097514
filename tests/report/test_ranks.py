"""Ranks at equal budgets: published critical differences, ties, resampled seeds, and what is not ranked."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from wassdp.report import ranks
from wassdp.report.figures.head_to_head import MARKED, HeadToHeadFigure
from wassdp.report.tables.head_to_head import HeadToHeadTable
from wassdp.selection import READ

# Demšar (2006), Table 5 (a): q at 5 % for 2 to 10 classifiers.
PUBLISHED = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)
ACCOUNTANT = "upper/pld"


def run(method: str, budget: float, score: float, seed: int = 0, **changes: Any) -> dict[str, Any]:
    private = {
        "delta": 1e-5,
        f"epsilon/{ACCOUNTANT}": budget * 0.999,
        f"adjacency/{ACCOUNTANT}": "replace-one",
        f"sampling/{ACCOUNTANT}": "poisson",
    }
    about = {
        "problem": "the words of a label",
        "method": "",
        "compared.problem": "mnist",
        "compared.method": method,
        "compared.epsilon": budget,
        "compared.score": score,
        "compared.releases_nothing": False,
        "compared.public": "none",
        "compared.objective": "accuracy",
        "seed": seed,
        "selection": "validation, 8 trials",
        "seconds": 2.0,
        "peak_memory_mib": 300.0,
    }
    return about | private | changes


def frame(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(rows)


def nothing(method: str, score: float, **changes: Any) -> dict[str, Any]:
    absent = {"delta": math.nan, f"epsilon/{ACCOUNTANT}": math.nan, f"adjacency/{ACCOUNTANT}": math.nan}
    return run(method, math.nan, score, **absent | changes)


@pytest.mark.parametrize(("methods", "quantile"), list(enumerate(PUBLISHED, start=2)))
def test_critical_differences_are_the_published_ones(methods: int, quantile: float) -> None:
    found = ranks.critical_difference(methods, 6)
    assert found == pytest.approx(quantile * math.sqrt(methods * (methods + 1) / 36), abs=6e-4 * methods)


def test_the_best_is_first_and_equal_scores_share_a_rank() -> None:
    table = ranks.ranked(
        ranks.cells(frame(run("a", 1, 0.5), run("b", 1, 0.9), run("c", 1, 0.5), run("d", 1, 0.1)), ACCOUNTANT)
    )
    assert dict(zip(table["method"], table["rank"], strict=True)) == {"a": 2.5, "b": 1, "c": 2.5, "d": 4}
    assert table["rank_least"].isna().all()  # one seed says nothing of chance


def test_ranges_are_those_of_a_naive_resampling() -> None:
    scores = {"a": (0.5, 0.7, 0.6), "b": (0.62, 0.58, 0.55), "c": (0.9, 0.91, 0.92)}
    rows = [run(name, 1, score, seed) for name, each in scores.items() for seed, score in enumerate(each)]
    table = ranks.ranked(ranks.cells(frame(*rows), ACCOUNTANT)).set_index("method")
    assert table.loc["c", ["rank", "rank_least", "rank_most"]].tolist() == [1, 1, 1]
    for name in "ab":
        assert table.loc[name, ["rank_least", "rank_most"]].tolist() == [2, 3]
    # b is before a in 11 % of all 27 * 27 pairs of draws or more; the draws miss it by five deviations once in 1e6.
    generator = np.random.default_rng(7)
    drawn = ranks.resampled([scores["a"], scores["b"]], generator)[:, 1] == 1
    every = [np.mean(one) < np.mean(two) for one in triples(scores["a"]) for two in triples(scores["b"])]
    assert drawn.mean() == pytest.approx(np.mean(every), abs=5 * math.sqrt(0.25 / ranks.DRAWS))


def test_ranges_are_of_drawn_ranks_and_of_nothing_but_their_cell() -> None:
    noise = np.random.default_rng(11)
    rows = [
        run(name, budget, float(score), seed)
        for name in "abcd"
        for budget in (1, 3)
        for seed, score in enumerate(noise.normal(0.5, 0.1, 5))
    ]
    columns = ["rank_least", "rank_most", "mean_least", "mean_most"]

    def ranges(rows: list[dict[str, Any]]) -> pd.DataFrame:
        table = ranks.ranked(ranks.cells(frame(*rows), ACCOUNTANT))
        return table.set_index(["budget", "method"])[columns].sort_index()

    found = ranges(rows)
    assert (found[columns[:2]] % 1 == 0).all(axis=None)
    assert (found[columns[2:]] * 2 % 1 == 0).all(axis=None)
    pd.testing.assert_frame_equal(ranges(rows[::-1]), found)
    alone = ranges([row for row in rows if row["compared.epsilon"] == 3])
    pd.testing.assert_frame_equal(alone[columns[:2]], found.loc[[3], columns[:2]])


def triples(values: tuple[float, ...]) -> list[tuple[float, ...]]:
    return [(one, two, three) for one in values for two in values for three in values]


def test_mean_ranks_are_over_the_budgets_that_all_methods_have() -> None:
    rows = [run("a", 1, 0.9), run("b", 1, 0.5), run("a", 10, 0.6), run("b", 10, 0.8), run("a", 3, 0.9)]
    table = ranks.ranked(ranks.cells(frame(*rows), ACCOUNTANT))
    assert set(table["blocks"]) == {2}
    assert set(table["mean_rank"]) == {1.5}


def test_what_releases_nothing_stands_at_every_budget_and_what_proves_nothing_at_none() -> None:
    rows = [run("a", 1, 0.9), run("a", 10, 0.95), nothing("source only", 0.92, **{"compared.releases_nothing": True})]
    rows += [nothing("without privacy", 0.99)]
    rows += [run("published", math.nan, 0.97, **{f"epsilon/{ACCOUNTANT}": math.inf})]
    rows += [run("loose", 1, 0.98, **{f"epsilon/{ACCOUNTANT}": 1.01})]
    table = ranks.ranked(ranks.cells(frame(*rows), ACCOUNTANT))
    of = dict(list(table.groupby("method")))
    assert of["source only"]["budget"].tolist() == [1, 10]
    assert of["source only"]["rank"].tolist() == [1, 2]
    assert of["a"]["rank"].tolist() == [2, 1]
    assert set(of["published"]["unranked"]) == {ranks.NOTHING_PROVEN}
    assert set(of["without privacy"]["unranked"]) == {ranks.NOT_PRIVATE}
    assert set(of["loose"]["unranked"]) == {ranks.MORE_PROVEN}
    assert table[table["unranked"] != ""]["rank"].isna().all()


def test_budgets_under_several_relations_are_not_ranked_together() -> None:
    other = {f"adjacency/{ACCOUNTANT}": "add-remove"}
    with pytest.raises(ValueError, match="add-remove and replace-one, which no one ranking may hold"):
        ranks.cells(frame(run("a", 1, 0.9), run("b", 1, 0.5, **other)), ACCOUNTANT)
    inside = {f"adjacency/{ACCOUNTANT}": "replace-one-inside-class"}
    table = ranks.cells(frame(run("a", 1, 0.9), run("b", 1, 0.5, **inside)), ACCOUNTANT)
    assert ranks.relation(table) == "replace-one-inside-class"
    with pytest.raises(ValueError, match="must have one"):
        ranks.cells(frame(run("a", 1, 0.9), run("b", 1, 0.5, delta=1e-6)), ACCOUNTANT)


def test_a_budget_keeps_the_delta_that_its_accountant_was_asked_at() -> None:
    loose = {f"delta/{ACCOUNTANT}": 0.01}
    table = ranks.cells(frame(run("a", 1, 0.9, **loose), run("b", 1, 0.8, **loose)), ACCOUNTANT)
    assert set(table["delta"]) == {0.01}
    with pytest.raises(ValueError, match=r"deltas 1e-05, 0\.01; must have one"):
        ranks.cells(frame(run("a", 1, 0.9, **loose), run("b", 1, 0.8)), ACCOUNTANT)


def test_a_budget_that_nothing_proves_ranks_nothing() -> None:
    with pytest.raises(ValueError, match="must be an upper bound"):
        ranks.cells(frame(run("a", 1, 0.9)), "published/moments")
    with pytest.raises(ValueError, match="a private run of a has no epsilon/upper/rdp"):
        ranks.cells(frame(run("a", 1, 0.9)), "upper/rdp")


def friedman_of(*scores: tuple[float, ...]) -> ranks.Friedman:
    """Friedman's test of blocks of scores."""
    rows = [
        run("abcdefgh"[method], budget + 1, score)
        for budget, block in enumerate(scores)
        for method, score in enumerate(block)
    ]
    return ranks.friedman(ranks.cells(frame(*rows), ACCOUNTANT))


def statistic_of(*samples: np.ndarray) -> float:
    return float(scipy.stats.friedmanchisquare(*samples).statistic)


def test_friedman_says_whether_methods_differ() -> None:
    # All blocks alike: 3! of the 3!^4 arrangements agree so. The chi2 of 2 at 8 would be exp(-4) = 0.018.
    found = friedman_of(*4 * [(0.9, 0.8, 0.7)])
    assert (found.p, found.exact) == (pytest.approx(6**-3), True)
    assert math.isnan(friedman_of((0.9, 0.8, 0.7)).p)
    assert math.isnan(friedman_of(*4 * [(0.9, 0.8)]).p)


@pytest.mark.parametrize(
    ("blocks", "p"),
    [
        # As Igor Pro's manual prints them of StatsFriedmanTest's two examples, by the exact distribution.
        (("1432", "2431", "1423", "1342", "1243"), 0.0166709),
        (("1234", "1423", "4213", "3241", "1342"), 0.85656),
    ],
)
def test_friedman_has_the_exact_probabilities_of_another_program(blocks: tuple[str, ...], p: float) -> None:
    found = friedman_of(*(tuple(map(float, block)) for block in blocks))
    assert found.exact
    assert found.p == pytest.approx(p, rel=1e-5)


@pytest.mark.parametrize(
    ("methods", "blocks", "at_five", "at_one"),
    [
        (3, 3, 6.000, None),
        (3, 4, 6.500, 8.000),
        (3, 5, 6.400, 8.400),
        (4, 2, 6.000, None),
        (4, 3, 7.400, 9.000),
        (4, 4, 7.800, 9.600),
    ],
)
def test_friedman_has_the_printed_critical_values(
    methods: int, blocks: int, at_five: float, at_one: float | None
) -> None:
    """The least statistics that are significant at 5 and 1 %, as tables of the exact distribution print them."""
    # The first block is in order: the statistic does not see which method is which.
    level = tuple(range(methods))
    every = ((level, *others) for others in itertools.product(itertools.permutations(level), repeat=blocks - 1))
    # Friedman's statistic is a function of this one, the larger the larger.
    scores = {int(np.square(np.sum(each, axis=0)).sum()): each for each in every}
    tests = {
        statistic_of(*np.transpose(each)): friedman_of(*(tuple(map(float, block)) for block in each))
        for each in scores.values()
    }
    assert all(test.exact for test in tests.values())
    for alpha, critical in ((0.05, at_five), (0.01, at_one)):
        significant = [statistic for statistic, test in tests.items() if test.p <= alpha]
        assert min(significant, default=None) == (None if critical is None else pytest.approx(critical, abs=0.001))


@pytest.mark.parametrize("scores", [((3, 1, 2), (2, 1, 3), (3, 1, 1)), ((1, 1, 2, 2), (4, 1, 2, 3))])
def test_friedman_with_ties_is_the_permutation_test_of_scipy(scores: tuple[tuple[int, ...], ...]) -> None:
    found = friedman_of(*(tuple(float(score) for score in block) for block in scores))
    assert found.exact
    judged = scipy.stats.permutation_test(
        [np.array(method) for method in np.transpose(scores)],
        statistic_of,
        permutation_type="samples",
        alternative="greater",
        n_resamples=10_000,
    )
    assert found.p == pytest.approx(judged.pvalue, rel=1e-12)


def test_too_many_permutations_leave_the_approximation_and_the_table_says_which() -> None:
    generator = np.random.default_rng(0)
    for methods, blocks, exact in ((4, 20, True), (5, 10, True), (6, 4, True), (8, 8, False)):
        scores = generator.random((blocks, methods))
        found = friedman_of(*scores)
        assert found.exact == exact
        if not exact:
            assert found.p == pytest.approx(scipy.stats.friedmanchisquare(*scores.T).pvalue)
    for methods, said in ((3, "permutations"), (8, "χ²"), (2, "–")):
        rows = [run("abcdefgh"[each], budget, 0.1 * each) for each in range(methods) for budget in range(1, 7)]
        table = HeadToHeadTable().build(frame(*rows), pd.DataFrame())
        assert set(table["p by"]) == {said}


def test_table_and_figure_mark_what_makes_a_score_optimistic() -> None:
    rows = [
        run(name, budget, 0.5 + number / 20 + seed / 100, seed)
        for number, name in enumerate("ab")
        for budget in (1, 10)
        for seed in (0, 1)
    ]
    rows += [
        nothing(
            "source", 0.4, **{"compared.releases_nothing": True, "selection": READ, "compared.public": "photographs"}
        )
    ]
    table = HeadToHeadTable().build(frame(*rows), pd.DataFrame())
    assert table["problem"].tolist() == ["MNIST"] * 6
    marked = table[table["settings by"].str.startswith("†")]
    assert set(marked["method"]) == {"source"}
    assert set(marked["public data"]) == {"photographs"}
    assert table["ε"].tolist() == [1, 1, 1, 10, 10, 10]
    assert table["method"].tolist()[:3] == ["b", "a", "source"]
    figure, shown = HeadToHeadFigure().draw(frame(*rows), pd.DataFrame())
    assert len(figure.axes) == 3
    labels = [text.get_text() for text in figure.axes[1].get_yticklabels()]
    assert labels == ["b", "a", "source †"]
    assert len(shown) == 6


def test_one_method_has_no_panel_of_ranks_and_is_named_beside_its_costs() -> None:
    rows = [run("alone", budget, 0.7, selection=READ) for budget in (1, 10)]
    figure, _ = HeadToHeadFigure().draw(frame(*rows), pd.DataFrame())
    scores, costs = figure.axes
    assert "rank" not in scores.get_xlabel() + costs.get_xlabel()
    assert [text.get_text() for text in costs.get_yticklabels()] == ["alone †"]
    assert costs.get_xlabel() == f"seconds of a run (MiB)\n† {MARKED}"
    two = [run("other", 1, 0.6, **{"compared.problem": "usps"}), run("third", 1, 0.5, **{"compared.problem": "usps"})]
    figure, _ = HeadToHeadFigure().draw(frame(*rows, *two), pd.DataFrame())
    assert len(figure.axes) == 6


def test_seconds_of_processors_and_of_a_gpu_have_no_mean() -> None:
    gpu = {"device": "cuda (NVIDIA H100 80GB HBM3)", "seconds": 1.0}
    processor = {"device": "cpu (1 thread)", "seconds": 100.0}
    rows = [
        run("a", 1, 0.7, 0, **processor),
        run("a", 1, 0.7, 1, **gpu),
        run("a", 10, 0.8, 0, **gpu),
        run("b", 1, 0.6, 0, **gpu),
        run("b", 10, 0.6, 0, **gpu),
    ]
    found = ranks.cells(frame(*rows), ACCOUNTANT).set_index(["method", "budget"])
    assert found["seconds"].to_dict() == {("a", 1): 100, ("a", 10): 1, ("b", 1): 1, ("b", 10): 1}
    assert found["gpu"].to_dict() == {("a", 1): False, ("a", 10): True, ("b", 1): True, ("b", 10): True}
    figure, _ = HeadToHeadFigure().draw(frame(*rows), pd.DataFrame())
    assert {text.get_text() for text in figure.axes[2].texts} == {"100 s, 300 MiB", "1 s of a GPU, 300 MiB"}
