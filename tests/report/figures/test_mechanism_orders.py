"""Figure 1 and Table 1, drawn from frames of the documented shape."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from wassdp.experiment import Context
from wassdp.experiments import mechanism_orders as experiment
from wassdp.report.figures import mechanism_orders
from wassdp.report.tables import basic_mechanisms

Frames = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def frames() -> Frames:
    runs, points = [], []
    for number, (mechanism, scale) in enumerate((m, s) for m in ("laplace", "gaussian") for s in (1.0, 5.0)):
        parameters = experiment.Parameters(mechanism=mechanism, scale=scale, orders=10)  # type: ignore[arg-type]
        found = experiment.run(parameters, seed=0, context=Context(folder=Path("unused"), code=""))
        run = f"{number:012d}"
        row = {f"parameters.{key}": value for key, value in parameters.model_dump().items()}
        runs.append({"run": run, "seed": 0} | row | found.metrics)
        points += [{"run": run, **point.model_dump()} for point in found.history]
    return pd.DataFrame(runs), pd.DataFrame(points)


def test_figure(frames: Frames) -> None:
    figure, data = mechanism_orders.MechanismOrders().draw(*frames)
    assert [len(axis.lines) for axis in figure.axes] == [2, 2, 2, 2]
    assert all(axis.get_ylim() == (0.0, 2.0) for axis in figure.axes)
    assert set(data["source"]) == {"published"}
    drawn = figure.axes[3].lines[1].get_ydata()  # Gaussian, WDP, scale 5
    np.testing.assert_allclose(drawn, 0.5 * 0.2 ** (1 / np.arange(1, 11)))


def test_companion(frames: Frames) -> None:
    figure, data = mechanism_orders.MechanismOrders(companion=True).draw(*frames)
    exact = data[data["source"] == "exact"]
    assert (exact["budget"] == 1).all()
    texts = [text.get_text() for text in figure.axes[1].texts]
    assert texts == [r"4.38 $\uparrow$"]  # the exact ε at scale 1 lies above the axis, and is not left out
    assert data["epsilon_exact"].notna().all()


def test_table(frames: Frames) -> None:
    table = basic_mechanisms.BasicMechanismsTable(orders=[1, 2]).build(*frames)
    assert len(table) == 2 * (1 + 2 + 2)
    assert list(table.columns[-4:]) == ["scale 1 printed", "scale 1 exact", "scale 5 printed", "scale 5 exact"]

    def row(mechanism: str, framework: str, order: float) -> pd.Series:
        (found,) = (
            line
            for _, line in table.iterrows()
            if (line["mechanism"], line["framework"], line["order"]) == (mechanism, framework, order)
        )
        return found

    assert row("Laplace", "WDP", 1)["scale 1 printed"] == pytest.approx(0.4289, abs=1e-4)
    assert row("Laplace", "WDP", 1)["scale 1 exact"] == 1
    assert row("Gaussian", "RDP", 2)["scale 5 printed"] == pytest.approx(0.04)
    assert row("Gaussian", "RDP", 2)["scale 5 exact"] == pytest.approx(0.04)
    assert row("Laplace", "RDP", 1)["printed formula"] == r"$1/\lambda+e^{-1/\lambda}-1$"
    pure = table[(table["framework"] == "DP") & (table["mechanism"] == "Gaussian")].iloc[0]
    assert pure["scale 1 printed"] == math.inf
    assert pure["scale 1 exact"] == pytest.approx(4.377, abs=1e-3)


def test_an_order_that_was_not_computed_is_an_error(frames: Frames) -> None:
    with pytest.raises(ValueError, match=r"orders = 1\.5"):
        basic_mechanisms.BasicMechanismsTable(orders=[1.5]).build(*frames)
    with pytest.raises(ValueError, match="epsilon_exact"):
        mechanism_orders.MechanismOrders().draw(frames[0].drop(columns="epsilon_exact"), frames[1])
