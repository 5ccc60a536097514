"""The method that the tutorial writes: what one image moves is what its event says, whatever the image."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from wassdp import data, noise
from wassdp.experiment import Context

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorials" / "add-a-method.md"
CLIP_NORM = 4.0


@pytest.fixture
def method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The file, as the page writes it."""
    (text,) = re.findall(r"mean_image\.py\"\)\.write_text\('''\n(.*?)'''\)", TUTORIAL.read_text(), re.DOTALL)
    path = tmp_path / "mean_image.py"
    path.write_text(text)
    specification = importlib.util.spec_from_file_location("mean_image", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "mean_image", module)  # where pydantic looks for what annotations name
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("value", [0, 1, 16, 255])
def test_one_image_moves_the_sum_by_no_more_than_its_event_says(
    method: ModuleType, value: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    splits = data.load("digits")
    released = []

    def kept(total: object, **given: object) -> object:
        released.append((total, given["std"]))
        return total

    monkeypatch.setattr(noise, "rounded", kept)
    for pixel in (1, value):
        inputs = np.ones_like(splits.train.inputs)
        inputs[0, ..., 0] = pixel  # one image has a column of its own
        train = dataclasses.replace(splits.train, inputs=inputs)
        monkeypatch.setattr(data, "load", lambda name, train=train: dataclasses.replace(splits, train=train))
        parameters = method.Parameters(dataset="digits", clip_norm=CLIP_NORM, noise_multiplier=1.0)
        method.run(parameters, seed=0, context=Context(folder=tmp_path, code="x", device="cpu"))
    (before, std), (after, _) = released
    assert float((after - before).norm()) <= 2 * CLIP_NORM * (1 + 1e-9)
    assert std == 2 * CLIP_NORM * parameters.expected_event().events[0].noise_multiplier


def test_a_dataset_without_images_is_refused(method: ModuleType) -> None:
    assert method.Parameters(dataset="adult", noise_multiplier=1.0).impossible() == "dataset adult holds no images"
    assert method.Parameters(dataset="digits", noise_multiplier=1.0).impossible() is None
