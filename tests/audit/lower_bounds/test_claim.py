"""The test of a claim: its level for correct code, its power against wrong code, extreme scores and events."""

import numpy as np
import pytest

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import qualified
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import claim
from wassdp.audit.statistics.curve import curve


def gaussian(noise: float) -> Gaussian:
    return Gaussian(noise_multiplier=noise, adjacency="add-remove")


def sampled(noise: float, rate: float) -> Event:
    return repeated(PoissonSampled(event=gaussian(noise), rate=rate), 1)


def releases(generator: np.random.Generator, noise: float, rate: float, trials: int) -> Scores:
    """Of a counting query with noise: what a Poisson sample with the record gives, and what one without it gives."""
    entered = generator.random(trials) < rate
    return Scores(entered + noise * generator.normal(size=trials), noise * generator.normal(size=trials))


def rejections(event: Event, noise: float, rate: float, *, trials: int, repetitions: int, confidence: float) -> int:
    generator = np.random.default_rng(5)
    return sum(
        claim.test(releases(generator, noise, rate, trials), event, confidence=confidence).rejected
        for _ in range(repetitions)
    )


@pytest.mark.parametrize(
    ("noise", "rate", "trials"),
    [(1.0, 1.0, 100), (1.0, 1.0, 3000), (0.3, 1.0, 3000), (1.0, 0.1, 3000), (0.3, 0.2, 3000)],
)
def test_correct_code_is_rejected_no_more_often_than_stated(noise: float, rate: float, trials: int) -> None:
    """200 repetitions at confidence 0.9: more than 35 has probability 4e-4."""
    event = gaussian(noise) if rate == 1 else sampled(noise, rate)
    assert rejections(event, noise, rate, trials=trials, repetitions=200, confidence=0.9) <= 35


def test_laplace_noise_is_not_rejected() -> None:
    """Its likelihood ratio has ties at both ends, where claims hold with equality: 35 of 200, as above."""
    generator = np.random.default_rng(3)
    event = Laplace(noise_multiplier=0.5, adjacency="add-remove")
    found = 0
    for _ in range(200):
        present, absent = generator.laplace(0, 0.5, 2000) + 1, generator.laplace(0, 0.5, 2000)
        scores = Scores(*(np.clip(values, 0, 1) for values in (present, absent)))
        found += claim.test(scores, event, confidence=0.9).rejected
    assert found <= 35


@pytest.mark.parametrize(
    ("claimed", "noise", "rate", "trials"),
    [
        (gaussian(1.0), 0.9, 1.0, 40_000),
        (gaussian(1.0), 0.5, 1.0, 500),
        (sampled(1.0, 0.1), 1.0, 0.15, 100_000),
        (sampled(1.0, 0.1), 0.7, 0.1, 100_000),
        (gaussian(0.2), 0.18, 1.0, 20_000),
    ],
    ids=["noise 0.9", "half noise", "rate 0.15", "noise 0.7, sampled", "noise 0.18"],
)
def test_wrong_code_is_rejected(claimed: Event, noise: float, rate: float, trials: int) -> None:
    """All of 10 at confidence 0.999."""
    assert rejections(claimed, noise, rate, trials=trials, repetitions=10, confidence=0.999) == 10


def test_present_and_absent_are_told_apart_where_sampling_does() -> None:
    """The curve of a sampled Gaussian touches the errors of its own likelihood ratio in that order of the worlds."""
    generator = np.random.default_rng(1)
    scores = releases(generator, 0.5, 0.1, 2_000_000)
    thresholds = np.linspace(-1, 2, 13)
    positives = np.array([np.mean(scores.absent > cut) for cut in thresholds])
    negatives = np.array([np.mean(scores.present <= cut) for cut in thresholds])
    claimed = curve(sampled(0.5, 0.1)).false_negatives(positives)
    assert np.abs(claimed - negatives).max() < 3e-3
    mirrored = curve(sampled(0.5, 0.1)).false_negatives(negatives)
    assert np.abs(mirrored - positives).max() > 1e-2


def test_an_unbounded_claim_cannot_be_rejected() -> None:
    certain = Scores(np.full(1000, np.inf), np.full(1000, -np.inf))
    for event in (gaussian(0.0), qualified(repeated(gaussian(1.0), 3), exposed=("a mean",))):
        assert claim.test(certain, event).p_value == 1
    assert claim.test(certain, repeated(gaussian(0.01), 10)).p_value == 1


def test_certainty_rejects_every_bounded_claim() -> None:
    certain = Scores(np.full(1000, np.inf), np.full(1000, -np.inf))
    verdict = claim.test(certain, gaussian(1.0))
    assert verdict.rejected
    assert verdict.p_value == pytest.approx(1e-5, rel=1e-3)
    assert max(verdict.false_positives, verdict.false_negatives) < 0.02
    assert claim.test(certain, repeated(gaussian(1.0), 0)).rejected


@pytest.mark.parametrize("trials", [2, 3, 50])
def test_equal_or_few_scores_reject_nothing(trials: int) -> None:
    assert not claim.test(Scores(np.zeros(trials), np.zeros(trials)), gaussian(10.0)).rejected
    assert not claim.test(Scores(np.ones(2), np.zeros(2)), gaussian(10.0)).rejected


def test_more_confidence_rejects_less() -> None:
    scores = releases(np.random.default_rng(2), 0.8, 1.0, 3000)
    verdicts = [claim.test(scores, gaussian(1.0), confidence=confidence) for confidence in (0.9, 0.99, 0.999999)]
    assert verdicts[0].rejected
    assert not verdicts[-1].rejected
    assert verdicts[0].p_value >= verdicts[1].p_value


@pytest.mark.parametrize("confidence", [0.0, 1.0, float("nan"), float("inf")])
def test_bad_input_is_one_line(confidence: float) -> None:
    with pytest.raises(ValueError, match=f"confidence = {confidence}"):
        claim.test(Scores(np.zeros(9), np.zeros(9)), gaussian(1.0), confidence=confidence)
    refused = PoissonSampled(event=Gibbs(inverse_temperature=1.0, risk_range=1.0, records=10), rate=0.5)
    with pytest.raises(ValueError, match="event: a Gibbs draw refers to all records"):
        claim.test(Scores(np.zeros(9), np.zeros(9)), refused)
