"""Epochs to an accuracy: the figure and the table that share one calculation."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pandas as pd
import pytest

from wassdp.report.figures import epochs_to_accuracy as figure
from wassdp.report.kinds import Figure
from wassdp.report.tables import epochs_to_accuracy as table

FRAMEWORKS = {"WDP": 0.01, "BDP": 0.1, "DP": 3.1}
# noise: accuracy gained with each epoch, by the first and by the second seed
GAIN = {0.01: (0.12, 0.16), 0.1: (0.097, 0.05), 3.1: (0.0, 0.0), 1e-4: (0.2, 0.2), None: (0.3, 0.3)}


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    rows, points = [], []
    for (noise, gains), seed in itertools.product(GAIN.items(), (0, 1)):
        run = f"{len(rows):012x}"
        rows.append(
            {
                "run": run,
                "seed": seed,
                "parameters.dataset": "mnist",
                "parameters.privacy.noise_multiplier": noise,
                "delta": None if noise is None else 1e-5,
            }
        )
        for epoch in range(1, 11):
            points.append((run, "accuracy", "epoch", float(epoch), min(0.99, 0.1 + gains[seed] * epoch)))
    return pd.DataFrame(rows), pd.DataFrame(points, columns=["run", "metric", "axis", "position", "value"])


def test_the_table_says_when_the_first_and_the_last_seed_got_there() -> None:
    found = table.EpochsToAccuracyTable(frameworks=FRAMEWORKS).build(*frames()).set_index("framework")
    assert list(found.index) == ["σ = 0.0001", "WDP", "BDP", "DP", "no privacy"]
    first, last = "epochs to 96 %, first seed", "epochs to 96 %, last seed"
    # 0.1 + 0.12 n >= 0.96 from n = 8 on, 0.1 + 0.16 n from 6 on, 0.1 + 0.097 n from 9 on, the rest never.
    assert (found.loc["WDP", first], found.loc["WDP", last]) == (6, 8)
    assert (found.loc["BDP", first], found.loc["BDP", last]) == (9, math.inf)
    assert (found.loc["DP", first], found.loc["DP", last]) == (math.inf, math.inf)
    assert found.loc["no privacy", first] == 3
    assert found["printed epochs"].dropna().to_dict() == {"WDP": 16, "BDP": 50, "DP": 100}
    assert set(found["epochs run"]) == {10}
    assert set(found["seeds"]) == {2}
    assert found.loc["DP", "best accuracy (%)"] == pytest.approx(10.0)
    assert math.isnan(found.loc["no privacy", "noise σ"])


def test_the_figure_names_what_was_reached_and_what_was_printed() -> None:
    drawn, data = figure.EpochsToAccuracy(frameworks=FRAMEWORKS).draw(*frames())
    texts = [text.get_text() for legend in drawn.legends for text in legend.get_texts()]
    assert "WDP, σ = 0.01: 8 epochs (printed 16)" in texts
    assert "DP, σ = 3.1: not in 10 epochs (printed 100)" in texts
    assert "σ = 0.0001: 5 epochs" in texts
    assert "no privacy: 3 epochs" in texts
    assert len(data) == 5 * 10
    assert set(data["seeds"]) == {2}
    wdp = data[(data["framework"] == "WDP") & (data["epoch"] == 1)].iloc[0]
    assert (wdp["accuracy_least"], wdp["accuracy"], wdp["accuracy_most"]) == pytest.approx((22, 24, 26))


@pytest.mark.parametrize("kind", [figure.EpochsToAccuracy, table.EpochsToAccuracyTable])
def test_the_order_of_rows_does_not_matter_and_bad_input_is_named(kind: Any) -> None:
    runs, history = frames()
    asked = kind(frameworks=FRAMEWORKS)

    def data(*given: pd.DataFrame) -> pd.DataFrame:
        found: pd.DataFrame = asked.draw(*given)[1] if isinstance(asked, Figure) else asked.build(*given)
        return found

    mixed = data(runs.sample(frac=1, random_state=1), history.sample(frac=1, random_state=2))
    pd.testing.assert_frame_equal(data(runs, history), mixed)
    with pytest.raises(ValueError, match="of the datasets cifar10, mnist"):
        data(runs.assign(**{"parameters.dataset": ["mnist"] * 9 + ["cifar10"]}), history)
    with pytest.raises(ValueError, match="history: has no accuracy along epoch"):
        data(runs, history[history["run"] != runs["run"].iloc[0]])
    with pytest.raises(ValueError, match="frameworks"):
        kind()
