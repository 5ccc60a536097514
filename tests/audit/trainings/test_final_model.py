"""The final model alone: many linear models are trained as each would be, and their logits hold the whole sum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from wassdp import noise
from wassdp.audit.game import play
from wassdp.audit.statistics import claim
from wassdp.audit.trainings.final_model import FinalModel, ManyLinear, ManyLinearEngine
from wassdp.experiment import Context
from wassdp.experiments import KINDS
from wassdp.runs import validate_parameters
from wassdp.training import engines
from wassdp.training.augmentation import cross_entropy
from wassdp.training.inputs import Examples

torch.manual_seed(0)
TRAIN = Examples(torch.cat([torch.rand(40, 6), torch.zeros(40, 30)], dim=1), torch.arange(40) % 3)
CRAFTED = torch.cat([torch.zeros(6), torch.ones(30)])


def game(**changes: object) -> FinalModel:
    settings = {
        "train": TRAIN,
        "crafted": CRAFTED,
        "noise_multiplier": 2.0,
        "clip_norm": 1.0,
        "steps": 4,
        "learning_rate": 1.0,
    }
    return FinalModel(classes=3, **settings | changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("clip_norm", [0.05, 0.8, 100.0])
def test_each_model_gets_the_sum_that_the_engine_gives_it_alone(clip_norm: float) -> None:
    models = ManyLinear(3, 36, 3)
    nn.init.normal_(models.weight)
    nn.init.normal_(models.bias)
    batch = (TRAIN.inputs, TRAIN.targets)
    found = ManyLinearEngine(models).clipped_gradient_sum(cross_entropy, batch, clip_norm)
    parts = found.total.split([models.weight.numel(), models.bias.numel()])
    losses = 0.0
    for number in range(3):
        single = nn.Linear(36, 3)
        single.weight.data, single.bias.data = models.weight.data[number], models.bias.data[number]
        expected = engines.load("ghost_norms", single).clipped_gradient_sum(cross_entropy, batch, clip_norm)
        own = torch.cat([parts[0].view(3, -1)[number], parts[1].view(3, -1)[number]])
        torch.testing.assert_close(own, expected.total, atol=1e-5, rtol=1e-5)
        losses += expected.loss
    assert found.loss == pytest.approx(losses, rel=1e-5)


def test_another_loss_is_refused() -> None:
    with pytest.raises(ValueError, match="must be cross-entropy"):
        ManyLinearEngine(ManyLinear(1, 2, 2)).clipped_gradient_sum(
            lambda outputs, targets: targets.float(), (torch.zeros(1, 2), torch.zeros(1, dtype=torch.int64)), 1.0
        )


def test_logits_of_the_crafted_record_hold_nearly_all_that_was_released() -> None:
    # √4 / 2 = 1, of which the bias's share is lost; within four deviations.
    found = play(game(), trials=2000, seed=0)
    distance = (found.present.mean() - found.absent.mean()) / found.absent.std()
    assert distance == pytest.approx(0.97, abs=4 * (2 / 2000 + 1 / 4000) ** 0.5)
    assert not claim.test(found, game().event()).rejected


@pytest.mark.parametrize("crafted", [torch.ones(36), torch.zeros(36)], ids=["shared", "empty"])
def test_the_record_has_features_that_no_other_has(crafted: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="crafted: must have features, which are 0 in all records"):
        game(crafted=crafted)


def test_accuracy_is_that_of_models_without_the_record() -> None:
    quiet = game(noise_multiplier=1e-3, steps=60, learning_rate=5.0)
    test = Examples(TRAIN.inputs, TRAIN.targets)
    found = quiet.accuracy(test, generator=noise.seeded(0))
    single = quiet.trained(1, present=False, generator=noise.seeded(0))
    logits = single(TRAIN.inputs)[:, 0]
    assert found == pytest.approx(float((logits.argmax(dim=1) == TRAIN.targets).float().mean()), abs=0.1)
    assert np.isfinite(found)


def test_the_result_says_of_how_many_trainings_its_figures_are(tmp_path: Path) -> None:
    """The budget beside them is that of one."""
    privacy = {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-4}
    small = {"dataset": "digits", "records": 40, "steps": 2, "learning_rate": 1.0, "models": 50, "privacy": privacy}
    chosen = validate_parameters("final_model", small)
    found = KINDS.load("final_model").run(chosen, seed=0, context=Context(folder=tmp_path, code="a", device="cpu"))
    assert any("accuracy and attack are of 105 trainings" in note for note in found.event.notes)
