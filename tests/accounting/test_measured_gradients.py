"""How a worst-case accountant reads measured gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wassdp.accounting.event import decode, encode
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.events.poisson_sampled import PoissonSampled


def event(**changes: object) -> MeasuredGradients:
    fields: dict[str, object] = {
        "distances": np.ones((3, 4)),
        "noise_std": np.array([0.2, 0.4, 0.6]),
        "clip_norm": np.array([1.0, 2.0, 3.0]),
        "rate": 0.01,
        "adjacency": "replace-one",
    }
    return MeasuredGradients(**(fields | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("adjacency", "multiplier"),
    [("replace-one", 0.1), ("replace-one-inside-class", 0.1), ("add-remove", 0.2), ("zero-out", 0.2)],
)
def test_replacing_a_gradient_moves_the_sum_twice_as_far(adjacency: str, multiplier: float) -> None:
    worst = event(adjacency=adjacency).worst_case()
    assert worst is not None
    assert worst.counts == (3,)
    (step,) = worst.events
    assert isinstance(step, PoissonSampled)
    assert isinstance(step.event, Gaussian)
    assert step.rate == 0.01
    assert step.event.noise_multiplier == pytest.approx(multiplier, rel=1e-15)
    assert step.event.noise_multiplier <= (event().noise_std / event().clip_norm).max()
    assert worst.adjacency == adjacency


def test_steps_with_different_noise_stay_apart() -> None:
    worst = event(noise_std=np.array([0.2, 0.4, 0.9])).worst_case()
    assert worst is not None
    assert worst.counts == (2, 1)


def test_without_sampling() -> None:
    worst = event(rate=1.0, sampling="full").worst_case()
    assert worst is not None
    assert isinstance(worst.events[0], Gaussian)


def test_one_unclipped_step_is_enough_for_no_finite_budget() -> None:
    assert event(clip_norm=np.array([1.0, math.inf, 1.0])).worst_case() is None


def test_no_steps() -> None:
    worst = event().first(0).worst_case()
    assert worst is not None
    assert worst.steps == 0


def test_refuses_a_scheme_without_a_worst_case_here() -> None:
    with pytest.raises(ValueError, match="sampling"):
        event(sampling="shuffled").worst_case()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("clip_norm", np.array([1.0, 0.0, 1.0])),
        ("clip_norm", np.array([1.0, 1.0])),
        ("noise_std", np.array([1.0, math.nan, 1.0])),
        ("threshold", np.array([1.0, math.inf, 1.0])),
        ("coordinates", 0),
        ("adjacency", "neighbours"),
    ],
)
def test_refuses_what_is_out_of_range(name: str, value: object) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        event(**{name: value})


def test_survives_a_file() -> None:
    original = event(threshold=np.array([1.0, 2.0, 3.0]), coordinates=7, clip_norm=np.full(3, math.inf))
    again = decode(encode(original))
    assert isinstance(again, MeasuredGradients)
    assert encode(again) == encode(original)
    assert again.coordinates == 7


def test_first_keeps_every_array_in_step() -> None:
    short = event(threshold=np.array([1.0, 2.0, 3.0])).first(2)
    assert short.steps == 2
    assert short.threshold is not None
    assert short.threshold.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="steps = 4"):
        event().first(4)
