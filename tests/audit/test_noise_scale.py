"""The attack on the noise's scale: valid, close to the proven bound, 0 with its reason, loud where noise is missing."""

import dataclasses
import math
import re

import numpy as np
import pytest
import torch
from scipy import stats

from wassdp import noise
from wassdp.accounting import consistency
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.guarantee import ContradictionError
from wassdp.accounting.numerics import exact
from wassdp.accounting.reach import UNKNOWN, Reach
from wassdp.audit import noise_scale
from wassdp.audit.one_way import one_way
from wassdp.audit.rescaled import rescaled

WHOLE = Reach(1.0, "records at distance 1")
GAUSSIAN = Gaussian(noise_multiplier=1.3, adjacency="add-remove")
EVENTS: dict[str, Event] = {
    "gaussian": repeated(GAUSSIAN, 7),
    "poisson": repeated(PoissonSampled(event=GAUSSIAN, rate=0.01), 1000),
    "sliced": repeated(
        SampledWithoutReplacement(
            event=SlicedProjections(noise_std=2.0, projections=50, dimension=20), records=1000, batch=50
        ),
        100,
    ),
    "wide": repeated(Gaussian(noise_multiplier=300.0, adjacency="replace-one"), 3),
}


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_the_bound_lies_just_below_the_proven_one(event: Event) -> None:
    proven = PLDAccountant().epsilon(event, 1e-5).value
    found = noise_scale.guarantee(event, 1e-5, WHOLE)
    assert found.label == "lower/noise_scale_family"
    attained = exact.epsilon(one_way(event), 1e-5).lower
    if event is EVENTS["sliced"]:
        # What one pair of neighbours attains is less than what is proven of all where fixed batches are drawn.
        assert attained < 0.99 * proven
    else:
        assert attained == pytest.approx(proven, rel=1e-3)
    # A million numbers know their deviation to 0.4 % at this confidence, which moves these ε by at most 1.5 %.
    assert 0.985 * attained < found.value < attained


def test_of_sampled_batches_a_pair_attains_what_is_stated_and_not_all_that_is_proven() -> None:
    """By a million runs of 30 steps in either order: δ at either ε within five standard errors.

    The pair: batches of which a share holds the record, against batches that are all alike.
    """
    rate, steps, delta, trials = 0.2, 30, 0.02, 1_000_000
    gaussian = Gaussian(noise_multiplier=1.0, adjacency="replace-one")
    proven = repeated(SampledWithoutReplacement(event=gaussian, records=100, batch=20), steps)
    generator = np.random.default_rng(5)
    losses = np.zeros((2, trials))
    for _ in range(steps):
        for place, present in enumerate((True, False)):
            entered = (generator.random(trials) < rate) & present
            seen = generator.standard_normal(trials) + entered
            losses[place] += np.logaddexp(math.log1p(-rate), math.log(rate) + seen - 0.5) * (1 if present else -1)
    found = {}
    for name, event in (("attained", one_way(proven)), ("proven", proven)):
        epsilon = exact.epsilon(event, delta).upper
        reached = np.maximum(-np.expm1(np.minimum(epsilon - losses, 0)), 0)
        found[name] = reached.mean(axis=1).max(), 5 * reached.std() / math.sqrt(trials)
    assert abs(found["attained"][0] - delta) < found["attained"][1] + 1e-3 * delta
    assert found["proven"][0] + found["proven"][1] < delta


def test_the_deviation_is_underestimated_as_rarely_as_stated() -> None:
    """The limit fails with probability 0.2 each: of 400, 110 and more with probability below 1e-3."""
    below = sum(noise_scale.drawn(1.7, numbers=500, confidence=0.8, seed=seed).ratio < 1 for seed in range(400))
    assert stats.binom.ppf(1e-3, 400, 0.2) <= below <= stats.binom.isf(1e-3, 400, 0.2)


@pytest.mark.parametrize("factor", [0.9, 1.1, math.nan])
def test_no_inverse_of_the_chi_squared_law_is_believed(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    known, inverse = noise_scale.drawn(2.5, numbers=500, confidence=0.8).ratio, stats.chi2.ppf
    monkeypatch.setattr(stats.chi2, "ppf", lambda *args: factor * inverse(*args))
    noise_scale.drawn.cache_clear()
    found = noise_scale.drawn(2.5, numbers=500, confidence=0.8).ratio
    noise_scale.drawn.cache_clear()
    assert found == pytest.approx(known, rel=1e-8)


def test_the_fit_is_uniform_for_the_noise_that_is_drawn_and_small_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = [noise_scale.drawn(0.9, numbers=5000, seed=seed).fit for seed in range(200)]
    assert stats.kstest(fits, "uniform").pvalue > 1e-3
    laplace = np.random.default_rng(0).laplace(size=5000)
    monkeypatch.setattr(noise, "rounded", lambda x, *, std, generator: x + std * torch.from_numpy(laplace))
    assert noise_scale.drawn(0.8, numbers=5000).fit < 1e-9


def test_a_shorter_reach_is_as_much_more_noise() -> None:
    event = EVENTS["gaussian"]
    half = noise_scale.guarantee(event, 1e-5, Reach(0.5, "half as far")).value
    assert half == pytest.approx(noise_scale.guarantee(rescaled(event, 2.0), 1e-5, WHOLE).value, rel=5e-3)


@pytest.mark.parametrize(
    ("event", "reach", "reason"),
    [
        (EVENTS["gaussian"], UNKNOWN, UNKNOWN.how),
        (qualified(repeated(GAUSSIAN, 1), exposed=("the mean",)), WHOLE, r"no noise covers all .* \(the mean\)"),
        (repeated(Gaussian(noise_multiplier=0.0, adjacency="add-remove"), 1), WHOLE, "stated deviation"),
        (Gibbs(inverse_temperature=1.0, risk_range=1.0, records=10), WHOLE, "stated deviation"),
    ],
    ids=("unknown", "exposed", "no noise", "gibbs"),
)
def test_where_there_is_none_the_row_is_zero_and_says_why(event: Event, reach: Reach, reason: str) -> None:
    found = noise_scale.guarantee(event, 1e-5, reach)
    assert found.value == 0
    (note,) = found.assumptions
    assert re.search(reason, note)


def test_too_little_noise_contradicts_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    event, real = EVENTS["poisson"], noise.rounded
    proven = [PLDAccountant().epsilon(event, 1e-5)]
    consistency.refuse_contradicted([noise_scale.guarantee(event, 1e-5, WHOLE)], proven)
    monkeypatch.setattr(noise, "rounded", lambda x, *, std, generator: real(x, std=0.98 * std, generator=generator))
    noise_scale.drawn.cache_clear()
    try:
        with pytest.raises(ContradictionError, match=r"an attack contradicts a proof: upper/pld .*noise_scale_family"):
            consistency.refuse_contradicted([noise_scale.guarantee(event, 1e-5, WHOLE)], proven)
    finally:
        noise_scale.drawn.cache_clear()


def test_only_proofs_at_the_attacks_delta_or_a_smaller_one_can_be_contradicted() -> None:
    low = noise_scale.guarantee(EVENTS["gaussian"], 1e-5, WHOLE)
    claim = PLDAccountant().epsilon(EVENTS["gaussian"], 1e-5).model_copy(update={"epsilon": low.value / 2})
    with pytest.raises(ContradictionError):
        consistency.refuse_contradicted([low], [claim])
    consistency.refuse_contradicted([low], [claim.model_copy(update={"delta": 1e-3})])
    consistency.refuse_contradicted([low], [claim.model_copy(update={"kind": "published"})])


def test_every_noise_inside_an_event_is_rescaled() -> None:
    sliced = SlicedProjections(noise_std=2.0, projections=5, dimension=20)
    event = repeated(SampledWithoutReplacement(event=sliced, records=100, batch=5), 3)
    assert rescaled(event, 1.5) == repeated(
        SampledWithoutReplacement(event=dataclasses.replace(sliced, noise_std=3.0), records=100, batch=5), 3
    )
    gibbs = Gibbs(inverse_temperature=6.0, risk_range=1.0, records=10)
    assert rescaled(gibbs, 2.0) == dataclasses.replace(gibbs, inverse_temperature=3.0)
    with pytest.raises(ValueError, match="ratio = "):
        rescaled(event, 0.0)


@pytest.mark.parametrize(("argument", "value"), [("std", 0.0), ("std", math.inf), ("numbers", 3), ("confidence", 1.0)])
def test_bad_arguments_are_one_line(argument: str, value: float) -> None:
    arguments = {"std": 1.0} | {argument: value}
    with pytest.raises(ValueError, match=f"{argument} = "):
        noise_scale.drawn(arguments.pop("std"), **arguments)  # type: ignore[arg-type]
