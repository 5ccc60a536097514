"""What every budget should satisfy, and which published formulas do not.

An expected failure is strict: a formula that starts to satisfy a contract fails the test.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from wassdp.accounting.accountant import load
from wassdp.accounting.events.measured_gradients import MeasuredGradients

WASSERSTEIN = ("wasserstein", "wasserstein_text")
NAMES = (*WASSERSTEIN, "bayesian", "moments", "renyi")
DELTA = 1e-5


def measured(steps: int = 4, noise: float = 1.0, unit: float = 1.0) -> MeasuredGradients:
    row = np.random.default_rng(0).uniform(0, 2, 6) * unit
    return MeasuredGradients(
        distances=np.tile(row, (steps, 1)),
        noise_std=np.full(steps, noise * unit),
        clip_norm=np.full(steps, unit),
        rate=0.3,
        adjacency="add-remove",
        coordinates=3,
    )


def budget(name: str, event: MeasuredGradients, delta: float = DELTA) -> float:
    return load(name).epsilon(event, delta).value


def failing(reasons: dict[str, str]) -> list[Any]:
    return [
        pytest.param(name, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=reasons[name]))
        if name in reasons
        else name
        for name in NAMES
    ]


TAIL = "the tail bound charges log(1/delta) / beta or / order even where nothing is released"
GROWS = "WDP Theorem 2: the published loss counts the noise as distance, so it grows with sigma"


@pytest.mark.parametrize("name", failing(dict.fromkeys(NAMES, TAIL)))
def test_nothing_released_costs_nothing(name: str) -> None:
    assert budget(name, measured(0)) == 0


@pytest.mark.parametrize("name", failing(dict.fromkeys(WASSERSTEIN, GROWS)))
def test_no_noise_is_no_privacy(name: str) -> None:
    assert budget(name, measured(noise=0.0)) == math.inf


@pytest.mark.parametrize("name", failing(dict.fromkeys(WASSERSTEIN, GROWS)))
def test_more_noise_never_costs_more(name: str) -> None:
    found = [budget(name, measured(noise=noise)) for noise in (0.5, 1.0, 2.0, 4.0)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_more_steps_never_cost_less(name: str) -> None:
    found = [budget(name, measured(steps)) for steps in (1, 2, 5, 20)]
    assert found == sorted(found)


@pytest.mark.parametrize("name", NAMES)
def test_a_larger_delta_never_costs_more(name: str) -> None:
    found = [budget(name, measured(), delta) for delta in (1e-10, 1e-5, 1e-2)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(
    "name", failing({"bayesian": "Triastcyn and Faltings: one step's estimate depends on the steps of the whole run"})
)
def test_n_equal_steps_cost_n_times_one(name: str) -> None:
    """At one order, above the tail that is charged once."""
    options: dict[str, Any] = {"renyi": {"orders": (3,)}, "bayesian": {"orders": (2,)}, "moments": {"orders": (2,)}}
    accountant = load(name, **options.get(name, {}))
    nothing, one, many = (accountant.epsilon(measured(steps), DELTA).value for steps in (0, 1, 7))
    assert many - nothing == pytest.approx(7 * (one - nothing), rel=1e-9)


@pytest.mark.parametrize(
    "name",
    failing(
        dict.fromkeys(WASSERSTEIN, "WDP Proposition 12: a change of unit is post-processing, and scales the budget")
    ),
)
def test_the_unit_of_the_gradients_does_not_matter(name: str) -> None:
    assert budget(name, measured(unit=10.0)) == pytest.approx(budget(name, measured()), rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_names_what_it_needs(name: str) -> None:
    found = load(name).epsilon(dataclasses.replace(measured(), adjacency="replace-one"), DELTA)
    assert (found.accountant, found.kind, found.adjacency, found.sampling) == (
        name, "published", "replace-one", "poisson",
    )  # fmt: skip
    assert found.assumptions
    assert found.source
