"""Figures and table of domain adaptation: which rows they make, and what stands where on the budget's axis."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import TypeAdapter

from wassdp import claims
from wassdp.adaptation.method import AdaptationMethod
from wassdp.adaptation.methods import METHODS
from wassdp.adaptation.tasks import Task
from wassdp.report import style
from wassdp.report.adaptation import ORDER, colour, mark, named, settings
from wassdp.report.figures import adaptation_over_epochs, adaptation_over_epsilon
from wassdp.report.tables import adaptation

NOTHING = pd.DataFrame(columns=["run", "metric", "axis", "position", "value"])
DIGITS = {"name": "digits", "source": "mnist", "target": "usps"}
parameters: TypeAdapter[Any] = TypeAdapter(Task)
OFFICE = {"name": "office_caltech10", "features": "surf", "source": "dslr", "target": "webcam"}


def run(method: str, accuracy: float, *, seed: int = 0, task: dict[str, str] = DIGITS, **more: Any) -> dict[str, Any]:
    """A row of the table of runs; ``more`` are parameters of the method, and figures by their names."""
    columns = {"gradient", "radius", "compare", "control"}
    private = method not in ("source_only", "swd", "dann")
    return (
        {f"parameters.task.{key}": value for key, value in task.items()}
        | {"parameters.method.name": method, "parameters.method.sigma": more.get("sigma"), "parameters.epochs": 9}
        | {f"parameters.method.{key}": value for key, value in more.items() if key in columns}
        | {"seed": seed, "accuracy": accuracy, "delta": 1e-5 if private else None}
        | {key: value for key, value in more.items() if key not in columns}
    )


def frame(*rows: dict[str, Any]) -> pd.DataFrame:
    named = [{"run": f"{place:012x}"} | words(row) | row for place, row in enumerate(rows)]
    return pd.DataFrame(named)


def words(row: dict[str, Any]) -> dict[str, str]:
    """What a plan says of a run, by the classes of its task and method."""
    method, task = (
        {str(key).removeprefix(prefix): value for key, value in row.items() if str(key).startswith(prefix)}
        for prefix in ("parameters.method.", "parameters.task.")
    )
    problem = parameters.validate_python(task).describe()
    described = METHODS.choice(method["name"], AdaptationMethod).model_construct(**method).describe()
    noise = f"{row.get('sigma')}, {method.get('epsilon')}"
    return {"problem": problem, "method": described, "label": f"{problem}, {described}, {noise}", "privacy": noise}


PUBLISHED = {"sigma": 5.34, "epsilon/upper/pld": math.inf, "epsilon/published/swd_bernstein_code": 10.0}
FULL = {"sigma": 1.7, "epsilon/upper/pld": 9.9, "gradient": "public"}
RUNS = frame(
    run("dp_swd", 0.91, **FULL),
    run("published_dp_swd", 0.93, **PUBLISHED),
    run("published_dp_swd", 0.95, seed=1, **PUBLISHED),
    run("source_only", 0.80),
    run("swd", 0.96),
)


def build(runs: pd.DataFrame) -> pd.DataFrame:
    return adaptation.AdaptationTable().build(runs, NOTHING).set_index("method")


def test_a_row_has_what_was_printed_what_was_measured_and_what_is_proven() -> None:
    table = build(RUNS)
    assert table.index.tolist() == ["source only", "SWD", "DP-SWD, as published", "DP-SWD, accounted in full"]
    published = table.loc["DP-SWD, as published"]
    assert (published["printed accuracy (%)"], published["printed ±"], published["printed ε"]) == (94.0, 0, 10.0)
    assert published["accuracy (%)"] == pytest.approx(94)
    assert (published["least"], published["most"], published["seeds"]) == (93, 95, 2)
    assert published["proven ε"] == math.inf
    full = table.loc["DP-SWD, accounted in full"]
    assert (full["proven ε"], full["σ"]) == (9.9, 1.7)
    assert math.isnan(full["printed accuracy (%)"])
    swd = table.loc["SWD"]
    assert swd["printed accuracy (%)"] == 95.5
    assert math.isnan(swd["printed ε"])
    assert math.isnan(swd["proven ε"])
    assert math.isnan(table.loc["source only", "printed accuracy (%)"])


def test_problems_keep_the_order_of_the_configuration() -> None:
    back = {"name": "digits", "source": "usps", "target": "mnist"}
    runs = frame(*(run(name, 0.9, task=task) for task in (back, OFFICE, DIGITS) for name in ("swd", "source_only")))
    table = adaptation.AdaptationTable().build(runs, NOTHING)
    assert table["problem"].tolist()[::2] == [
        "usps to mnist",
        "dslr to webcam (office_caltech10, surf)",
        "mnist to usps",
    ]
    assert table["method"].tolist() == ["source only", "SWD"] * 3
    figure, _ = adaptation_over_epochs.AdaptationOverEpochs().draw(runs, history(runs))
    shown = [axis.get_title() for axis in figure.axes if axis.get_visible()]
    assert shown == ["USPS to MNIST", "DSLR to webcam (Office-Caltech10, SURF)", "MNIST to USPS"]


def test_the_worst_seed_speaks_for_a_setting() -> None:
    runs = frame(run("dp_swd", 0.9, **FULL), run("dp_swd", 0.9, seed=1, **(FULL | {"epsilon/upper/pld": 9.95})))
    assert build(runs)["proven ε"].tolist() == [9.95]


def test_a_budget_that_a_private_seed_lacks_is_infinite_and_a_mean_of_fewer_seeds_missing() -> None:
    one, two = (run("dp_swd", 0.9, seed=seed, **FULL | {"accuracy_held_out": 0.8}) for seed in (0, 1))
    whole = settings(named(frame(one, two))).iloc[0]
    assert (whole["seeds"], whole["epsilon"], whole["accuracy_held_out"]) == (2, 9.9, pytest.approx(80))
    lacking = two | {"epsilon/upper/pld": math.nan, "accuracy_held_out": math.nan}
    row = settings(named(frame(one, lacking))).iloc[0]
    assert (row["seeds"], row["epsilon"]) == (2, math.inf)
    assert math.isnan(row["accuracy_held_out"])
    without = frame(one, run("swd", 0.9, accuracy_held_out=0.8)).drop(columns="epsilon/upper/pld")
    assert settings(named(without)).set_index("private")["epsilon"].to_dict() == {
        True: math.inf,
        False: pytest.approx(math.nan, nan_ok=True),
    }


def test_problems_that_the_paper_does_not_have_are_compared_with_nothing() -> None:
    (row,) = adaptation.AdaptationTable().build(frame(run("swd", 0.9, task=OFFICE)), NOTHING).to_dict("records")
    assert row["problem"] == "dslr to webcam (office_caltech10, surf)"
    assert math.isnan(row["printed accuracy (%)"])
    (other,) = (
        adaptation.AdaptationTable()
        .build(frame(run("swd", 0.9, task={"name": "office31", "source": "dslr", "target": "webcam"})), NOTHING)
        .to_dict("records")
    )
    assert other["printed accuracy (%)"] == 90.7


def test_a_gradient_through_both_sides_is_named() -> None:
    runs = frame(run("dp_swd", 0.9, **FULL), run("dp_swd", 0.9, **(FULL | {"gradient": "both"})))
    assert build(runs).index.tolist() == [
        "DP-SWD, accounted in full",
        "DP-SWD, accounted in full, gradient through both sides",
    ]


def test_a_wasserstein_gradient_is_told_from_its_control_and_compared_with_nothing_printed(tmp_path: Path) -> None:
    asked = {"sigma": 1.0, "parameters.method.epsilon": 10.0}
    budget, none = {"epsilon/upper/pld": 9.9}, {"epsilon/upper/pld": math.nan, "delta": None}
    compared = [("features", False, budget), ("features", True, none), ("scores", False, budget)]
    runs = frame(
        *(
            run("dp_wasserstein_gradient", 0.9, compare=what, control=alone, **asked, **more)
            for what, alone, more in compared
        )
    )
    table = build(runs)
    assert table.index.tolist() == [
        "Wasserstein gradient, private encoder",
        "Wasserstein gradient, private encoder, noise alone",
        "Wasserstein gradient, private encoder, of class scores",
    ]
    assert table["printed accuracy (%)"].isna().all()
    assert table["printed ε"].isna().all()
    assert table["proven ε"].fillna(0).tolist() == [9.9, 0, 9.9], "a control has no budget"
    figure, data = adaptation_over_epsilon.AdaptationOverEpsilon().draw(runs, NOTHING)
    style.save(figure, data, tmp_path / "figure")
    assert len(figure.axes[0].containers) == 3
    legend = [text.get_text().replace("\n", " ") for text in figure.legends[0].get_texts()]
    assert sorted(text.partition(" (")[0] for text in legend) == sorted(table.index)
    assert [text for text in legend if "no budget" in text] == [f"{table.index[1]} (no budget)"]
    assert figure.axes[0].get_xlabel() == r"$\varepsilon$, proven (PLD), $\delta$ = $10^{-5}$"
    assert np.isnan(data.set_index("method").loc[table.index[1], "epsilon"])


def test_every_method_has_a_colour_of_its_own() -> None:
    assert len({colour(name) for name in ORDER}) == len(ORDER)
    assert set(ORDER) == set(METHODS.names())


def test_a_baseline_says_how_long_it_had_dropout() -> None:
    runs = frame(run("source_only", 0.8), run("source_only", 0.7) | {"parameters.method.dropout_epochs": 1})
    assert build(runs).index.tolist() == ["source only", "source only, dropout in 1 epoch"]
    others = frame(run("source_only", 0.8), run("swd", 0.9) | {"parameters.method.dropout_epochs": 1})
    assert build(others).index.tolist() == ["source only", "SWD"]


def test_seeds_share_a_setting_and_noises_do_not() -> None:
    runs = frame(*(run("dp_swd", 0.9, seed=seed, **(FULL | {"sigma": sigma})) for sigma in (1, 2) for seed in (0, 1)))
    assert settings(named(runs))["seeds"].tolist() == [2, 2]
    with pytest.raises(ValueError, match="method = 'mmd'"):
        named(frame(run("mmd", 0.9)))


def history(runs: pd.DataFrame, metric: str = "accuracy") -> pd.DataFrame:
    rows = [
        (name, metric, "epoch", epoch, value * epoch / 3)
        for name, value in zip(runs["run"], runs["accuracy"], strict=True)
        for epoch in (1, 2, 3)
    ]
    return pd.DataFrame(rows, columns=list(NOTHING.columns))


def test_lines_over_epochs_are_means_with_their_range(tmp_path: Path) -> None:
    figure, data = adaptation_over_epochs.AdaptationOverEpochs(least=20).draw(RUNS, history(RUNS))
    style.save(figure, data, tmp_path / "figure")
    last = data[(data["line"] == "DP-SWD, as published") & (data["epoch"] == 3)].iloc[0]
    assert (last["mean"], last["least"], last["most"], last["seeds"]) == pytest.approx((94, 93, 95, 2))
    (axis,) = figure.axes
    assert axis.get_title() == "MNIST to USPS"
    assert len(axis.lines) == data["line"].nunique() == 4


def test_a_curve_that_only_some_methods_have_shows_those(tmp_path: Path) -> None:
    some = history(RUNS.iloc[[0, 4]], "distance")
    _, data = adaptation_over_epochs.AdaptationOverEpochs(metric="distance").draw(RUNS, some)
    assert data["line"].unique().tolist() == ["SWD", "DP-SWD, accounted in full"]
    with pytest.raises(ValueError, match="metric = 'clipped'"):
        adaptation_over_epochs.AdaptationOverEpochs(metric="clipped").draw(RUNS, some)


def test_several_noises_of_one_method_have_lines_of_their_own() -> None:
    runs = frame(run("dp_swd", 0.9, **FULL), run("dp_swd", 0.8, **(FULL | {"sigma": 5.0})), run("swd", 0.9))
    _, data = adaptation_over_epochs.AdaptationOverEpochs().draw(runs, history(runs))
    assert set(data["line"]) == {"SWD", "DP-SWD, accounted in full, σ = 1.7", "DP-SWD, accounted in full, σ = 5"}


def test_each_private_method_may_have_a_panel_with_what_is_not_private_in_all(tmp_path: Path) -> None:
    runs = frame(
        run("source_only", 0.8),
        run("source_only", 0.85, **{"parameters.method.dropout_epochs": 1}),
        run("swd", 0.9),
        run("dp_swd", 0.9, **(FULL | {"parameters.method.epsilon": 10.0})),
        run("dp_swd", 0.8, **(FULL | {"sigma": 5.0, "parameters.method.epsilon": 1.0, "epsilon/upper/pld": 0.99})),
        run("published_dp_swd", 0.93, **PUBLISHED),
    )
    figure, data = adaptation_over_epochs.AdaptationOverEpochs(panels="method").draw(runs, history(runs))
    style.save(figure, data, tmp_path / "figure")
    published, full = figure.axes
    assert (published.get_title(), full.get_title()) == ("DP-SWD, as published", "DP-SWD, accounted in full")
    assert (len(published.lines), len(full.lines)) == (3 + 1, 3 + 2)
    shared = figure.legends[0].get_lines()
    assert len({(str(line.get_color()), str(line.get_linestyle())) for line in shared}) == len(shared) == 3
    assert (len(published.collections), len(full.collections)) == (1, 2)
    legends = [[text.get_text() for text in axis.get_legend().get_texts()] for axis in (published, full)]
    assert legends == [["DP-SWD, as published"], ["proven ε = 10", "proven ε = 1"]]
    with pytest.raises(ValueError, match="no run is private"):
        adaptation_over_epochs.AdaptationOverEpochs(panels="method").draw(runs.iloc[:3], history(runs))


def test_only_a_budget_that_is_proved_tells_a_line() -> None:
    asked = {"parameters.method.epsilon": 1.0}
    runs = frame(
        run("dp_swd", 0.9, **(FULL | asked | {"sigma": 5.0, "epsilon/upper/pld": 0.99})),
        run("dp_swd", 0.8, **(FULL | asked | {"sigma": 4.0, "epsilon/upper/pld": math.inf})),
    )
    _, data = adaptation_over_epochs.AdaptationOverEpochs().draw(runs, history(runs))
    assert set(data["line"]) == {f"DP-SWD, accounted in full, {size}" for size in ("proven ε = 1", "σ = 4")}


def test_published_runs_stand_at_stated_budgets_and_others_at_proven_ones(tmp_path: Path) -> None:
    figure, data = adaptation_over_epsilon.AdaptationOverEpsilon().draw(RUNS, NOTHING)
    style.save(figure, data, tmp_path / "figure")
    at = data.set_index("name")["epsilon"]
    assert (at["published_dp_swd"], at["dp_swd"]) == (10.0, 9.9)
    assert math.isnan(at["swd"])
    texts = "; ".join(text.get_text().replace("\n", " ") for text in figure.legends[0].get_texts())
    assert "stated by SWD Bernstein code, not proved" in texts
    assert "proven (PLD) or stated" in figure.axes[0].get_xlabel()
    assert "source only" in texts


def test_budgets_that_are_as_good_as_equal_stand_in_one_place() -> None:
    runs = frame(run("dp_swd", 0.9, **FULL), run("dp_dann", 0.8, **{"sigma": 1.0, "epsilon/upper/pld": 9.9001}))
    figure, _ = adaptation_over_epsilon.AdaptationOverEpsilon().draw(runs, NOTHING)
    low, high = figure.axes[0].get_xlim()
    assert low < 9.9 < high
    assert high / low == pytest.approx(5)


def test_a_private_run_without_a_finite_budget_is_not_drawn(tmp_path: Path) -> None:
    runs = frame(
        run("dp_swd", 0.9, **FULL), run("dp_swd", 0.8, **(FULL | {"sigma": 0.1, "epsilon/upper/pld": math.inf}))
    )
    figure, data = adaptation_over_epsilon.AdaptationOverEpsilon().draw(runs, NOTHING)
    assert data["epsilon"].tolist() == [9.9, math.inf]
    (container,) = figure.axes[0].containers
    assert len(container.lines[0].get_xdata()) == 1
    with pytest.raises(ValueError, match="no setting has a finite epsilon"):
        adaptation_over_epsilon.AdaptationOverEpsilon().draw(runs.iloc[[1]], NOTHING)


def test_table_1_is_complete_and_private_methods_have_its_budget() -> None:
    found = {(record.row, record.column): record for record in claims.load("dp-sliced-wasserstein-table-1")}
    assert len(found) == 9 * (1 + 4 * 2)
    assert found["usps", "DP-SWD, mnist to usps"].printed == 94.0
    assert found["mnist", "spread of DP-DANN, usps to mnist"].printed == 2
    budgets = [record for record in found.values() if record.unit == "nats"]
    assert {record.printed for record in budgets} == {10.0}
    assert sorted({record.delta for record in budgets if record.delta}) == [1e-6, 1e-5, 1e-3]
    # As the text says, DP-SWD beats DP-DANN but on two problems.
    worse = [
        column
        for (row, column), record in found.items()
        if column.startswith("DP-SWD") and record.printed < found[row, column.replace("SWD", "DANN")].printed
    ]
    assert worse == ["DP-SWD, train to validation", "DP-SWD, dslr to amazon"]


def test_methods_that_are_new_are_told_apart(monkeypatch):
    known, new = METHODS.names(), tuple(f"new_{number}" for number in range(10))
    monkeypatch.setattr(type(METHODS), "names", lambda _: known + new)
    looks = [(colour(name), mark(name)) for name in (*ORDER, *new)]
    assert len(set(looks)) == len(looks)
    assert [mark(name) for name in ORDER] == ["o"] * len(ORDER)
    # One that is no longer there has a place of its own too: results outlive methods.
    assert colour("former") not in {colour(name) for name in ORDER}
