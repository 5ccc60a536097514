"""Scaling by public constants, and evaluation."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from wassdp.training.evaluation import confusion, evaluate
from wassdp.training.inputs import scaled


def test_scaling_does_not_depend_on_the_other_images() -> None:
    images = np.random.default_rng(1).integers(0, 256, size=(5, 6, 7), dtype=np.uint8)
    together = scaled(images, maximum=255)
    assert together.shape == (5, 1, 6, 7)
    assert torch.equal(together[2:3], scaled(images[2:3], maximum=255))
    np.testing.assert_allclose(together[:, 0].numpy(), (images / 255 - 0.5) / 0.5, atol=1e-6)


def test_colour_images_keep_their_channels() -> None:
    assert scaled(np.zeros((2, 3, 4, 4), dtype=np.uint8), maximum=255).shape == (2, 3, 4, 4)


@pytest.mark.parametrize("images", [np.zeros((2, 9)), np.full((1, 2, 2), 17), np.full((1, 2, 2), -1)])
def test_what_is_no_image_in_range_is_refused(images: np.ndarray) -> None:
    with pytest.raises(ValueError, match="images"):
        scaled(images, maximum=16)


def test_evaluation_is_the_mean_over_all_examples_whatever_the_chunks() -> None:
    generator = torch.Generator().manual_seed(1)
    inputs, targets = torch.randn(23, 4, generator=generator), torch.randint(0, 3, (23,), generator=generator)
    model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5)).train()
    found = [evaluate(model, inputs, targets, chunk=chunk) for chunk in (1, 5, 23, 100)]
    assert model.training
    with torch.no_grad():
        logits = model.eval()(inputs)
    for each in found:
        assert each.accuracy == float((logits.argmax(dim=1) == targets).double().mean())
        assert each.loss == pytest.approx(float(nn.functional.cross_entropy(logits, targets)), rel=1e-5)


@pytest.mark.parametrize("chunk", [None, 1, 7, 300])
def test_convolutions_are_evaluated_alike_in_any_layout_and_chunk(chunk: int | None) -> None:
    generator = torch.Generator().manual_seed(3)
    inputs, targets = torch.randn(290, 2, 9, 8, generator=generator), torch.randint(0, 4, (290,), generator=generator)
    model = nn.Sequential(nn.Conv2d(2, 5, 3), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(45, 4))
    kept = inputs.clone()
    found = evaluate(model, inputs, targets, chunk=chunk)
    counted = confusion(model, inputs, targets, classes=4, chunk=chunk)
    with torch.no_grad():
        logits = torch.cat([model(image[None]) for image in inputs])
    assert found.loss == pytest.approx(float(nn.functional.cross_entropy(logits, targets)), rel=1e-5)
    assert found.accuracy == float((logits.argmax(dim=1) == targets).double().mean())
    assert counted.diagonal().sum() == (logits.argmax(dim=1) == targets).sum()
    assert torch.equal(inputs, kept)
    assert inputs.is_contiguous()


def test_evaluation_needs_an_example() -> None:
    with pytest.raises(ValueError, match="targets"):
        evaluate(nn.Linear(4, 3), torch.zeros(0, 4), torch.zeros(0, dtype=torch.int64))


def test_confusion_counts_every_example_once() -> None:
    generator = torch.Generator().manual_seed(2)
    inputs, targets = torch.randn(57, 4, generator=generator), torch.randint(0, 3, (57,), generator=generator)
    model = nn.Linear(4, 3).train()
    found = confusion(model, inputs, targets, classes=3, chunk=10)
    assert model.training
    with torch.no_grad():
        predicted = model(inputs).argmax(dim=1)
    for actual in range(3):
        for taken_for in range(3):
            assert found[actual, taken_for] == int(((targets == actual) & (predicted == taken_for)).sum())
    assert int(found.diagonal().sum()) == round(evaluate(model, inputs, targets).accuracy * 57)
    with pytest.raises(ValueError, match=r"targets reach from 0 to 2: must lie in \[0, 1\]"):
        confusion(model, inputs, targets, classes=2)
