"""Trainings on batches of one size, many at once: scores follow their law, and wrong ones are rejected."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from wassdp.audit.game import play
from wassdp.audit.statistics import claim
from wassdp.audit.trainings.batched import CLIP_NORM
from wassdp.audit.trainings.fixed_batches import FixedBatchTrainings
from wassdp.mechanisms.noisy_mean import NoisyMean


@pytest.mark.parametrize(("batch", "steps"), [(2, 1), (4, 3), (8, 2)])
def test_scores_are_those_of_a_record_that_is_replaced(batch: int, steps: int) -> None:
    # Each comparison fails for one correct code in a thousand; the seeds are fixed.
    game = FixedBatchTrainings(sigma=0.6, batch=batch, steps=steps)
    found, draws = play(game, trials=3000, seed=0), np.random.default_rng(0)
    spread, shift, rate = 0.6 * batch**0.5, 2 * CLIP_NORM, batch / game.records
    for there, scores in ((True, found.present), (False, found.absent)):
        entered = draws.random((40_000, steps)) < (rate if there else 0.0)
        x = shift * entered + spread * draws.normal(size=entered.shape)
        present = (1 - rate) * stats.norm.pdf(x, scale=spread) + rate * stats.norm.pdf(x, loc=shift, scale=spread)
        expected = (np.log(present) - stats.norm.logpdf(x, scale=spread)).sum(axis=1)
        assert stats.ks_2samp(scores, expected).pvalue > 1e-3
    assert not claim.test(found, game.event()).rejected


@pytest.mark.parametrize("wrong", ["noise", "clipping", "the same batch"])
def test_a_wrong_training_is_rejected(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release = NoisyMean.release

    def less(self: NoisyMean, total: torch.Tensor, *, generator: Any) -> torch.Tensor:
        return release(dataclasses.replace(self, sigma=0.7 * self.sigma), total, generator=generator)

    def twice(self: NoisyMean, total: torch.Tensor, *, generator: Any) -> torch.Tensor:
        return 2 * release(dataclasses.replace(self, sigma=self.sigma / 2), total, generator=generator)

    def first(self: NoisyMean, *, generator: Any) -> torch.Tensor:
        return torch.arange(self.records)[-self.batch :]

    changed = {"noise": ("release", less), "clipping": ("release", twice), "the same batch": ("sample", first)}
    monkeypatch.setattr(NoisyMean, *changed[wrong])
    game = FixedBatchTrainings(sigma=0.6, steps=2)
    assert claim.test(play(game, trials=10_000, seed=0), game.event()).rejected


@pytest.mark.parametrize(("changes", "message"), [({"sigma": 0.0}, "sigma"), ({"batch": 9}, "records = 8")])
def test_a_bad_game_is_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FixedBatchTrainings(**{"sigma": 1.0} | changes)
