"""The probability of a successful attack: its printed values, and the theorem behind it."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from wassdp.accounting.formulas.attack_success import attack_success


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [(0.87, 0.7047456979980911), (0.91, 0.7130001627522816), (0.45, 0.610639233949222), (2.9, 0.948)],
)
def test_values_that_the_authors_computed(epsilon: float, expected: float) -> None:
    assert attack_success(epsilon) == pytest.approx(expected, rel=1e-12 if epsilon < 1 else 1e-3)


def test_from_a_fair_coin_to_certainty() -> None:
    assert attack_success(0.0) == 0.5
    assert attack_success(math.inf) == attack_success(1000.0) == 1.0
    assert attack_success(0.0, 1.0) == 1.0
    assert attack_success(1.0, 1e-3) > attack_success(1.0)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_randomised_response_reaches_it(epsilon: float) -> None:
    """The attacker who believes the answer is right with probability e^ε/(1+e^ε)."""
    truthful = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert attack_success(epsilon) == pytest.approx(truthful, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
@pytest.mark.parametrize("mu", [0.5, 1.0, 3.0])
def test_no_attack_on_the_gaussian_mechanism_is_better(epsilon: float, mu: float) -> None:
    """The best attack decides at the middle, right with probability Φ(μ/2); δ(ε) is the mechanism's own."""
    delta = float(norm.cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2))
    assert norm.cdf(mu / 2) <= attack_success(epsilon, delta) + 1e-12


def test_arguments_are_checked() -> None:
    for epsilon in (-0.1, math.nan):
        with pytest.raises(ValueError, match="epsilon"):
            attack_success(epsilon)
    with pytest.raises(ValueError, match="delta = 2"):
        attack_success(1.0, 2)
