"""The resumable loop of the private optimiser."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import nn

from wassdp import noise
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import statistical_parity
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.reproducible import Streams
from wassdp.training.session import Session
from wassdp.training.wasserstein import training as module
from wassdp.training.wasserstein.optimiser import PrivateOptimiser
from wassdp.training.wasserstein.training import POINTS, POINTS_IN_STRETCH, WassersteinTraining


def training(path, *, steps=60, record=lambda axis, position, figures: None, **options) -> WassersteinTraining:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid(), nn.Flatten(0))
    objective = statistical_parity(
        alpha=1.0, records=(30, 20), batches=(6, 4), output_norm=1, jacobian_norm=1, loss_norm=5
    )
    private = PrivateOptimiser(
        model,
        torch.optim.Adam(model.parameters()),
        ClippedWassersteinGradient(objective=objective, noise_multiplier=1.0),
        generator=noise.seeded(1),
    )
    return WassersteinTraining(
        session=Session(
            streams=Streams.of(1), checkpoint=Checkpoint(path / "checkpoint.pt", {"run": "a"}), record=record
        ),
        private=private,
        records={"0": torch.randn(30, 3), "1": torch.randn(20, 3) + 1},
        steps=steps,
        figures=lambda found: {"distance": next(iter(found.distances.values()))},
        **options,
    )


@pytest.mark.parametrize("steps", [1, 2, 199, 200, 201, 402])
def test_stretches_end_where_something_is_measured(tmp_path, steps):
    made = training(tmp_path, steps=steps)
    measured, ends = made.measured, made.ends
    assert (measured[0], measured[-1], ends[-1]) == (1, steps, steps)
    assert len(measured) <= POINTS + 1
    assert set(ends) <= set(measured)
    for places, longest in ((measured, 1), ([0, *ends], POINTS_IN_STRETCH)):
        gaps = [after - before for before, after in itertools.pairwise(places)]
        assert all(0 < gap <= longest * -(-steps // POINTS) for gap in gaps)


def test_a_kill_inside_a_stretch_changes_nothing(tmp_path, monkeypatch):
    told: list[int] = []
    monkeypatch.setattr(module, "POINTS", 20)

    def pictured(folder):
        made = training(tmp_path / folder, pictured=(10, 41), record=lambda axis, step, figures: told.append(step))
        weight = made.private.engine.parameters[0]
        object.__setattr__(made, "picture", lambda: weight.detach().clone())
        return made

    whole = pictured("whole")
    expected = whole.run()
    assert told == whole.ends
    assert len(expected.tensors["picture"]) == 2
    assert len(expected.rows) == len(whole.measured)
    original = PrivateOptimiser.step

    def killed(self, *arguments):
        if self.steps == 32:  # stretches end with 30 and 41
            raise KeyboardInterrupt
        return original(self, *arguments)

    monkeypatch.setattr(PrivateOptimiser, "step", killed)
    with pytest.raises(KeyboardInterrupt):
        pictured("cut").run()
    monkeypatch.setattr(PrivateOptimiser, "step", original)
    told.clear()
    resumed = pictured("cut")
    found = resumed.run()
    assert told == [end for end in resumed.ends if end > 30]
    assert found.earlier > 0
    assert (found.epochs, found.rows) == (expected.epochs, expected.rows)
    assert all(map(torch.equal, found.tensors["picture"], expected.tensors["picture"]))
    assert len(found.tensors["picture"]) == 2
    assert torch.equal(resumed.private.engine.parameters[0], whole.private.engine.parameters[0])
    assert resumed.private.event() == whole.private.event()


@pytest.mark.parametrize("bad", [torch.inf, torch.nan, 1e38])
def test_records_that_are_not_finite_stop_nothing(tmp_path, bad):
    # That would be an output that no noise covers.
    made = training(tmp_path, steps=3)
    made.records["0"][:4] = bad
    made.records["1"][:] = bad
    made.run()
    assert all(torch.isfinite(each).all() for each in made.private.engine.parameters)


def test_a_weight_that_is_not_finite_names_the_step(tmp_path):
    made = training(tmp_path, steps=3)
    with torch.no_grad():
        made.private.engine.parameters[0].fill_(torch.nan)
    with pytest.raises(FloatingPointError, match="step 1 of 3: a weight is not finite"):
        made.run()


def test_a_training_has_a_step(tmp_path):
    with pytest.raises(ValueError, match="steps"):
        training(tmp_path, steps=0)
