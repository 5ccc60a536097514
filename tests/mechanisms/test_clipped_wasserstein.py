"""Sensitivities, relations and events of clipped Wasserstein gradients."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wassdp import noise
from wassdp.accounting import accountant
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import (
    ComparedGroups,
    Group,
    Objective,
    equality_of_odds,
    statistical_parity,
)

positive = st.floats(0.01, 100)


def pair(n: int, m: int, *, M: float, L: float | None, K: float | None, both: bool, bound: str) -> Objective:
    return Objective(
        groups=(
            Group(name="x", records=10 * n, batch=n, jacobian_norm=L),
            Group(name="z", records=20 * m, batch=m, jacobian_norm=K, private=both),
        ),
        pairs=(ComparedGroups("x", "z"),),
        output_norm=M,
        bound=bound,
    )


@given(positive, positive, positive, st.integers(1, 50), st.integers(1, 50))
def test_theorems_4_1_and_a_1_as_printed(M, L, K, n, m):
    one = pair(n, m, M=M, L=L, K=K, both=False, bound="published")
    two = pair(n, m, M=M, L=L, K=K, both=True, bound="published")
    assert one.sensitivity == pytest.approx(4 * M * (3 * L + K) / n)
    assert two.sensitivity == pytest.approx(4 * M * max((3 * L + K) / n, (L + 3 * K) / m))


@given(st.floats(0, 1), positive, positive, positive, st.integers(1, 50), st.integers(1, 50))
def test_theorem_6_1_as_printed(alpha, M, L, C, n, m):
    parity = statistical_parity(
        alpha=alpha, records=(n, m), batches=(n, m), output_norm=M, jacobian_norm=L, loss_norm=C, bound="published"
    )
    assert parity.sensitivity == pytest.approx((1 - alpha) * 2 * C / (n + m) + alpha * 16 * M * L / min(n, m))
    sizes = {(0, 0): n, (1, 0): m, (0, 1): 7, (1, 1): 9, (0, 2): 11, (1, 2): 30}
    odds = equality_of_odds(
        alpha=alpha, records=sizes, batches=sizes, output_norm=M, jacobian_norm=L, loss_norm=C, bound="published"
    )
    expected = (1 - alpha) * 2 * C / (n + m + 57) + alpha / 3 * 16 * M * L / min(n, m, 7)
    assert odds.sensitivity == pytest.approx(expected)


@given(positive, positive, positive)
def test_the_tight_bound_is_the_largest_corner_of_its_proof(M, L, K):
    sides = [(M, M), (M, -M), (-M, -M)]
    corners = [
        2 * (L * (abs(high - v) + abs(low - w) + v - w) + K * (high - low))
        for (high, low), (v, w) in itertools.product(sides, sides)
    ]
    found = pair(1, 1, M=M, L=L, K=K, both=False, bound="tight").sensitivity
    assert found == pytest.approx(max(corners))
    assert found <= pair(1, 1, M=M, L=L, K=K, both=False, bound="published").sensitivity


def test_points_that_no_model_is_applied_to_have_no_jacobian():
    # Data generation: L_1 = 0; representation learning: L_2 = 0.
    assert pair(5, 5, M=1.0, L=None, K=2.0, both=False, bound="published").sensitivity == pytest.approx(4 * 2 / 5)
    assert pair(5, 5, M=1.0, L=2.0, K=None, both=False, bound="published").sensitivity == pytest.approx(4 * 6 / 5)


def test_the_sensitivity_of_a_group_adds_up_over_its_pairs():
    groups = tuple(Group(name=name, records=9, batch=3, jacobian_norm=1.0) for name in "abc")
    objective = Objective(
        groups=groups, pairs=(ComparedGroups("a", "b", 0.5), ComparedGroups("a", "c", 0.25)), output_norm=1.0
    )
    assert objective.sensitivity_of("a") == pytest.approx(0.75 * 8 / 3)
    assert objective.sensitivity_of("c") == pytest.approx(0.25 * 8 / 3)
    assert objective.sensitivity == objective.sensitivity_of("a")


def test_events_say_relation_rate_and_multiplier():
    two = ClippedWassersteinGradient(
        objective=pair(5, 6, M=1.0, L=1.0, K=1.0, both=True, bound="tight"), noise_multiplier=3.0
    )
    step = WassersteinGradientStep(
        noise_std=two.noise_std,
        sensitivity=two.objective.sensitivity,
        adjacency="replace-one-inside-class",
        published_sensitivity=pair(5, 6, M=1.0, L=1.0, K=1.0, both=True, bound="published").sensitivity,
    )
    assert two.event(7) == repeated(SampledWithoutReplacement(event=step, records=50, batch=5), 7)
    assert step.reduced().noise_multiplier == pytest.approx(3.0)
    assert step.sensitivity == pytest.approx(8 / 5)
    own = two.event_of("z", 7).events[0]
    assert own.rate == 6 / 120
    assert own.event.reduced().noise_multiplier == pytest.approx(3.0 * 6 / 5)
    one = ClippedWassersteinGradient(
        objective=pair(5, 6, M=1.0, L=1.0, K=1.0, both=False, bound="tight"), noise_multiplier=3.0
    )
    assert one.event(1).adjacency == "replace-one"
    with pytest.raises(ValueError, match="public"):
        one.event_of("z", 1)


@pytest.mark.parametrize("bound", ["tight", "published"])
def test_events_have_both_sensitivities_whichever_scales_the_noise(bound):
    both = pair(5, 6, M=1.0, L=1.0, K=1.0, both=True, bound=bound)
    step = ClippedWassersteinGradient(objective=both, noise_multiplier=3.0).event(7).events[0].event
    assert step.sensitivity == pytest.approx(8 / 5)
    assert step.published_sensitivity == pytest.approx(16 / 5)
    assert step.noise_std == pytest.approx(3.0 * both.sensitivity)
    own = ClippedWassersteinGradient(objective=both, noise_multiplier=3.0).event_of("z", 7).events[0].event
    assert (own.sensitivity, own.published_sensitivity) == (pytest.approx(8 / 6), pytest.approx(16 / 6))


def test_a_group_alone_never_costs_more_than_the_worst():
    mechanism = ClippedWassersteinGradient(
        objective=pair(5, 6, M=1.0, L=1.0, K=2.0, both=True, bound="tight"), noise_multiplier=2.0
    )
    upper = accountant.load("pld")
    whole = upper.epsilon(mechanism.event(20), 1e-5).value
    assert all(upper.epsilon(mechanism.event_of(name, 20), 1e-5).value <= whole for name in "xz")


def test_batches_are_drawn_without_replacement_from_all_records():
    mechanism = ClippedWassersteinGradient(
        objective=pair(5, 6, M=1.0, L=1.0, K=1.0, both=True, bound="tight"), noise_multiplier=1.0
    )
    generator = noise.seeded(0)
    counts = torch.zeros(50)
    for _ in range(2000):
        chosen = mechanism.sample(generator=generator)["x"]
        assert len(chosen.unique()) == 5
        counts[chosen] += 1
    # 200 expected each, standard deviation 13.4; one of 50 beyond 5 deviations: probability below 3e-5.
    assert (counts - 200).abs().max() < 67


def test_noise_has_the_stated_deviation():
    objective = pair(5, 6, M=1.0, L=1.0, K=1.0, both=True, bound="tight")
    mechanism = ClippedWassersteinGradient(objective=objective, noise_multiplier=2.0)
    released = mechanism.release(torch.full((200_000,), 7.0), generator=noise.seeded(0))
    assert mechanism.noise_std == pytest.approx(2 * 8 / 5)
    # 200,000 draws: relative error of the deviation 0.16 %; 1 % is six of them, 2e-9.
    assert float(released.std()) == pytest.approx(mechanism.noise_std, rel=0.01)
    assert float(released.mean()) == pytest.approx(7, abs=6 * mechanism.noise_std / 200_000**0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"M": 0.0}, "output_norm"),
        ({"M": float("nan")}, "output_norm"),
        ({"L": 0.0}, "jacobian_norm"),
        ({"L": -1.0}, "jacobian_norm"),
        ({"n": 0}, "batch"),
        ({"L": None, "K": None}, "one of them trained"),
        ({"bound": "loose"}, "bound"),
    ],
)
def test_bad_objectives_are_refused(change, message):
    good = {"n": 5, "m": 6, "M": 1.0, "L": 1.0, "K": 1.0, "both": True, "bound": "tight"}
    with pytest.raises(ValueError, match=message):
        pair(**(good | change))


def test_bad_groups_pairs_and_weights_are_refused():
    group = Group(name="x", records=5, batch=5, jacobian_norm=1.0)
    other = Group(name="z", records=5, batch=5, jacobian_norm=1.0)
    with pytest.raises(ValueError, match="at least its batch"):
        Group(name="x", records=4, batch=5, jacobian_norm=1.0)
    for arguments, message in (
        ({"groups": (group, group), "pairs": ()}, "name of its own"),
        ({"groups": (group, other), "pairs": (ComparedGroups("x", "x"),)}, "two groups"),
        ({"groups": (group, other), "pairs": (ComparedGroups("x", "y"),)}, "group = 'y'"),
        ({"groups": (group, other), "pairs": (ComparedGroups("x", "z", -1.0),)}, "weight"),
        ({"groups": (group, other), "pairs": (ComparedGroups("x", "z", 0.0),)}, "any weight"),
        ({"groups": (group, other), "pairs": (), "loss_weight": 1.0}, "loss_norm"),
    ):
        with pytest.raises(ValueError, match=message):
            Objective(output_norm=1.0, **arguments)
    with pytest.raises(ValueError, match="private"):
        Objective(
            groups=(Group(name="x", records=5, batch=5, jacobian_norm=1.0, private=False),), pairs=(), output_norm=1.0
        )
    for alpha in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="alpha"):
            statistical_parity(alpha=alpha, records=(5, 5), batches=(5, 5), output_norm=1, jacobian_norm=1, loss_norm=1)
    sizes = {(0, 0): 5, (1, 0): 5, (0, 1): 5}
    with pytest.raises(ValueError, match="every class"):
        equality_of_odds(alpha=1, records=sizes, batches=sizes, output_norm=1, jacobian_norm=1, loss_norm=1)
