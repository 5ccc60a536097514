"""Counts of people of the synthetic data, and how far chance takes them."""

import numpy as np
import pytest

from wassdp.claims import biased_draws
from wassdp.claims.biased_draws import People, over_chance


def test_a_count_is_put_in_six_standard_errors():
    assert over_chance({(0,): 530.0}, {(0,): 0.5}, 1000) == pytest.approx(30 / (6 * np.sqrt(250)))
    assert over_chance({}, {(0,): 0.5}, 100) == pytest.approx(50 / 30)


def test_people_who_are_drawn_one_by_one_are_those_of_the_sample():
    case = People(30_000, 0.7, 5)
    people = case.drawn()
    plain = np.array(list(case.plain()))
    assert np.array_equal(plain[:, 2] == 1, plain[:, :2].sum(axis=1) > 1)
    for column, drawn in ((0, people.response[:, 0]), (1, people.response[:, 1]), (2, people.labels)):
        assert plain[:, column].mean() == pytest.approx(drawn.mean(), abs=6 * 0.5 / np.sqrt(biased_draws.PLAIN))
    agree = (plain[:, 2] == plain[:, 3]).mean(), (people.labels == people.sensitive).mean()
    assert agree == pytest.approx((0.7, 0.7), abs=6 * 0.46 / np.sqrt(biased_draws.PLAIN))


def test_simpler_cases_have_a_rounder_agreement_that_still_occurs():
    for other in biased_draws.simpler(People(1001, 0.123456, 1)):
        assert other.size >= 1000
        assert 0.1 <= other.agreement <= 0.9
