from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from wassdp.cli import main
from wassdp.publish.differences import LEVEL, Differences, differences
from wassdp.result import Result


def runs(tree: ModuleType, values: list[float | None], *, first_seed: int = 0, sigma: float = 1.0) -> list[Result]:
    """Runs that differ in seed, with one metric ``score``; None leaves the metric out."""
    found = []
    for index, value in enumerate(values):
        result = tree.result(tree.planned(sigma, first_seed + index))
        metrics = {} if value is None else {"score": value}
        found.append(result.model_copy(update={"metrics": metrics, "guarantees": (), "history": ()}))
    return found


def verdict(found: Differences, figure: str = "score") -> str:
    (only,) = [item for item in found.differences if item.figure == figure]
    return only.verdict


def test_identical_sets_say_so(tree: ModuleType) -> None:
    rows = [tree.planned(sigma, seed) for sigma in (1.0, 2.0) for seed in (0, 1)]
    first = [tree.result(row) for row in rows]
    # Provenance is another machine's, another day's, another version's.
    second = [
        item.model_copy(
            update={
                "provenance": item.provenance.model_copy(update={"code": "other", "seconds": 99.0}),
                "accounting_code": "other",
            }
        )
        for item in reversed(first)
    ]
    found = differences(first, second, curves=True)
    assert found.identical
    assert not found.differ
    assert found.groups == 2
    assert {item.verdict for item in found.differences} == {"equal"}
    assert any(item.figure == "accuracy at epoch 2" for item in found.differences)


def test_single_seeds_are_told_apart_by_the_tolerance(tree: ModuleType) -> None:
    one = runs(tree, [0.5])
    assert verdict(differences(one, runs(tree, [0.5 * (1 + 5e-7)]))) == "within spread"
    assert verdict(differences(one, runs(tree, [0.5 * (1 + 5e-6)]))) == "differs"
    assert verdict(differences(one, runs(tree, [0.5 * (1 + 5e-6)]), tolerance=1e-5)) == "within spread"
    assert verdict(differences(runs(tree, [0.0]), runs(tree, [1e-300]))) == "differs"


def test_no_spread_between_seeds_counts_as_deterministic(tree: ModuleType) -> None:
    assert verdict(differences(runs(tree, [0.5] * 3), runs(tree, [0.5001] * 3))) == "differs"
    assert verdict(differences(runs(tree, [0.5] * 3), runs(tree, [0.5] * 2))) == "within spread"


def test_student_by_hand(tree: ModuleType) -> None:
    """Means 2 and 3, pooled variance 1, three seeds each: t = 1 / sqrt(2/3) = 1.22 with 4 degrees of freedom.

    The two-sided p-value is 0.288 (tables of Student's t: t = 1.22 lies between the 0.70 and 0.75 quantiles doubled).
    """
    first, second = runs(tree, [1.0, 2.0, 3.0]), runs(tree, [2.0, 3.0, 4.0])
    assert verdict(differences(first, second, level=0.28)) == "within spread"
    assert verdict(differences(first, second, level=0.30)) == "differs"
    # 2.776 is the 0.975 quantile with 4 degrees of freedom, in every table.
    edge = 2.776 * math.sqrt(2 / 3)
    for factor, expected in ((0.999, "within spread"), (1.001, "differs")):
        moved = runs(tree, [value + factor * edge for value in (1.0, 2.0, 3.0)])
        assert verdict(differences(first, moved, level=0.05)) == expected


def test_false_alarms_are_as_many_as_announced(tree: ModuleType) -> None:
    """3000 pairs of sets that differ in nothing but chance, 3 seeds each, at level 0.05.

    The number flagged is binomial with mean 150 and deviation 12; four deviations fail by chance once in 16000.
    """
    draws = np.random.default_rng(0).normal(size=(2, 3, 3000))
    sides = []
    for side, first_seed in zip(draws, (0, 3), strict=True):
        named = [{f"score{index}": float(value) for index, value in enumerate(values)} for values in side]
        sides.append(
            [
                item.model_copy(update={"metrics": metrics})
                for item, metrics in zip(runs(tree, [0.0] * 3, first_seed=first_seed), named, strict=True)
            ]
        )
    found = differences(sides[0], sides[1], level=0.05)
    assert found.expected_false_alarms == pytest.approx(150)
    assert abs(len(found.with_verdict("differs")) - 150) <= 4 * math.sqrt(3000 * 0.05 * 0.95)


def test_a_shift_of_ten_deviations_is_found(tree: ModuleType) -> None:
    generator = np.random.default_rng(1)
    first = runs(tree, [float(value) for value in generator.normal(0.9, 0.001, 3)])
    second = runs(tree, [float(value) for value in generator.normal(0.91, 0.001, 3)], first_seed=3)
    assert verdict(differences(first, second, level=LEVEL)) == "differs"


def test_one_seed_against_three_borrows_their_spread(tree: ModuleType) -> None:
    three = runs(tree, [0.90, 0.91, 0.92])
    assert verdict(differences(runs(tree, [0.93], first_seed=9), three)) == "within spread"
    assert verdict(differences(runs(tree, [2.0], first_seed=9), three)) == "differs"


def budgets(tree: ModuleType, epsilons: list[float | None], **changes: Any) -> list[Result]:
    found = []
    for seed, epsilon in enumerate(epsilons):
        item = tree.guarantee("upper", "pld", epsilon).model_copy(update=changes)
        found.append(tree.result(tree.planned(1.0, seed)).model_copy(update={"guarantees": (item,), "history": ()}))
    return found


def test_unbounded_budgets(tree: ModuleType) -> None:
    key = "epsilon/upper/pld"
    assert verdict(differences(budgets(tree, [None, None]), budgets(tree, [None, None])), key) == "equal"
    assert verdict(differences(budgets(tree, [None, None]), budgets(tree, [None])), key) == "equal"
    assert verdict(differences(budgets(tree, [1.0, 1.0]), budgets(tree, [1.0, None])), key) == "differs"
    assert verdict(differences(budgets(tree, [1.0, None]), budgets(tree, [None, 1.0])), key) == "differs"
    assert verdict(differences(budgets(tree, [1.0, None]), budgets(tree, [1.5, None])), key) == "differs"


@pytest.mark.parametrize(
    "change",
    [{"delta": 1e-6}, {"adjacency": "replace-one"}, {"sampling": "shuffled"}, {"assumptions": ("something else",)}],
)
def test_a_budget_about_something_else_differs(tree: ModuleType, change: dict[str, Any]) -> None:
    found = differences(budgets(tree, [1.0, 1.0]), budgets(tree, [1.0, 1.0], **change))
    assert verdict(found, "epsilon/upper/pld") == "equal"
    assert verdict(found, "statement/upper/pld") == "differs"
    assert found.differ


def test_texts_are_compared_seed_by_seed(tree: ModuleType) -> None:
    """The same two statements of swapped seeds are no equal ones."""
    key = "statement/upper/pld"

    def stated(*deltas: float, first_seed: int = 0) -> list[Result]:
        found = []
        for seed, delta in enumerate(deltas, start=first_seed):
            item = tree.guarantee("upper", "pld", 1.0).model_copy(update={"delta": delta})
            found.append(tree.result(tree.planned(1.0, seed)).model_copy(update={"guarantees": (item,)}))
        return found

    swapped = differences(stated(1e-5, 1e-6), stated(1e-6, 1e-5))
    assert verdict(swapped, key) == "differs"
    (told,) = [item.reason for item in swapped.differences if item.figure == key]
    assert told.startswith("of seed 0: delta = 1e-05; ")
    assert " against delta = 1e-06; " in told
    assert verdict(differences(stated(1e-5, 1e-6), stated(1e-5, 1e-6)), key) == "equal"
    assert verdict(differences(stated(1e-5, 1e-5), stated(1e-5, first_seed=7)), key) == "equal"
    assert verdict(differences(stated(1e-5, 1e-6), stated(1e-5, 1e-6, first_seed=7)), key) == "within spread"
    assert verdict(differences(stated(1e-5, 1e-6), stated(1e-5)), key) == "differs"


def test_sets_of_which_nothing_was_compared_are_not_identical(tree: ModuleType) -> None:
    same = runs(tree, [0.5])
    assert differences(same, same).identical
    found = differences(same, same, ignore=["*"])
    assert (found.groups, found.differences) == (1, [])
    assert not found.identical
    assert not found.differ


def test_lower_bounds_are_not_compared_with_a_set_that_is_older_than_attacks(tree: ModuleType) -> None:
    old, new = budgets(tree, [1.0, 1.0]), budgets(tree, [1.0, 1.0])
    lower = tree.guarantee("lower", "noise_scale_family", 0.9)
    new = [item.model_copy(update={"guarantees": (*item.guarantees, lower)}) for item in new]
    found = differences(old, new)
    assert not found.differ
    assert found.unattacked == (True, False)
    shifted = lower.model_copy(update={"epsilon": 0.8})
    other = [item.model_copy(update={"guarantees": (*item.guarantees[:-1], shifted)}) for item in new]
    assert verdict(differences(new, other), "epsilon/lower/noise_scale_family") == "differs"


def test_a_figure_that_only_one_set_has(tree: ModuleType) -> None:
    assert verdict(differences(runs(tree, [0.5]), runs(tree, [None]))) == "differs"
    assert verdict(differences(runs(tree, [0.5, 0.5]), runs(tree, [0.5, None]))) == "differs"
    assert verdict(differences(runs(tree, [0.5, None]), runs(tree, [0.5, None]))) == "equal"
    assert not differences(runs(tree, [0.5]), runs(tree, [None]), ignore=["sco*"]).differ


def test_groups_and_seeds_that_only_one_set_has(tree: ModuleType) -> None:
    base = runs(tree, [0.5, 0.5])
    found = differences(base, base + runs(tree, [0.5], sigma=4.0))
    assert len(found.only_second) == 1
    assert '"sigma":4.0' in found.only_second[0]
    assert found.differ
    found = differences(base, runs(tree, [0.5, 0.5, 0.5]))
    assert [text.rsplit(" ", 1)[1] for text in found.seeds_second] == ["seed=2"]
    assert not found.differ
    assert not found.identical


def test_groups_are_called_by_their_labels(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    """Where two sets call different settings the same, with the parameters in which they differ."""
    planned = {}
    for sigma, label in ((1.0, "little noise"), (4.0, "much noise"), (8.0, "much noise")):
        row = tree.planned(sigma, 0).model_copy(update={"label": label})
        planned[row.run] = row
    first, second = runs(tree, [0.5]) + runs(tree, [0.5], sigma=4.0), runs(tree, [0.9]) + runs(tree, [0.5], sigma=8.0)
    found = differences(first, second, planned=planned)
    assert found.only_first == ["training: much noise (noise.sigma = 4.0)"]
    assert found.only_second == ["training: much noise (noise.sigma = 8.0)"]
    assert [item.group for item in found.with_verdict("differs")] == ["training: little noise"]
    assert differences(first, second[:1], planned=planned).only_first == ["training: much noise"]


def test_the_command(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    plan = tree.make(first)
    tree.make(second)
    assert main(["compare", str(first), str(second)]) == 0
    # two groups of accuracy, loss, delta, and an epsilon and a statement for each of three accountants
    assert capsys.readouterr().out == (
        "identical: 18 figures in 2 shared groups (first set: 4 runs, second set: 4 runs)\n"
    )
    tree.finish(second, plan.runs[0], shift=0.3)
    tree.finish(second, plan.runs[1], shift=0.3)
    assert main(["compare", str(first), str(second)]) == 3
    said = capsys.readouterr().out
    assert said.count("differs: ") == 2
    assert "differs: accuracy of training: noise.sigma=1.0: " in said
    assert "2 figures were tested at level 0.0027: chance alone flags 0.0054 of them on average" in said
    assert main(["compare", str(first), str(second), "--ignore", "accuracy", "--ignore", "loss"]) == 0
    assert main(["compare", str(first), str(second), "--json"]) == 3
    value = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    assert value["differ"] is True
    assert value["expected_false_alarms"] == pytest.approx(0.0054)


def test_runs_that_the_plan_does_not_name_are_left_out(tree: ModuleType, tmp_path: Path) -> None:
    tree.make(tmp_path / "a")
    tree.make(tmp_path / "b")
    tree.finish(tmp_path / "b", tree.planned(64.0, 0))
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    (tmp_path / "b" / "plan.json").unlink()
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 3


BROKEN: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: None,
    "a file": lambda path: path.write_text("x"),
    "empty": lambda path: path.mkdir(),
    "no result": lambda path: (
        (path / "runs" / ("0" * 12)).mkdir(parents=True),
        (path / "runs" / ("0" * 12) / "result.json").write_text("{}"),
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_bad_folders(tree: ModuleType, tmp_path: Path, capsys: Any, what: str) -> None:
    tree.make(tmp_path / "a")
    BROKEN[what](tmp_path / "b")
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(tmp_path / "b") in said


@pytest.mark.parametrize("more", [["--level", "0"], ["--level", "nan"], ["--level", "1"], ["--tolerance", "-1"]])
def test_bad_limits(tree: ModuleType, tmp_path: Path, capsys: Any, more: list[str]) -> None:
    tree.make(tmp_path / "a")
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "a"), *more]) == 2
    assert more[0].strip("-") in capsys.readouterr().err
