"""Figure 1 and Table 1: every value is its formula."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wassdp.experiment import Context, Findings
from wassdp.experiments import mechanism_orders as experiment


def run(**parameters: Any) -> Findings:
    return experiment.run(experiment.Parameters(**parameters), seed=0, context=Context(folder=Path("unused"), code=""))


def curve(findings: Findings, metric: str) -> tuple[np.ndarray, np.ndarray]:
    points = [point for point in findings.history if point.metric == metric]
    assert {point.axis for point in points} == {"order"}
    return np.array([point.position for point in points]), np.array([point.value for point in points])


@pytest.mark.parametrize("scale", [1, 2, 3, 5])
def test_the_curves_of_figure_1(scale: float) -> None:
    gaussian, laplace = (run(mechanism=mechanism, scale=scale) for mechanism in ("gaussian", "laplace"))
    orders, found = curve(gaussian, "renyi/published")
    np.testing.assert_allclose(orders, 1 + np.arange(100) / 11)
    np.testing.assert_allclose(found, orders / (2 * scale**2), rtol=1e-12)
    _, found = curve(gaussian, "wasserstein/published")
    np.testing.assert_allclose(found, (1 / scale) ** (1 / orders) / 2, rtol=1e-12)
    _, found = curve(laplace, "wasserstein/published")
    inner = math.sqrt(2 * (1 / scale + math.exp(-1 / scale) - 1))
    np.testing.assert_allclose(found, inner ** (1 / orders) / 2, rtol=1e-12)
    _, found = curve(laplace, "renyi/published")
    a = orders[1:]
    expected = np.log(a / (2 * a - 1) * np.exp((a - 1) / scale) + (a - 1) / (2 * a - 1) * np.exp(-a / scale)) / (a - 1)
    np.testing.assert_allclose(found[1:], expected, rtol=1e-9)
    assert found[0] == pytest.approx(1 / scale + math.exp(-1 / scale) - 1)


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
def test_the_exact_values_were_computed_and_refute_the_published_distance(mechanism: str) -> None:
    found = run(mechanism=mechanism, scale=2.0, orders=10)
    _, exact = curve(found, "wasserstein/exact")
    _, coupling = curve(found, "wasserstein/coupling")
    _, published = curve(found, "wasserstein/published")
    np.testing.assert_allclose(coupling, exact, rtol=1e-9)
    assert found.metrics["wasserstein_1_quadrature"] == pytest.approx(1.0, abs=1e-8)
    assert (published < exact / 2 + 1e-12).all()
    _, printed = curve(found, "renyi/published")
    _, integrated = curve(found, "renyi/exact")
    np.testing.assert_allclose(printed, integrated, rtol=1e-6)


def test_a_query_and_its_noise_in_another_unit() -> None:
    """Divergences do not see the unit, distances scale with it."""
    once, scaled = (run(mechanism="laplace", scale=unit, sensitivity=unit, orders=5) for unit in (1.0, 10.0))
    for metric, factor in (("renyi/published", 1), ("renyi/exact", 1), ("wasserstein/exact", 10)):
        np.testing.assert_allclose(curve(scaled, metric)[1], factor * curve(once, metric)[1], rtol=1e-9)
    assert scaled.metrics["epsilon_exact"] == pytest.approx(once.metrics["epsilon_exact"])


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match="mechanism"):
        experiment.Parameters(mechanism="exponential", scale=1.0)  # type: ignore[arg-type]
    impossible = experiment.Parameters(mechanism="laplace", scale=1.0, least_order=5, largest_order=2)
    assert impossible.impossible() is not None
