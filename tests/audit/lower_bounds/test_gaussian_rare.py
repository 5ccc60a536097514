"""The noncentral t at few scores and rare levels, against Student's law of the same statistic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from wassdp.audit.scores import Scores
from wassdp.audit.statistics import gaussian


@pytest.mark.parametrize("confidence", [0.95, 0.999, 0.9999, 1 - 1e-6])
@pytest.mark.parametrize("absent", [2, 3, 4, 6, 40])
def test_a_true_null_is_rejected_as_rarely_as_is_said(absent: int, confidence: float) -> None:
    # One present score at x, a known centre: x over the deviation is Student's t, and the first x that bounds anything
    # is where the null is rejected.
    other = np.where(np.arange(absent) % 2, 1.0, -1.0)
    scale = math.sqrt(float((other**2).sum()) / absent)
    low, high = 1e-3, 1e12
    while high / low > 1 + 1e-9:
        middle = math.sqrt(low * high)
        rejected = gaussian.least_mean(Scores(np.array([middle * scale]), other), confidence, 0.0) > 0
        low, high = (low, middle) if rejected else (middle, high)
    assert stats.t.sf(high, absent) == pytest.approx(1 - confidence, rel=1e-4)


@pytest.mark.parametrize("confidence", [0.95, 1 - 1e-6])
@pytest.mark.parametrize(("present", "absent", "mean"), [(3, 4, 200.0), (10, 12, 9.0), (500, 500, 1.0)])
def test_the_least_mean_is_where_the_noncentral_t_is_as_rare(
    present: int, absent: int, mean: float, confidence: float
) -> None:
    generator = np.random.default_rng(present)
    scores = Scores(generator.normal(mean, 1, present), generator.normal(0, 1, absent))
    found = gaussian.least_mean(scores, confidence, None)
    assert found > 0
    freedom, width = present + absent - 2, math.sqrt(1 / present + 1 / absent)
    t = stats.ttest_ind(scores.present, scores.absent).statistic
    assert 1 - special.nctdtr(freedom, found / width, t) == pytest.approx(1 - confidence, rel=1e-3)


@pytest.mark.parametrize("factor", [0.5, 2.0, math.nan])
def test_no_inverse_of_the_gamma_law_is_believed(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    scores = Scores(generator.normal(2, 1, 9), generator.normal(0, 1, 8))
    known, inverse = gaussian.least_mean(scores, 0.99, None), special.gammaincinv
    monkeypatch.setattr(special, "gammaincinv", lambda *args: factor * inverse(*args))
    assert gaussian.least_mean(scores, 0.99, None) == pytest.approx(known, rel=1e-4)
