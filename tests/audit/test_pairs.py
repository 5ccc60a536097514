"""Every release at its worst neighbours, found by listing: calibrated, told apart as far as proven, and no further."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from typing import Any

import numpy as np
import pytest

from wassdp import mechanisms, noise
from wassdp.accounting.guarantee import ContradictionError
from wassdp.audit import mechanism, pair
from wassdp.audit.bound import LowerBound
from wassdp.audit.game import play
from wassdp.audit.mechanism import audit_mechanism
from wassdp.audit.pair import Pair
from wassdp.audit.scores import Scores
from wassdp.mechanisms.base import Mechanism
from wassdp.tangent import gibbs

DELTA = 1e-5
NAMES = pair.PAIRS.names()
PROVEN = [name for name in NAMES if pair.load(name).accountant.kind == "upper"]
UNPAIRED: dict[str, str] = {}
"""Mechanisms without a pair of their own, and why."""
WRONG = {"merf": 100_000, "moments": 100_000, "class_sums": 100_000, "class_grams": 100_000}
"""Trials that find too little noise, of releases whose trials take longer; all records enter them."""
each = pytest.mark.parametrize("name", NAMES)


@functools.cache
def at(name: str, epsilon: float = 1.0) -> Pair:
    return pair.load(name).at(epsilon, DELTA)


@functools.cache
def played(name: str, trials: int = 20_000) -> Scores:
    return play(at(name), trials=trials, seed=3)


def lower(name: str) -> tuple[LowerBound, ...]:
    return audit_mechanism(at(name), trials=100_000, delta=DELTA, confidence=0.999, seed=5)


def test_every_mechanism_has_a_pair_or_a_reason() -> None:
    modules = [
        importlib.import_module(f"{mechanisms.__name__}.{file.name}")
        for file in pkgutil.iter_modules(mechanisms.__path__)
    ]
    found = {
        value
        for module in modules
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Mechanism) and not inspect.isabstract(value)
    }
    attacked = {pair.load(name).attacks for name in NAMES}
    assert found
    assert {unpaired.__name__ for unpaired in found - attacked} == set(UNPAIRED)


@each
def test_its_noise_is_that_at_which_the_claim_is_met(name: str) -> None:
    claim = at(name).claim(DELTA)
    assert claim.value == pytest.approx(1, rel=5e-3)
    assert claim.kind == "published" or claim.value <= 1
    assert at(name, 0.5).claim(DELTA).value < claim.value


@each
def test_it_says_what_is_attacked(name: str) -> None:
    chosen = at(name)
    assert all(words and "\n" not in words for words in (chosen.neighbours, chosen.attacked, chosen.noise_unit))
    with pytest.raises(ValueError, match=r"noise = 0\.0: must be above 0"):
        type(chosen)(noise=0.0)


@each
def test_there_are_as_many_scores_as_trials_and_a_seed_repeats_them(name: str) -> None:
    first, again = (play(at(name), trials=7, seed=1) for _ in range(2))
    assert first.present.shape == first.absent.shape == (7,)
    np.testing.assert_array_equal(first.present, again.present)
    np.testing.assert_array_equal(first.absent, again.absent)


@pytest.mark.parametrize("name", PROVEN)
def test_scores_are_the_logarithms_of_the_worlds_densities_ratio(name: str) -> None:
    """Then E_P exp(-L) = E_Q exp(L) = 1. Five standard errors: one case in two million fails by chance."""
    scores = played(name)
    for ratios in (np.exp(-scores.present), np.exp(scores.absent)):
        assert abs(ratios.mean() - 1) < 5 * ratios.std() / np.sqrt(ratios.size)
        assert ratios.std() > 0.01


@pytest.mark.parametrize("name", PROVEN)
def test_lower_bounds_come_close_to_what_is_proven_and_stay_below(name: str) -> None:
    """By chance: each bound lies above one seed in a thousand, and the fit is as small as often."""
    proven = at(name).claim(DELTA).value
    free, family = (bound.estimate for bound in lower(name))
    assert (free.basis, family.basis) == ("distribution-free", "family-based")
    assert free.epsilon <= proven
    assert 0.6 * proven < family.epsilon <= proven
    # Scores of two values fall into two bins, which some curve of every family goes through: there is no test.
    values = np.unique(np.concatenate([played(name).present, played(name).absent])).size
    assert (family.fit is None) == (values == 2)
    assert family.fit is None or family.fit > 1e-3


@pytest.mark.parametrize("name", PROVEN)
def test_a_tenth_of_the_noise_left_out_contradicts_what_is_proven(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pair_at_four = at(name, 4.0)
    rounded, posterior = noise.rounded, gibbs.posterior
    monkeypatch.setattr(noise, "rounded", lambda x, *, std, generator: rounded(x, std=0.9 * std, generator=generator))
    monkeypatch.setattr(gibbs, "posterior", lambda risks, beta, **options: posterior(risks, beta / 0.9, **options))
    with pytest.raises(ContradictionError, match=f"^{name}: .*proven"):
        audit_mechanism(pair_at_four, trials=WRONG.get(name, 400_000), delta=DELTA, seed=6)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(PROVEN)))
def test_a_published_figure_that_is_contradicted_is_a_finding(name: str) -> None:
    claim = at(name).claim(DELTA)
    (found,) = audit_mechanism(at(name), trials=10_000, delta=DELTA)
    assert found.estimate.epsilon > 5 * claim.value
    assert found.guarantee().label == "lower/mechanism"
    assert found.attacked == at(name).attacked


def test_more_trials_than_are_kept_are_counted_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, trials = at("gaussian"), 150_000
    (all_kept, _) = audit_mechanism(chosen, trials=trials, delta=DELTA)
    monkeypatch.setattr(mechanism, "KEPT", 50_000)
    (found, _) = audit_mechanism(chosen, trials=trials, delta=DELTA)
    (again, _) = audit_mechanism(chosen, trials=trials, delta=DELTA)
    assert found == again
    assert found.estimate.trials == all_kept.estimate.trials == 2 * trials
    assert found.estimate.threshold == all_kept.estimate.threshold
    assert 0.3 < found.estimate.epsilon < 1
    assert 0.3 < all_kept.estimate.epsilon < 1


def test_the_truth_is_exceeded_no_more_often_than_stated_where_every_trial_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 20 bounds at confidence 0.8, 4 are expected above the truth; more than 10 has probability 6e-4."""
    monkeypatch.setattr(mechanism, "KEPT", 2000)
    chosen = at("gaussian", 2.0)
    truth = chosen.claim(DELTA).value
    found = [audit_mechanism(chosen, trials=6000, delta=DELTA, confidence=0.8, seed=seed)[1] for seed in range(20)]
    assert sum(bound.estimate.epsilon > truth for bound in found) <= 10
    assert float(np.mean([bound.estimate.epsilon for bound in found])) > 0.9 * truth


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"trials": 99}, "trials = 99: must be a whole number of at least 100"),
        ({"trials": 10**11}, "trials = 100000000000: must be at most 10000000000"),
        ({"delta": 0.0}, "delta = 0.0"),
        ({"confidence": 1.0}, "confidence = 1.0"),
        ({"seed": -1}, "seed = -1"),
    ],
    ids=str,
)
def test_what_no_audit_can_use_is_refused_before_any_work(
    change: dict[str, Any], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanism, "play", None)
    with pytest.raises(ValueError, match=line):
        audit_mechanism(at("gaussian"), **({"trials": 1000, "delta": DELTA} | change))


def test_no_noise_gives_an_impossible_budget() -> None:
    with pytest.raises(ValueError, match=r"epsilon = 0.1: no noise gives that published figure at delta = 1e-05"):
        at("published_step", 0.1)
    with pytest.raises(ValueError, match=r"epsilon = 0\.0: must be above 0"):
        pair.load("gaussian").at(0.0, DELTA)
    with pytest.raises(ValueError, match="mechanism = 'gaussians': did you mean gaussian\\? must be one of "):
        pair.load("gaussians")
