"""The law of a unit vector's squared norm on random directions: closed forms, simulation, the truth between bounds."""

import math

import numpy as np
import pytest
from scipy import stats

from wassdp.accounting.formulas import projected_norm, sliced_tails


@pytest.mark.parametrize("dimension", [2, 3, 5, 100])
@pytest.mark.parametrize("tail", [0.5, 1e-2, 1e-6])
def test_one_direction_has_the_beta_law(dimension, tail):
    low, high = projected_norm.law(1, dimension).quantile(tail)
    exact = stats.beta(0.5, (dimension - 1) / 2).isf(tail)
    assert low - 1e-12 <= exact <= high + 1e-12
    assert high - low < 1e-5


def test_two_directions_in_three_dimensions_agree_with_the_convolution_integral():
    # d = 3: Y is the square of a uniform number, so P(Y1 + Y2 <= h) = pi h / 4 for h <= 1: a quarter of a disc.
    law = projected_norm.law(2, 3)
    for value in (0.1, 0.5, 0.9):
        least, most = law.exceeded(value)
        assert least <= 1 - math.pi * value / 4 <= most
        assert most - least < 1e-4


def test_the_bracket_holds_the_figures_of_the_theory_notes():
    law = projected_norm.law(1000, 784)
    low, high = law.quantile(1e-5)
    assert low <= 1.533 <= high
    assert high - low < 0.003
    least, most = law.exceeded(sliced_tails.central_limit(1000, 784, 1e-5))
    assert least <= 2.8e-5 <= most


def test_finer_grids_lie_inside_coarser_ones():
    fine, coarse = (projected_norm.law(50, 20, points=points) for points in (1 << 18, 1 << 14))
    for tail in (0.3, 1e-3, 1e-8):
        assert coarse.quantile(tail)[0] <= fine.quantile(tail)[0] + fine.step
        assert fine.quantile(tail)[1] <= coarse.quantile(tail)[1] + fine.step


def test_agrees_with_simulation():
    generator = np.random.default_rng(0)
    normal = generator.standard_normal((20_000, 10, 6))
    drawn = (normal[..., 0] ** 2 / (normal**2).sum(axis=-1)).sum(axis=1)
    law = projected_norm.law(10, 6)
    found = stats.kstest(drawn, lambda values: np.array([1 - np.mean(law.exceeded(float(value))) for value in values]))
    assert found.pvalue > 1e-4  # fails for 1 seed in 10,000; the seed is fixed
    centres = np.linspace(0.5, 3.5, 31)
    assert law.density(centres, 0.1).sum() * 0.1 == pytest.approx(np.mean((drawn > 0.45) & (drawn < 3.55)), abs=0.02)


def test_nothing_lies_beyond_the_number_of_directions():
    assert projected_norm.law(2, 4).exceeded(2.5)[0] == 0
    assert projected_norm.law(2, 4).exceeded(2.5)[1] < 1e-9


@pytest.mark.parametrize("tail", [0.0, 1.0, 1e-14, math.nan])
def test_a_tail_that_rounding_would_decide_is_refused(tail):
    with pytest.raises(ValueError, match="tail"):
        projected_norm.law(3, 3).quantile(tail)


def test_impossible_numbers_are_refused():
    for arguments in ((0, 3), (3, 1)):
        with pytest.raises(ValueError, match=r"projections|dimension"):
            projected_norm.law(*arguments)
