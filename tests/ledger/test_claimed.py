"""The picture of a ledger: every setting with a claim, the worst of its seeds, and what no finite number can show."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wassdp.ledger import claimed
from wassdp.report import legible

PUBLISHED = sorted((Path(__file__).parents[2] / "docs" / "results").glob("*/ledger.csv.xz"))
ROWS = [
    ("a", 0, "published", "moments", 2.0),
    ("a", 1, "published", "moments", 4.0),
    ("a", 0, "upper", "pld", 10.0),
    ("a", 1, "upper", "pld", 11.0),
    ("a", 0, "lower", "noise_scale_family", 9.0),
    ("a", 1, "lower", "noise_scale_family", 8.0),
    ("b", 0, "upper", "pld", 1.0),
    ("c", 0, "published", "moments", 5.0),
    ("c", 0, "upper", "pld", None),
    ("c", 0, "lower", "noise_scale_family", 0.0),
    ("d", 0, "claim", "claim", None),
]


def ledger() -> pd.DataFrame:
    frame = pd.DataFrame(ROWS, columns=["label", "seed", "kind", "accountant", "epsilon_of_one_run"])
    run = frame["label"] + frame["seed"].astype(str)
    return frame.assign(run=run, paper="paper", experiment="experiment", delta=1e-5)


def test_of_several_seeds_stands_what_holds_for_all() -> None:
    found = claimed.table(ledger()).set_index(["setting", "kind"])["epsilon"]
    assert found["a", "upper"] == 11
    assert found["a", "lower"] == 8
    assert found["a", "published"] == 3
    assert math.isinf(found["c", "upper"])


def test_settings_without_a_claim_or_an_attack_are_left_out() -> None:
    assert set(claimed.table(ledger())["setting"]) == {"a", "c"}
    attacked = ledger().iloc[[6]].assign(kind="lower", accountant="one_run", epsilon_of_one_run=0.5)
    assert set(claimed.table(pd.concat([ledger(), attacked]))["setting"]) == {"a", "b", "c"}


def test_marks_stand_where_the_table_says() -> None:
    figure, data = claimed.draw(ledger())
    (axis,) = figure.axes
    shown = {float(line.get_xdata()[0]) for line in axis.lines}
    finite = data["epsilon"][np.isfinite(data["epsilon"]) & (data["epsilon"] > 0)]
    assert set(finite) <= shown
    assert len(axis.lines) == len(data) - 1, "an attack that reached nothing has no mark"
    assert [text.get_text() for text in axis.get_yticklabels()] == ["a", "c"]
    left, right = axis.get_xlim()
    assert all(left < value < right for value in shown), "what has no number stands at the edge, inside"


def test_proofs_and_attacks_at_another_delta_stand_in_the_data_alone() -> None:
    """The δ of most claims counts; ε falls with δ: a proof at a smaller one holds there, and an attack at a larger."""
    rows = [
        ("published", "moments", 1e-5, 2.0),
        ("published", "gdp", 1e-5, 3.0),
        ("published", "text", 1e-10, 2.5),
        ("upper", "pld", 1e-6, 30.0),
        ("upper", "rdp", 1e-3, 20.0),
        ("lower", "a", 1e-5, 10.0),
        ("lower", "b", 1e-7, 11.0),
    ]
    frame = pd.DataFrame(rows, columns=["kind", "accountant", "delta", "epsilon_of_one_run"])
    figure, data = claimed.draw(frame.assign(label="a", seed=0, run="a0", paper="paper", experiment="experiment"))
    shown = {float(line.get_xdata()[0]) for line in figure.axes[0].lines}
    assert {30.0, 10.0} <= shown
    assert not shown & {20.0, 11.0}
    assert {20.0, 11.0, 30.0, 10.0} <= set(data["epsilon"])


def test_an_attack_on_a_training_that_reached_nothing_is_shown() -> None:
    nothing = ledger().iloc[[6, 6]].assign(kind=["upper", "lower"], accountant=["pld", "one_run"])
    nothing = nothing.assign(epsilon_of_one_run=[1.0, 0.0])
    figure, data = claimed.draw(pd.concat([ledger(), nothing]))
    (axis,) = figure.axes
    assert [text.get_text() for text in axis.get_yticklabels()] == ["a", "b", "c"]
    filled = [line for line in axis.lines if line.get_marker() == 5 and line.get_markerfacecolor() != "none"]
    assert sum(line.get_color() == filled[0].get_color() for line in filled) == 1
    (mark,) = (line for line in filled if float(line.get_ydata()[0]) == 1)
    figure.draw_without_rendering()
    places = [line.get_transform().transform(line.get_xydata())[0, 0] for line in axis.lines if line is not mark]
    assert axis.bbox.x0 < mark.get_transform().transform(mark.get_xydata())[0, 0] < min(places)
    assert (data["epsilon"] == 0).any()
    assert "at the left edge: nothing reached" in axis.get_xlabel()
    assert "left" not in claimed.draw(ledger())[0].axes[0].get_xlabel()


def test_what_assumes_a_family_is_another_mark_than_what_assumes_nothing() -> None:
    free = ledger().iloc[[4, 5]].assign(accountant="one_run", epsilon_of_one_run=7.0)
    figure, _ = claimed.draw(pd.concat([ledger(), free]))
    (axis,) = figure.axes
    filled = {float(line.get_xdata()[0]): line.get_markerfacecolor() for line in axis.lines if line.get_marker() == 5}
    assert filled[8.0] == "none"
    assert filled[7.0] != "none"
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "attacked, by a family: at least this" in words
    assert "attacked, assuming nothing: at least this" in words


@pytest.mark.parametrize("kinds", [{"upper"}, {"claim"}, set()], ids=str)
def test_a_set_without_claims_says_so(kinds: set[str]) -> None:
    frame = ledger()
    figure, data = claimed.draw(frame[frame["kind"].isin(kinds)])
    assert data.empty
    assert "No setting" in figure.texts[0].get_text()


def test_formulas_are_told_apart_by_colour_and_shape() -> None:
    frame = pd.concat([ledger().iloc[[0]].assign(accountant=f"formula {place}") for place in range(12)])
    figure, _ = claimed.draw(frame)
    (axis,) = figure.axes
    assert len({(line.get_marker(), line.get_markeredgecolor()) for line in axis.lines}) == 12


def test_a_picture_of_very_many_settings_shows_the_first_and_says_how_many_more_there_are() -> None:
    frame = pd.concat([ledger().iloc[[0, 2]].assign(label=f"setting {place}") for place in range(claimed.MOST + 7)])
    figure, data = claimed.draw(frame)
    (axis,) = figure.axes
    assert data["setting"].nunique() == claimed.MOST + 7
    shown = [text.get_text() for text in axis.get_yticklabels()]
    assert shown == [f"setting {place}" for place in range(claimed.MOST)]
    assert figure.legends[0].get_title().get_text() == "7 more settings stand in claimed-attacked-proven.csv alone."


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parent.name)
def test_the_picture_of_a_published_ledger_can_be_read(path: Path) -> None:
    """Settings of several experiments have long names in common, which their titles say."""
    assert legible.defects(*claimed.draw(pd.read_csv(path, low_memory=False))) == []
