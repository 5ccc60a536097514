"""Models A and B: their published sizes and layers, and what each normalisation does to a batch."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from wassdp.models import Model
from wassdp.models.model_a import ModelA


def build(name: str, shape: tuple[int, int, int], normalisation: str = "batch") -> nn.Module:
    torch.manual_seed(0)
    chosen = Model(name=name, options={"normalisation": normalisation})
    return chosen.architecture.build(shape, 10)


def published(name: str) -> nn.Sequential:
    """The networks written out layer by layer."""
    channels, dense, hidden, activation = {
        "model_a": (1, 1024, (384, 192), nn.SELU),
        "model_b": (3, 1600, (384, 384), nn.ReLU),
    }[name]
    return nn.Sequential(
        nn.Conv2d(channels, 64, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.BatchNorm2d(64),
        nn.Conv2d(64, 64, 5),
        nn.ReLU(),
        nn.BatchNorm2d(64),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(dense, hidden[0]),
        activation(),
        nn.Linear(hidden[0], hidden[1]),
        activation(),
        nn.Linear(hidden[1], 10),
    )


@pytest.mark.parametrize(
    ("name", "shape", "size"), [("model_a", (1, 28, 28), 573_834), ("model_b", (3, 32, 32), 874_058)]
)
def test_they_are_the_published_networks(name: str, shape: tuple[int, int, int], size: int) -> None:
    ours, theirs = build(name, shape), published(name)
    assert sum(each.numel() for each in ours.parameters()) == size
    # The same parameters in the same order, hence the same function.
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert mine.shape == other.shape
        other.data.copy_(mine.data)
    inputs = torch.randn(6, *shape, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(ours(inputs), theirs(inputs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("normalisation", "training", "evaluation"),
    [("batch", True, True), ("batch-running", True, False), ("group", False, False), ("none", False, False)],
)
def test_whether_an_example_depends_on_its_batch(normalisation: str, training: bool, evaluation: bool) -> None:
    model = build("model_a", (1, 28, 28), normalisation)
    inputs = torch.randn(4, 1, 28, 28, generator=torch.Generator().manual_seed(1))
    other = torch.cat((inputs[:1], torch.flip(inputs[1:], (2,))))
    for mode, expected in ((True, training), (False, evaluation)):
        model.train(mode)
        with torch.no_grad():
            depends = not torch.allclose(model(inputs)[0], model(other)[0], rtol=1e-4, atol=1e-5)
        assert depends == expected, (normalisation, mode)


@pytest.mark.parametrize("normalisation", ["batch", "group", "none"])
def test_only_the_usual_batch_normalisation_keeps_statistics_of_the_records(normalisation: str) -> None:
    assert not list(build("model_a", (1, 28, 28), normalisation).buffers())
    assert list(build("model_a", (1, 28, 28), "batch-running").buffers())


def test_small_images_are_refused() -> None:
    chosen = ModelA()
    assert "at least 16" in (chosen.impossible((1, 8, 8)) or "")
    assert chosen.impossible((3, 16, 16)) is None
    with pytest.raises(ValueError, match="at least 16"):
        build("model_b", (3, 12, 12))
