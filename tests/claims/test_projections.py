"""The two ways to the tail of the squared sensitivity, and the two to a squared product's law, agree."""

import math

import numpy as np
import pytest
from scipy import special

from wassdp.accounting.formulas.projected_norm import law
from wassdp.accounting.formulas.sliced_tails import central_limit
from wassdp.claims import projected_release, projections
from wassdp.claims.squared_cosine import plain_beta


@pytest.mark.parametrize(("k", "d", "tail"), [(31, 2, 0.01), (31, 3, 1e-3), (200, 784, 1e-5), (100, 50, 1e-7)])
def test_the_saddle_point_s_line_lies_in_the_bracket_of_the_fourier_transform(k, d, tail):
    value = central_limit(k, d, tail)
    least, most = law(k, d, points=1 << 17).exceeded(value)
    assert least <= projections.beyond(k, d, value) <= most
    assert most < 1.2 * least


def test_the_mean_and_what_cannot_be_exceeded_are_refused():
    for value in (0.5, 31.0):
        with pytest.raises(ValueError, match=r"value = .*: must be above the mean, 10.3333, and below 31"):
            projections.beyond(31, 3, value)


def test_drawn_directions_follow_the_law():
    squares = projections.simulated(5, 3)
    assert squares.mean() == pytest.approx(5 / 3, abs=0.02)
    value = float(np.quantile(squares, 0.9))
    assert projections.surely_beyond(5, 3, value) < law(5, 3).exceeded(value)[0]


@pytest.mark.parametrize("d", [2, 3, 10, 100])
def test_the_plain_beta_law_is_the_library_s(d):
    values = np.linspace(0, 1, 101)
    assert plain_beta(d, values) == pytest.approx(special.betainc(0.5, (d - 1) / 2, values), abs=1e-7)


def test_little_noise_exceeds_what_the_clt_bound_states_and_budgets_like_the_paper_s_do_not():
    """What docs/theory.md says in section 8: one case by hand, and what a search with a fixed seed finds."""
    best = 1 + math.sqrt(2 * 0.01**2 * math.log(2 / 5e-6) / central_limit(31, 50, 2.5e-6))
    case = projected_release.Release(projections=31, dimension=50, noise=0.01, order=best, delta=5e-6)
    assert projected_release.stated(case, central_limit) == pytest.approx(7172, abs=1)
    below = projected_release.plain_of_many(case, projected_release.printed_central_limit)
    assert 4.2 < below < projected_release.ratio(case, central_limit) < 4.7
    generator = np.random.default_rng(0)
    cases = [projected_release.draw(generator, (31, 50, 100)) for _ in range(1500)]
    ratios = {
        moderate: max(
            projected_release.ratio(case, central_limit)
            for case in cases
            if (projected_release.stated(case, central_limit) <= 1000) == moderate
        )
        for moderate in (True, False)
    }
    assert ratios[True] < 0.5
    assert ratios[False] > 4
