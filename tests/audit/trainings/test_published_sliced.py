"""Whole trainings by DP-SWD as published: told apart above Proposition 2, and not above what the pair allows."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from jaxtyping import Float64
from scipy import special, stats

from wassdp import noise
from wassdp.accounting.accountants.published.swd_clt import SWDCLTAccountant
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.audit.game import play
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import clopper_pearson
from wassdp.audit.trainings.published_sliced import LONG, PublishedSlicedTrainings

DELTA = 1e-5
SMALL = functools.partial(PublishedSlicedTrainings, sigma=0.8, projections=2, dimension=3, records=5, batch=3, steps=2)


def divided(rows: Float64[np.ndarray, "batch d"]) -> Float64[np.ndarray, "batch d"]:
    return rows / (2 * np.linalg.norm(rows, axis=1).max())


def naive(game: PublishedSlicedTrainings, *, present: bool, bits: np.random.Generator) -> float:
    """One training's score: rows are divided by their own largest norm, and densities are summed over all batches."""
    record = np.arange(game.records) == game.records - 1
    worlds = [np.outer(np.where(record, value, 1.0), np.eye(game.dimension)[0]) for value in (1.0, -LONG)]
    score = 0.0
    for _ in range(game.steps):
        normal = bits.normal(size=(game.dimension, game.projections))
        directions = normal / np.linalg.norm(normal, axis=0)
        drawn = bits.permutation(game.records)[: game.batch]
        released = bits.normal(divided(worlds[present][drawn]) @ directions, game.sigma)
        # All places of the record are equally likely, those outside the batch among them.
        batches = [np.roll(np.arange(game.records), turn)[: game.batch] for turn in range(game.records)]
        absent, there = (
            special.logsumexp(
                [-np.sum((released - divided(rows[each]) @ directions) ** 2) / (2 * game.sigma**2) for each in batches]
            )
            for rows in worlds
        )
        score += float(there - absent)
    return score


@pytest.mark.parametrize("present", [True, False])
@pytest.mark.parametrize("batch", [3, 5])
def test_scores_have_the_law_of_trainings_one_by_one(present: bool, batch: int) -> None:
    """Kolmogorov-Smirnov, and E exp(-L) = 1 as for every logarithm of a ratio: fails by chance once in two hundred."""
    game = SMALL(batch=batch)
    scores = game.scores(present=present, trials=1000, generator=noise.seeded(1, "law"))
    one_by_one = [naive(game, present=present, bits=bits) for bits in np.random.default_rng(2).spawn(400)]
    assert stats.ks_2samp(scores, one_by_one).pvalue > 1e-3
    ratios = np.exp(-scores if present else scores)
    assert abs(ratios.mean() - 1) < 5 * ratios.std() / math.sqrt(ratios.size)


def test_a_published_budget_is_contradicted_and_what_the_pair_allows_is_not() -> None:
    """Three thousand trainings of either world; the bounds are wrong once in a thousand."""
    game = PublishedSlicedTrainings(sigma=5.0)
    scores = play(game, trials=3000, seed=2)
    found = clopper_pearson.bound(scores, delta=DELTA, confidence=0.999)
    assert SWDCLTAccountant().epsilon(game.event(), DELTA).value < 2.8
    assert found.epsilon > 3.2
    assert found.epsilon < PLDAccountant().epsilon(game.projected(), DELTA).value
    null = Scores(*np.split(scores.absent, 2))
    assert clopper_pearson.bound(null, delta=DELTA, confidence=0.999).epsilon == 0


def test_much_noise_is_not_found_above_what_the_pair_allows() -> None:
    """Where the pair's ε is small enough for so many trainings to reach; wrong once in a thousand."""
    game = SMALL(sigma=1.5, batch=4, steps=1)
    found = clopper_pearson.bound(play(game, trials=3000, seed=3), delta=DELTA, confidence=0.999)
    assert 0 < found.epsilon < PLDAccountant().epsilon(game.projected(), DELTA).value


@pytest.mark.parametrize(
    ("change", "line"),
    [({"sigma": 0.0}, "sigma = 0.0"), ({"steps": 0}, "steps = 0"), ({"batch": 9}, "batch = 9")],
    ids=str,
)
def test_bad_arguments_are_one_line(change: dict[str, float], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        SMALL(**change)  # type: ignore[arg-type]
