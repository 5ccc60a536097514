"""Budgets that may fail: the definition by counting, and the two tail bounds against it."""

import numpy as np
import pytest

from wassdp.accounting.formulas import generalised_wasserstein as generalised


def case(seed):
    generator = np.random.default_rng(seed)
    return generator.exponential(size=(3, 5)), generator.dirichlet(np.ones(5))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("delta", [0.0, 0.1, 0.5])
def test_a_budget_fails_with_delta_at_most_and_the_next_smaller_one_with_more(seed, delta):
    losses, chances = case(seed)
    totals = losses.sum(axis=0)
    budget = generalised.budget(losses, chances, delta)
    assert chances[totals > budget].sum() <= delta + 1e-12
    below = totals[totals < budget]
    if len(below):
        assert chances[totals > below.max()].sum() > delta


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("beta", [0.1, 1.0, 10.0])
def test_markovs_tail_is_never_below_the_probability(seed, beta):
    losses, chances = case(seed)
    for epsilon in (0.5, 2.0, 5.0):
        tail = generalised.chernoff_tail(losses, chances, epsilon, beta)
        assert generalised.failure_probability(losses, chances, epsilon) <= tail * (1 + 1e-12)
        assert generalised.printed_tail(losses, chances, epsilon, beta) <= tail * (1 + 1e-12)  # Jensen's inequality


def test_the_tails_agree_where_nothing_is_random():
    losses, chances = np.array([[2.0], [3.0]]), np.array([1.0])
    tails = [tail(losses, chances, 7.0, 2.0) for tail in (generalised.printed_tail, generalised.chernoff_tail)]
    assert tails == pytest.approx([np.exp(-4)] * 2)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"losses has shape \(1, 1\)"):
        generalised.budget(np.array([[-1.0]]), np.array([1.0]), 0.1)
    with pytest.raises(ValueError, match="probabilities: must be 2 numbers"):
        generalised.budget(np.ones((1, 2)), np.array([0.5, 0.6]), 0.1)
    with pytest.raises(ValueError, match="beta = 0"):
        generalised.printed_tail(np.ones((1, 1)), np.ones(1), 1.0, 0.0)
