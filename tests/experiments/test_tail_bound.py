"""Figure 3: every value is its formula."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from wassdp.experiment import Context, Findings
from wassdp.experiments import tail_bound as experiment


def run(**parameters: Any) -> Findings:
    return experiment.run(experiment.Parameters(**parameters), seed=0, context=Context(folder=Path("unused"), code=""))


def curve(findings: Findings, metric: str) -> tuple[np.ndarray, np.ndarray]:
    points = [point for point in findings.history if point.metric == metric]
    return np.array([point.position for point in points]), np.array([point.value for point in points])


def test_panel_a() -> None:
    found = run()
    for delta in (1e-10, 1e-8, 1e-5, 1e-3):
        betas, values = curve(found, f"published/delta/{delta:g}")
        np.testing.assert_array_equal(betas, np.arange(1, 51))
        np.testing.assert_allclose(values, 10 - math.log(delta) / betas, rtol=1e-12)


def test_panel_b() -> None:
    found = run()
    for beta in (1, 2, 5, 10):
        deltas, values = curve(found, f"published/beta/{beta}")
        assert (deltas[0], deltas[-1]) == (pytest.approx(1e-10), pytest.approx(1e-5))
        np.testing.assert_allclose(values, 10 - np.log(deltas) / beta, rtol=1e-12)


def test_the_companion_has_the_same_losses_and_the_exact_budget() -> None:
    """Ten releases at noise σ are one Gaussian mechanism with μ = sqrt(10) / σ."""
    found = run(points=11)
    assert found.metrics["total_smallest"] == pytest.approx(10.0, abs=1e-6)
    assert found.metrics["total_largest"] == pytest.approx(10.0, abs=1e-6)
    for scale in (0.5, 1, 2, 5, 10):
        deltas, values = curve(found, f"exact/scale/{scale:g}")
        mu = math.sqrt(10) / scale
        profile = norm.cdf(mu / 2 - values / mu) - np.exp(values + norm.logcdf(-mu / 2 - values / mu))
        np.testing.assert_allclose(profile, deltas, rtol=1e-4)
        assert (np.diff(values) < 0).all()
    one, other = (curve(found, f"exact/scale/{scale}")[1] for scale in ("0.5", "10"))
    assert (one > 20 * other).all()


def test_parameters_are_checked() -> None:
    assert experiment.Parameters(least_delta=1e-5, largest_delta=1e-10).impossible() is not None
    with pytest.raises(ValueError, match="betas"):
        experiment.Parameters(betas=(0.0,))
    for name in ("deltas", "betas", "noise_scales"):
        with pytest.raises(ValueError, match=f"{name}\n.*at least 1 item"):
            experiment.Parameters(**{name: []})
