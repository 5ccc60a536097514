"""Whole trainings by the published WDP step: as far told apart as proven, and far above the published budget."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from wassdp import noise
from wassdp.accounting.accountants.published.wasserstein import WassersteinAccountant
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.audit.game import play
from wassdp.audit.passes import Passes
from wassdp.audit.statistics import clopper_pearson
from wassdp.audit.trainings.published import PublishedTrainings

DELTA = 1e-5


def test_scores_have_the_law_of_the_pair_that_is_simulated() -> None:
    """Both worlds' by a Kolmogorov-Smirnov test and by E exp(-L) = 1: fails by chance once in five hundred."""
    game = PublishedTrainings(noise_multiplier=2.0, records=8, batch=2, passes=2, keep=0.6)
    scores = play(game, trials=6000, seed=1)
    passes = Passes(shift=1.0, share=1 / 4, count=2, kept=0.6)
    simulated = passes.losses(60_000, generator=np.random.default_rng(0))
    assert stats.ks_2samp(scores.present, simulated).pvalue > 1e-3
    for ratios in (np.exp(-scores.present), np.exp(scores.absent)):
        assert abs(ratios.mean() - 1) < 5 * ratios.std() / math.sqrt(ratios.size)


def test_a_published_budget_is_contradicted_and_the_proven_one_is_not() -> None:
    """At the noise that the published formula gives MNIST's .76 for (Table 2), by ten thousand trainings a world."""

    def game(sigma: float) -> PublishedTrainings:
        return PublishedTrainings(noise_multiplier=sigma, keep=0.1)

    def published(sigma: float) -> float:
        return WassersteinAccountant(beta=32).epsilon(game(sigma).published(), DELTA).value

    sigma = float(optimize.brentq(lambda sigma: published(sigma) - 0.76, 1e-6, 1))
    found = clopper_pearson.bound(play(game(sigma), trials=10_000, seed=2), delta=DELTA)
    assert found.epsilon > 4
    assert found.epsilon < PLDAccountant().epsilon(game(sigma).event(), DELTA).value


def test_trainings_do_not_depend_on_how_many_are_worked_off_together() -> None:
    game = PublishedTrainings(noise_multiplier=1.0)
    many = game.scores(present=True, trials=50, generator=noise.seeded(3))
    assert many.shape == (50,)
    assert np.isfinite(many).all()
    assert len(np.unique(many)) == 50


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"noise_multiplier": 0.0}, "noise_multiplier = 0.0"),
        ({"batch": 1}, "batch = 1"),
        ({"records": 9}, "records = 9: must be a multiple of batch = 4"),
        ({"keep": 0.0}, "keep = 0.0"),
        ({"passes": 0}, "passes = 0"),
    ],
    ids=str,
)
def test_bad_arguments_are_one_line(change: dict[str, float], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        PublishedTrainings(**({"noise_multiplier": 1.0} | change))  # type: ignore[arg-type]
