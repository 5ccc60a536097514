"""The three figures of trainings: what they compute, name and refuse."""

from __future__ import annotations

import importlib
import itertools
import math
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from wassdp.report import _settings

EPSILON = {1.0: 0.7, 3.0: 0.9, 8.0: 0.95, None: 0.97}
KINDS = ("accuracy_over_epochs", "budget_over_epochs", "accuracy_over_epsilon")


def frames(**columns: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Three budgets and none on two datasets, two seeds, four epochs; accuracies differ by 0.02 between seeds."""
    rows, points = [], []
    for dataset, (epsilon, accuracy), seed in itertools.product(("digits", "mnist"), EPSILON.items(), (0, 1)):
        run = f"{len(rows):012x}"
        rows.append(
            {
                "run": run,
                "kind": "classification",
                "seed": seed,
                "parameters.dataset": dataset,
                "parameters.model.name": {"digits": "linear", "mnist": "cnn_small"}[dataset],
                "parameters.privacy.epsilon": epsilon,
                "parameters.privacy.clip_norm": None if epsilon is None else 0.5,
                "parameters.model.options.activation": None if dataset == "digits" else "tanh",
                "accuracy": accuracy + 0.02 * seed,
                "delta": None if epsilon is None else 1e-5,
                "epsilon/upper/pld": None if epsilon is None else epsilon - 1e-4,
                **columns,
            }
        )
        for epoch in range(1, 5):
            points.append((run, "accuracy", "epoch", float(epoch), accuracy * epoch / 4 + 0.02 * seed))
            if epsilon is not None:
                points.append((run, "epsilon/upper/pld", "epoch", float(epoch), epsilon * math.sqrt(epoch / 4)))
                points.append((run, "epsilon/published/moments", "epoch", float(epoch), epsilon * epoch))
    return pd.DataFrame(rows), pd.DataFrame(points, columns=["run", "metric", "axis", "position", "value"])


def draw(kind: str, runs: pd.DataFrame, history: pd.DataFrame, **options: Any) -> tuple[Figure, pd.DataFrame]:
    drawn: tuple[Figure, pd.DataFrame] = importlib.import_module(f"wassdp.report.figures.{kind}").draw(
        runs, history, options
    )
    return drawn


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    def test_names_relation_sampling_and_delta(self, kind: str) -> None:
        figure, data = draw(kind, *frames())
        texts = [text.get_text() for text in figure.findobj(lambda each: hasattr(each, "get_text"))]  # type: ignore[attr-defined]
        assert any("add/remove one record, Poisson sampling" in text and "10^{-5}" in text for text in texts)
        assert set(data["seeds"]) == {2}

    def test_does_not_depend_on_the_order_of_the_rows(self, kind: str) -> None:
        runs, history = frames()
        mixed = runs.sample(frac=1, random_state=1), history.sample(frac=1, random_state=2)
        pd.testing.assert_frame_equal(draw(kind, runs, history)[1], draw(kind, *mixed)[1])

    def test_refuses_budgets_at_different_deltas(self, kind: str) -> None:
        runs, history = frames()
        runs.loc[0, "delta"] = 1e-6
        with pytest.raises(ValueError, match="do not belong on one axis"):
            draw(kind, runs, history)

    def test_refuses_kinds_whose_release_it_does_not_know(self, kind: str) -> None:
        with pytest.raises(ValueError, match="kind = 'other': must be one of classification"):
            draw(kind, *frames(kind="other"))

    def test_refuses_an_unknown_option_and_a_missing_accountant(self, kind: str) -> None:
        with pytest.raises(ValueError, match="acountant"):
            draw(kind, *frames(), acountant="upper/pld")
        with pytest.raises(ValueError, match="epsilon/upper/rdp"):
            draw(kind, *frames(), accountant="upper/rdp")

    def test_works_without_any_run_in_private_or_says_so(self, kind: str) -> None:
        runs, history = frames()
        runs = runs[runs["delta"].isna()]
        if kind == "accuracy_over_epochs":
            assert draw(kind, runs, history)[1]["epsilon"].isna().all()
        else:
            with pytest.raises(ValueError, match="none"):
                draw(kind, runs, history)


def test_accuracy_over_epochs_is_mean_and_range_over_seeds() -> None:
    _, data = draw("accuracy_over_epochs", *frames())
    chosen = data[(data["dataset"] == "mnist") & (data["epsilon"].round(2) == 3.0)].set_index("epoch").loc[4.0]
    assert chosen["accuracy"] == pytest.approx(91)
    assert (chosen["accuracy_least"], chosen["accuracy_most"]) == (pytest.approx(90), pytest.approx(92))
    assert chosen["setting"] == r"$\varepsilon$ = 3.00"
    assert len(data) == 2 * 4 * 4


def test_accuracy_over_epsilon_keeps_the_budgets_and_the_level_without_privacy() -> None:
    figure, data = draw("accuracy_over_epsilon", *frames())
    assert data["epsilon"].dropna().round(3).tolist() == [1.0, 3.0, 8.0] * 2
    assert data.loc[data["epsilon"].isna(), "accuracy"].tolist() == pytest.approx([98, 98])
    assert [axis.get_title() for axis in figure.axes] == ["digits", "mnist"]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["1", "3", "8"]


def test_an_unbounded_budget_stays_in_the_data_and_out_of_the_picture() -> None:
    runs, history = frames()
    runs.loc[runs["parameters.privacy.epsilon"] == 8.0, "epsilon/upper/pld"] = math.inf
    figure, data = draw("accuracy_over_epsilon", runs, history)
    assert (data["epsilon"] == math.inf).sum() == 2
    assert math.isfinite(figure.axes[0].get_xlim()[1])


def test_budget_over_epochs_shows_every_accountant_or_those_asked_for() -> None:
    _, data = draw("budget_over_epochs", *frames())
    assert set(data["accountant"]) == {"upper/pld", "published/moments"}
    assert set(data["dataset"] + data["setting"]) == {
        dataset + rf"$\varepsilon$ = {value:.2f}" for dataset in ("digits", "mnist") for value in (1, 3, 8)
    }
    last = data[(data["accountant"] == "published/moments") & (data["epoch"] == 4.0) & (data["dataset"] == "digits")]
    assert last["epsilon"].tolist() == [4.0, 12.0, 32.0]
    _, chosen = draw("budget_over_epochs", *frames(), show=["upper/pld"])
    assert set(chosen["accountant"]) == {"upper/pld"}
    with pytest.raises(ValueError, match=r"show = 'upper/rdp': must be one of .*upper/pld"):
        draw("budget_over_epochs", *frames(), show=["upper/rdp"])


def test_runs_that_differ_in_more_than_their_seed_are_different_settings() -> None:
    runs, _ = frames()
    runs.loc[runs["seed"] == 1, "parameters.privacy.clip_norm"] = 1.5
    private = runs[runs["delta"].notna()]
    labelled = _settings.label(private, accountant="upper/pld")
    assert labelled.groupby(["parameters.dataset", "setting"]).size().max() == 1
    assert any(name.endswith("clip norm 1.5") for name in labelled["setting"])


def test_a_budget_is_never_rounded_below_itself() -> None:
    assert [_settings.rounded(value) for value in (2.1801, 2.18, 2.999999, 0.004)] == [2.19, 2.18, 3.0, 0.01]
