"""Proposals lie in the space, are a function of what was tried, and learn from it."""

from __future__ import annotations

import math

import pytest

from wassdp.protocol.propose import propose
from wassdp.protocol.trials import Trial
from wassdp.selection import Range, Values

SPACE = {
    "rate": Range(low=1e-3, high=1e3, log=True),
    "steps": Range(low=2, high=9, integer=True),
    "method": Values(values=[None, 1, "a", {"b": [1, 2]}]),
}


def trial(number: int, setting: dict, value: float | None) -> Trial:
    return Trial(number=number, setting=setting, value=value, state="failed" if value is None else "complete")


def searched(count: int, objective, seed: str = "x") -> list[Trial]:
    done: list[Trial] = []
    while len(done) < count:
        setting = propose(SPACE, done, seed=seed)
        done.append(trial(len(done), setting, objective(setting)))
    return done


def test_what_is_proposed_lies_in_the_space_and_can_be_typed() -> None:
    for each in searched(25, lambda setting: math.log(setting["rate"])):
        rate, steps, method = (each.setting[name] for name in ("rate", "steps", "method"))
        assert 1e-3 <= rate <= 1e3
        assert rate == float(f"{rate:.3g}")
        assert isinstance(steps, int)
        assert 2 <= steps <= 9
        assert method in SPACE["method"].values


def test_a_search_that_goes_on_is_one_that_never_stopped() -> None:
    whole = searched(9, lambda setting: -abs(math.log(setting["rate"])))
    for there in (0, 3, 8):
        assert propose(SPACE, whole[:there], seed="x") == whole[there].setting


def test_other_seeds_and_other_results_are_other_searches() -> None:
    first = searched(8, lambda setting: math.log(setting["rate"]))
    second = searched(8, lambda setting: -math.log(setting["rate"]))
    assert [each.setting for each in first[:5]] != [each.setting for each in searched(5, lambda _: 0.0, seed="y")]
    assert first[0].setting == second[0].setting
    assert [each.setting for each in first] != [each.setting for each in second]


def test_failed_trials_are_no_obstacle() -> None:
    done = searched(7, lambda setting: None if setting["steps"] > 5 else 1.0)
    assert {each.state for each in done} == {"failed", "complete"}


def test_it_learns() -> None:
    """The last ten of thirty trials lie nearer to the optimum than random ones.

    Those are 1.67 ± 1.1 powers of ten away on average: the mean of fifty is below 1.2 by chance once in a thousand.
    """
    away = [
        abs(math.log10(each.setting["rate"]) - 1)
        for seed in "abcde"
        for each in searched(30, lambda setting: -abs(math.log10(setting["rate"]) - 1), seed)[-10:]
    ]
    assert sum(away) / len(away) < 1.2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"low": 2, "high": 1}, "low = 2: must be below high = 1"),
        ({"low": 0, "high": 1, "log": True}, "low = 0: must be above 0 on a logarithmic scale"),
        ({"low": 0.5, "high": 2, "integer": True}, "must be whole, since integer is true"),
    ],
)
def test_ranges_that_are_none_are_refused(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Range(**given)
