"""Scores that tell nothing, all equal, give no bound, whatever the coins: not even by where the canaries stand."""

from __future__ import annotations

import numpy as np
import pytest

from wassdp.audit.scores import Scores
from wassdp.audit.statistics import guesses, one_run


@pytest.mark.parametrize("score", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("canaries", [4, 110, 499, 2000])
def test_equal_scores_are_guessed_wrong_first(canaries: int, score: float) -> None:
    for present in (1, canaries // 3, canaries // 2, canaries - 1):
        scores = Scores(np.full(present, score), np.full(canaries - present, score))
        right = present if score > 0 else canaries - present
        for share in (0.1, 0.5, 1.0):
            made = max(1, round(share * canaries))
            found = guesses.surest(scores, share)
            assert (found.made, found.right) == (made, max(0, made - (canaries - right)))
    half = Scores(np.full(canaries // 2, score), np.full(canaries - canaries // 2, score))
    assert one_run.bound(half, delta=1e-5).epsilon == 0


def test_scores_that_differ_are_taken_as_they_are() -> None:
    generator = np.random.default_rng(0)
    scores = Scores(generator.normal(2, 1, 300), generator.normal(-2, 1, 300))
    both = np.concatenate((scores.present, -scores.absent))
    clearest = np.argsort(-np.abs(both))[:60]
    assert guesses.surest(scores, 0.1).right == int((both[clearest] > 0).sum())


def test_no_order_of_chance_is_one_of_the_coins() -> None:
    """Of 1,000 runs of fair coins, all scores equal: at most as many bounds above 0 as a 95 % bound may have.

    98 or more of 1,000 would be less likely than 1 in 1e9. With a fixed permutation of the places it was two of five.
    """
    generator = np.random.default_rng(7)
    drawn = np.unique(generator.binomial(110, 0.5, size=1000), return_counts=True)
    false = sum(
        int(count)
        for present, count in zip(*drawn, strict=True)
        if one_run.bound(Scores(np.ones(present), np.ones(110 - present)), delta=1e-5).epsilon > 0
    )
    assert false <= 98
