"""Many small trainings at once: they are those of the project, one by one, and what they prove is known."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from wassdp import noise
from wassdp.audit.game import play
from wassdp.audit.statistics import claim
from wassdp.audit.trainings import batched
from wassdp.audit.trainings.batched import Blocks, Trainings
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.training.optimisers import Optimiser

MOMENTUM = Optimiser(name="momentum", learning_rate=0.5)


@pytest.mark.parametrize(
    "game",
    [
        Trainings(noise_multiplier=1.0, rate=0.3),
        Trainings(noise_multiplier=2.0, rate=0.3, steps=5, optimiser=MOMENTUM),
        Trainings(noise_multiplier=1.5, rate=1.0, steps=3, records=5),
    ],
    ids=["a step", "five steps", "full batches"],
)
def test_scores_are_the_sum_of_log_ratios_of_subsampled_steps(game: Trainings) -> None:
    # Each comparison fails for one correct code in a thousand; the seeds are fixed.
    found, draws = play(game, trials=4000, seed=0), np.random.default_rng(0)
    for there, scores in ((True, found.present), (False, found.absent)):
        entered = draws.random((40_000, game.steps)) < (game.rate if there else 0.0)
        z = game.noise_multiplier
        x = entered + z * draws.normal(size=entered.shape)
        present = (1 - game.rate) * stats.norm.pdf(x, scale=z) + game.rate * stats.norm.pdf(x, loc=1, scale=z)
        expected = (np.log(present) - stats.norm.logpdf(x, scale=z)).sum(axis=1)
        assert stats.ks_2samp(scores, expected).pvalue > 1e-3
    assert not claim.test(found, game.event()).rejected


def test_the_final_weight_holds_the_whole_sum_of_full_batches() -> None:
    game = Trainings(noise_multiplier=2.0, rate=1.0, steps=4, sees="final")
    found = play(game, trials=4000, seed=0)
    distance = (found.present.mean() - found.absent.mean()) / found.absent.std()
    # √4 / 2 = 1 within four deviations.
    assert distance == pytest.approx(1.0, abs=4 * (2 / 4000 + 1 / 8000) ** 0.5)


def test_a_block_is_a_training_of_its_own() -> None:
    game = Trainings(noise_multiplier=1e-3, rate=1.0, steps=3)
    scores = play(game, trials=3, seed=0)
    # With hardly any noise all trainings end alike, and only one world saw the canary three times.
    assert scores.present == pytest.approx(np.full(3, 3 / (2 * 1e-6)), rel=0.02)
    assert scores.absent == pytest.approx(np.full(3, -3 / (2 * 1e-6)), rel=0.02)


def test_the_records_of_a_training_move_its_own_weights_alone() -> None:
    model = Blocks(4)
    inputs = torch.tensor([[1.0, 2.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]])
    batched.loss(model(inputs), torch.tensor([0, 1])).sum().backward()
    gradient = model.weights.weight.grad
    assert gradient is not None
    assert gradient.abs().sum(dim=1).gt(0).tolist() == [False, False, True, True]
    assert gradient[3].tolist() == [0.0] * 4 + [batched.SLOPE]


def test_blocks_of_trainings_are_worked_off_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batched, "BLOCK", 300)
    game = Trainings(noise_multiplier=1.0, rate=0.5)
    scores = game.scores(present=True, trials=1000, generator=noise.seeded(0))
    # Rounded noise has ties, but no block repeats another.
    assert len(np.unique(scores)) > 950


@pytest.mark.parametrize("wrong", ["noise", "divisor", "sample"])
def test_a_wrong_training_is_rejected(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release, sample = DPSGD.release, DPSGD.sample

    def less_noise(self: DPSGD, total: torch.Tensor, *, generator: Any) -> torch.Tensor:
        less = dataclasses.replace(self, noise_multiplier=0.8 * self.noise_multiplier)
        return release(less, total, generator=generator)

    def noise_divided_again(self: DPSGD, total: torch.Tensor, *, generator: Any) -> torch.Tensor:
        noisy = release(self, torch.zeros_like(total), generator=generator)
        return total / self.expected_batch + noisy / self.records

    def more_often(self: DPSGD, *, generator: Any) -> torch.Tensor:
        return sample(dataclasses.replace(self, rate=min(1.0, 2 * self.rate)), generator=generator)

    changed = {"noise": less_noise, "divisor": noise_divided_again, "sample": more_often}
    monkeypatch.setattr(DPSGD, "sample" if wrong == "sample" else "release", changed[wrong])
    game = Trainings(noise_multiplier=1.0, rate=0.3, steps=4)
    assert claim.test(play(game, trials=20_000, seed=0), game.event()).rejected


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"noise_multiplier": 0.0}, "noise_multiplier"), ({"steps": 0}, "steps"), ({"rate": 1.5}, "rate")],
)
def test_a_bad_game_is_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Trainings(**{"noise_multiplier": 1.0, "rate": 0.5} | changes)
    assert "\n" not in str(caught.value)
