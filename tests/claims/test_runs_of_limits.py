"""Budgets of runs by the library and by plain Fourier transforms; published figures of the limit; batches by counts."""

import numpy as np
import pytest

from wassdp.accounting.formulas.sliced_tails import bernstein
from wassdp.claims import gaussian_limits, subsampled_batches
from wassdp.claims.gaussian_limits import Run
from wassdp.claims.steps_of_releases import SETTINGS, budget, ever, plain_budget


@pytest.mark.parametrize(("stated", "proven"), [(5.0, 5.384), (10.0, 11.229)])
def test_the_limit_states_less_than_is_attained_and_the_account_more(stated, proven):
    run = Run(500, 6000, stated)
    noise = gaussian_limits.calibrated(run, gaussian_limits.poisson_limit)
    assert gaussian_limits.proven(run, noise) == pytest.approx(proven, abs=1e-3)
    plain = gaussian_limits.plain_attained(run, noise), gaussian_limits.plain_proven(run, noise)
    assert stated < plain[0] <= gaussian_limits.attained(run, noise) < gaussian_limits.proven(run, noise) <= plain[1]
    assert plain[0] == pytest.approx(gaussian_limits.attained(run, noise), rel=5e-3)
    assert plain[1] == pytest.approx(gaussian_limits.proven(run, noise), rel=5e-3)


def test_batches_by_counts_and_one_by_one():
    generator = np.random.default_rng(0)
    for _ in range(30):
        case = subsampled_batches.draw(generator)
        rate = max(case.rates)
        found = subsampled_batches.deltas(case, rate)
        assert subsampled_batches.plain_deltas(case, rate) == pytest.approx(found, abs=1e-12)


def test_a_batch_of_all_records_is_not_amplified():
    case = subsampled_batches.Sampled(((2, 2),), ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0)), 0.0)
    assert subsampled_batches.deltas(case, 1.0) == pytest.approx((0.5, 0.5))


def test_the_plain_budget_is_proposition_2_s():
    row = SETTINGS[0]
    assert plain_budget(row, 0.0) == pytest.approx(budget(row, bernstein, 1), rel=1e-3)
    assert plain_budget(row, np.log(row.steps)) == pytest.approx(budget(row, bernstein, row.steps), rel=1e-3)


def test_a_rare_event_in_many_trials():
    assert ever(1e-20, 10) == pytest.approx(1e-19)
    assert ever(0.5, 2) == pytest.approx(0.75)
