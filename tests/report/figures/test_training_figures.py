"""The figures of trainings: what they compute, name and refuse."""

from __future__ import annotations

import itertools
import math
from typing import Any

import matplotlib.colors
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

from _collected import collected
from wassdp.report import kinds, style
from wassdp.report.figures import FIGURES

EPSILON = {1.0: 0.7, 3.0: 0.9, 8.0: 0.95, None: 0.97}
KINDS = (
    "accuracy_over_epochs",
    "budget_over_epochs",
    "accuracy_over_epsilon",
    "per_class_accuracy",
    "confusion_matrix",
)
BUDGETS = (0.1, 0.2, 0.3, 0.45, 0.76, 1.2, 2.9, 8.0)
EXAMPLES = 200  # of each class
WRONG = {0.7: 80, 0.9: 40, 0.95: 20, 0.97: 10}  # test examples of class 3 taken for 1 and 2, by accuracy


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
        points += [(run, f"predicted/{j}", "class", float(i), value) for i, j, value in confused(accuracy, seed)]
    return pd.DataFrame(rows), pd.DataFrame(points, columns=["run", "metric", "axis", "position", "value"])


def confused(accuracy: float, seed: int) -> list[tuple[int, int, float]]:
    """Class, predicted class and number of test examples: all right but some of class 3."""
    wrong = WRONG[accuracy] + 2 * seed
    counts = np.eye(10) * EXAMPLES
    counts[3, [3, 1, 2]] = EXAMPLES - wrong, wrong / 2, wrong / 2
    return [(i, j, counts[i, j]) for i, j in itertools.product(range(10), repeat=2)]


def draw(kind: str, runs: pd.DataFrame, history: pd.DataFrame, **options: Any) -> tuple[Figure, pd.DataFrame]:
    return (
        FIGURES.choice(kind, kinds.Figure)
        .model_validate(options)
        .draw(collected(runs, budgets=set(history["metric"])), history)
    )


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

    @pytest.mark.parametrize("fact", ["adjacency", "sampling"])
    def test_refuses_budgets_of_different_releases(self, kind: str, fact: str) -> None:
        runs, history = frames()
        runs = collected(runs)
        runs.loc[0, f"{fact}/upper/pld"] = {"adjacency": "replace-one", "sampling": "shuffled"}[fact]
        with pytest.raises(ValueError, match=f"have {fact} .*do not belong on one axis"):
            draw(kind, runs, history)

    def test_says_what_its_budgets_hold_for_whatever_made_them(self, kind: str) -> None:
        runs, history = frames(kind="other")
        figure, _ = draw(kind, collected(runs, adjacency="replace-one-inside-class", sampling="shuffled"), history)
        texts = [text.get_text() for text in figure.findobj(Text)]
        assert any("replace one record inside its class, shuffled passes" in text for text in texts)

    def test_refuses_an_unknown_option_and_a_missing_accountant(self, kind: str) -> None:
        with pytest.raises(ValueError, match="acountant"):
            draw(kind, *frames(), acountant="upper/pld")
        with pytest.raises(ValueError, match="epsilon/upper/rdp"):
            draw(kind, *frames(), accountant="upper/rdp")

    def test_works_without_any_run_in_private_or_says_so(self, kind: str) -> None:
        runs, history = frames()
        runs = runs[runs["delta"].isna()]
        if kind not in ("budget_over_epochs", "accuracy_over_epsilon"):
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
    assert [axis.get_title() for axis in figure.axes] == ["UCI digits", "MNIST"]
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
    with pytest.raises(ValueError, match=r"show = 'upper/rdp': did you mean upper/pld\? must be one of .*upper/pld"):
        draw("budget_over_epochs", *frames(), show=["upper/rdp"])


def many(datasets: tuple[str, ...] = ("mnist",), seeds: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Eight budgets and none; accuracy grows with the budget."""
    rows, points = [], []
    for dataset, (place, epsilon), seed in itertools.product(datasets, enumerate([*BUDGETS, None]), range(seeds)):
        run = f"{len(rows):012x}"
        accuracy = 0.5 + 0.05 * place + 0.004 * seed
        rows.append(
            {
                "run": run,
                "kind": "classification",
                "seed": seed,
                "parameters.dataset": dataset,
                "parameters.model.name": "linear",
                "accuracy": accuracy,
                "delta": None if epsilon is None else 1e-5,
                "epsilon/upper/pld": epsilon,
                "parameters.privacy.epsilon": epsilon,
            }
        )
        points += [(run, "accuracy", "epoch", float(epoch), accuracy * epoch / 3) for epoch in (1, 2, 3)]
    return pd.DataFrame(rows), pd.DataFrame(points, columns=["run", "metric", "axis", "position", "value"])


def boxes(figure: Figure) -> tuple[Any, list[Any]]:
    """Where the figure's legend and its panels lie, in pixels."""
    with style.context():
        figure.draw_without_rendering()
        return figure.legends[0].get_window_extent(), [axis.get_window_extent() for axis in figure.axes]


def test_eight_budgets_have_colours_of_rising_lightness_and_a_legend_beside_or_below_the_panels() -> None:
    figure, _ = draw("accuracy_over_epochs", *many(("mnist", "digits")))
    shades = [line.get_color() for line in figure.axes[0].lines[:8]]
    weights = [0.2126, 0.7152, 0.0722]
    lightness = [float(np.dot(np.power(matplotlib.colors.to_rgb(shade), 2.2), weights)) for shade in shades]
    assert lightness == sorted(lightness)
    assert min(np.diff(np.cbrt(lightness))) > 0.03
    assert [line.get_color() for line in figure.axes[1].lines[:8]] == shades
    legend, panels = boxes(figure)
    # Beside two panels it would make the figure too wide for its letters to be read on a page.
    assert all(legend.y1 < panel.y0 for panel in panels)
    assert legend.x1 <= figure.bbox.width
    legend, panels = boxes(draw("accuracy_over_epochs", *many(("mnist",)))[0])
    assert all(legend.x0 > panel.x1 for panel in panels)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_budget_is_stands_whole_above_a_single_panel(kind: str) -> None:
    runs, history = frames()
    runs = runs[(runs["parameters.dataset"] == "mnist") & ~runs["parameters.privacy.epsilon"].isin((1.0, 3.0))]
    figure, _ = draw(kind, runs, history)
    with style.context():
        figure.draw_without_rendering()
        texts = [each for each in figure.findobj(Text) if each.get_visible() and "10^{-5}" in each.get_text()]
        assert texts, "the delta is named"
        for text in texts:
            extent = text.get_window_extent()
            assert extent.x0 >= 0
            assert extent.x1 <= figure.bbox.width


def test_settings_of_one_budget_share_its_colour_and_differ_in_their_dashes() -> None:
    runs, history = frames()
    runs.loc[runs["seed"] == 1, "parameters.model.name"] = "other"
    figure, data = draw("accuracy_over_epochs", runs, history)
    first, second = figure.axes[0].lines[:2]
    assert first.get_color() == second.get_color()
    assert first._unscaled_dash_pattern != second._unscaled_dash_pattern  # type: ignore[attr-defined]
    assert set(data["seeds"]) == {1}


@pytest.mark.parametrize("kind", ["accuracy_over_epochs", "per_class_accuracy", "confusion_matrix"])
def test_a_run_without_the_curve_is_named_in_one_line(kind: str) -> None:
    runs, history = frames()
    with pytest.raises(ValueError, match=r"^history: has no [^\n]* along (epoch|class) for [^\n]*$"):
        draw(kind, runs, history[history["axis"] == "other"])
    metric = "accuracy" if kind == "accuracy_over_epochs" else "predicted/"
    absent = (history["run"] == runs["run"][0]) & history["metric"].str.startswith(metric)
    with pytest.raises(ValueError, match=f"^history: has no [^\n]* for run {runs['run'][0]}[^\n]*$"):
        draw(kind, runs, history[~absent])


def test_accuracy_over_epsilon_has_a_band_from_four_budgets_on_and_bars_below() -> None:
    figure, _ = draw("accuracy_over_epsilon", *many())
    bands = [each for each in figure.axes[0].collections if isinstance(each, PolyCollection)]
    assert len(bands) == 1
    corners = bands[0].get_paths()[0].vertices
    assert [corners[:, 0].min(), corners[:, 0].max()] == pytest.approx([min(BUDGETS), max(BUDGETS)])
    assert [corners[:, 1].min(), corners[:, 1].max()] == pytest.approx([50, 85.8])
    assert not figure.axes[0].containers
    figure, _ = draw("accuracy_over_epsilon", *frames())
    assert len(figure.axes[0].containers) == 1


def test_accuracy_over_epsilon_shows_a_single_run() -> None:
    runs, history = many(seeds=1)
    figure, data = draw("accuracy_over_epsilon", runs[:1], history)
    assert len(data) == 1
    left, right = figure.axes[0].get_xlim()
    assert left < BUDGETS[0] / 1.5 < 1.5 * BUDGETS[0] < right


def test_a_line_has_one_setting_at_each_budget() -> None:
    runs, history = frames()
    runs["parameters.batch"] = 100.0 + runs["seed"]
    with pytest.raises(ValueError, match=r"lines: .* has 2 settings at epsilon .*parameters.batch"):
        draw("accuracy_over_epsilon", runs, history)
    _, data = draw("accuracy_over_epsilon", runs, history, lines=["parameters.batch"])
    assert set(data["line"]) == {"100", "101"}


def test_a_run_without_accuracy_is_named() -> None:
    runs, history = frames()
    runs.loc[5, "accuracy"] = math.nan
    with pytest.raises(ValueError, match=f"runs: {runs['run'][5]} has no accuracy"):
        draw("accuracy_over_epsilon", runs, history)


def test_proven_budgets_are_solid_and_published_ones_dashed() -> None:
    runs, history = frames()
    more = [history]
    for name in ("upper/rdp", "published/bayesian", "published/wasserstein"):
        own = history[history["metric"] == "epsilon/upper/pld"]
        more.append(own.assign(metric=f"epsilon/{name}", value=own["value"] * 3))
    figure, data = draw("budget_over_epochs", runs, pd.concat(more), log=True)
    assert data["accountant"].nunique() == 5
    looks = {str(handle.get_label()): handle for handle in figure.legends[0].get_lines()}
    published = ["published: DP (moments)", "published: BDP (Bayesian)", "published: WDP (Wasserstein)"]
    assert set(looks) == {"proven (PLD)", "proven (RDP)", *published}
    assert {looks[name].get_linestyle() for name in ("proven (PLD)", "proven (RDP)")} == {"-"}
    assert all(looks[name].get_linestyle() != "-" for name in published)
    assert looks["proven (PLD)"].get_marker() != looks["proven (RDP)"].get_marker()
    assert len({looks[name].get_color() for name in published}) == 3
    assert {axis.get_yscale() for axis in figure.axes} == {"log"}
    legend, panels = boxes(figure)
    assert all(legend.y1 < panel.y0 for panel in panels)


def test_per_class_accuracy_is_the_share_of_right_answers_with_the_hardest_hit_class_first() -> None:
    figure, data = draw("per_class_accuracy", *frames())
    third = data[(data["class"] == 3) & (data["dataset"] == "mnist")].round({"epsilon": 2}).set_index("epsilon")
    assert third.loc[1.0, ["accuracy", "accuracy_least", "accuracy_most"]].tolist() == pytest.approx([59.5, 59, 60])
    assert third.loc[8.0, "accuracy"] == pytest.approx(89.5)
    assert third["accuracy"].iloc[-1] == pytest.approx(94.5)
    assert set(data.loc[data["class"] != 3, "accuracy"]) == {100.0}
    assert set(data["examples"]) == {EXAMPLES}
    assert [axis.get_yticklabels()[0].get_text() for axis in figure.axes] == ["3", "3"]
    assert "−35.0" in [text.get_text() for text in figure.axes[0].texts]
    figure, _ = draw("per_class_accuracy", *frames(), order="class")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list("0123456789")


def test_confusion_matrix_is_the_mean_of_the_seeds_shares() -> None:
    figure, data = draw("confusion_matrix", *frames())
    assert data.groupby(["dataset", "setting", "class"])["percent"].sum().tolist() == pytest.approx([100] * 60)
    assert len(data) == 2 * 3 * 100  # datasets; least budget, largest budget, none
    cell = data[(data["class"] == "3") & (data["predicted"] == "1") & (data["dataset"] == "digits")]
    assert cell["percent"].tolist() == pytest.approx([20.25, 5.25, 2.75])
    assert [axis.get_title() for axis in figure.axes[:3]] == [
        "UCI digits, linear\n" + name for name in (r"$\varepsilon$ = 1.00", r"$\varepsilon$ = 8.00", "no privacy")
    ]


def test_confusion_matrix_shows_the_budgets_asked_for() -> None:
    _, data = draw("confusion_matrix", *frames(), budgets=[3.0], without=False)
    assert set(data["setting"]) == {r"$\varepsilon$ = 3.00"}
    with pytest.raises(ValueError, match=r"budgets = 2\.0: must be one of 1.0, 3.0, 8.0"):
        draw("confusion_matrix", *frames(), budgets=[2.0])
    runs, history = frames()
    with pytest.raises(ValueError, match="none has a finite budget"):
        draw("confusion_matrix", runs[runs["delta"].isna()], history, without=False)


TABLE = "wasserstein-dp-table-2"


def test_published_budgets_stand_beside_the_proven_ones_and_say_what_they_are() -> None:
    figure, data = draw("accuracy_over_epsilon", *frames(), published=TABLE)
    printed = data[data["kind"] == "published"]
    assert printed["line"].tolist() == [f"{TABLE}: {kind}" for kind in ("DP", "BDP", "WDP")]
    assert printed["epsilon"].tolist() == [2.2, 0.95, 0.76]
    assert printed["delta"].tolist() == [1e-5, 1e-10, 1e-10]
    assert set(printed["dataset"]) == {"mnist"}  # nothing is published about digits
    assert data["kind"].isna().sum() == 2  # without privacy
    drawn = {tuple(line.get_xydata()[0]) for line in figure.axes[1].lines if line.get_marker() in ("s", "D", "^")}
    assert drawn == {(2.2, 96.0), (0.95, 96.0), (0.76, 96.0)}
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert any("Wasserstein DP, Table 2" in text and "not proved" in text for text in texts)


def test_the_lowest_proven_budget_for_a_published_accuracy_is_named() -> None:
    runs, history = frames()
    figure, _ = draw("accuracy_over_epsilon", runs, history, published=TABLE, target=True)
    assert "96 % reached at a proven $\\varepsilon$ = 8.00" in [t.get_text() for t in figure.axes[1].texts]
    alone = runs[runs["epsilon/upper/pld"].isna() | (runs["epsilon/upper/pld"] > 5)]
    figure, _ = draw("accuracy_over_epsilon", alone, history, published=TABLE, target=True)
    smallest = "96 % reached at a proven $\\varepsilon$ ≤ 8.00, smallest tried"
    assert smallest in [t.get_text() for t in figure.axes[1].texts]
    runs["accuracy"] -= 0.001  # the mean of 95 and 97 per cent no longer is 96
    figure, _ = draw("accuracy_over_epsilon", runs, history, published=TABLE, target=True)
    assert "96 %: reached at no proven $\\varepsilon$" in [t.get_text() for t in figure.axes[1].texts]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": True}, "needs published"),
        ({"target": True, "published": TABLE, "accountant": "published/moments"}, "proves nothing"),
        ({"published": "table-99"}, "(?s)published.*must be one of"),
    ],
)
def test_targets_need_a_published_table_and_a_proof(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw("accuracy_over_epsilon", *frames(), **options)


def test_published_budgets_of_none_of_the_datasets_are_refused() -> None:
    runs, history = frames()
    with pytest.raises(ValueError, match="has no accuracy and budget of digits"):
        draw("accuracy_over_epsilon", runs[runs["parameters.dataset"] == "digits"], history, published=TABLE)


def test_budget_over_epochs_shows_the_budgets_asked_for() -> None:
    _, data = draw("budget_over_epochs", *frames(), budgets=[1.0, 8.0])
    assert set(data["setting"]) == {r"$\varepsilon$ = 1.00", r"$\varepsilon$ = 8.00"}
    with pytest.raises(ValueError, match=r"budgets = 2\.0: must be one of 1.0, 3.0, 8.0"):
        draw("budget_over_epochs", *frames(), budgets=[2.0])


def test_an_accountant_with_a_delta_of_its_own_is_shown_with_it() -> None:
    runs, history = frames()
    runs["delta/published/moments"] = runs["delta"].map(lambda delta: 1e-10, na_action="ignore")
    figure, data = draw("budget_over_epochs", runs, history)
    texts = {text.get_text() for text in figure.legends[0].get_texts()}
    assert texts == {"proven (PLD)", r"published: DP (moments) ($\delta$ = $10^{-10}$)"}
    assert data.groupby("accountant")["delta"].unique().map(list).to_dict() == {
        "published/moments": [1e-10],
        "upper/pld": [1e-5],
    }
    runs["epsilon/published/moments"] = runs["epsilon/upper/pld"] * 2
    figure, _ = draw("accuracy_over_epsilon", runs, history, accountant="published/moments")
    assert "10^{-10}" in figure.axes[0].get_xlabel()
