"""The published step inside a training: what it does with a batch whose gradient is no number."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from wassdp import noise
from wassdp.training import published
from wassdp.training.fit import finite
from wassdp.training.published import PublishedPrivacy


def enormous() -> nn.Module:
    """Weights that are finite, and logits that are not where an image is not black."""
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 3))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model[1].weight[:] = 3e38 * torch.tensor([1.0, -1.0, 1.0])[:, None]
    return model


@pytest.mark.parametrize("leave_out", [0, 2])
def test_one_record_does_not_stop_a_private_step(leave_out: int) -> None:
    """Whether the step stops would be an output of the record, and no noise covers it."""
    privacy = PublishedPrivacy(noise_multiplier=1.0, leave_out=leave_out)
    step = published.source(enormous(), privacy)
    images, targets = torch.zeros(4, 1, 2, 2), torch.tensor([0, 1, 2, 0])
    images[3] = 1.0
    found = step(images, targets, noise.seeded(1), 1)
    generator = noise.seeded(1)
    if leave_out:
        privacy.mechanism.distances(torch.zeros(leave_out, 15), generator=generator)
        assert found.measured is not None
        assert not found.measured.any()
    assert torch.equal(found.gradient, privacy.mechanism.release(torch.zeros(15), generator=generator))


def test_without_privacy_it_stops() -> None:
    with pytest.raises(FloatingPointError, match="the gradient is not finite"):
        published.source(enormous(), None)(torch.ones(4, 1, 2, 2), torch.tensor([0, 1, 2, 0]), noise.seeded(1), 1)


def test_who_stops_tells_no_figure_of_private_records() -> None:
    assert finite({"distance": 0.25}) == {"distance": 0.25}
    with pytest.raises(FloatingPointError) as found:
        finite({"source_loss": float("inf"), "distance": 0.123456, "clipped": 0.4})
    assert str(found.value) == "source_loss: is not finite"
