from __future__ import annotations

import bz2
from pathlib import Path

import numpy as np
import pytest

from wassdp.data.base import Splits
from wassdp.data.sets import usps

pytestmark = pytest.mark.mirror


@pytest.fixture(scope="module")
def found(real: Path) -> Splits:
    return usps.load(real)


def test_known_properties(found: Splits) -> None:
    counts = {
        "train": [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644],
        "test": [359, 264, 198, 166, 200, 160, 170, 147, 166, 177],
    }
    for name, split in (("train", found.train), ("test", found.test)):
        assert split.inputs.dtype == np.uint8
        assert split.labels.dtype == np.int64
        assert split.inputs.shape == (usps.DATASET.counts[name], *usps.DATASET.shape)
        np.testing.assert_array_equal(np.bincount(split.labels), counts[name])


def test_pixels_are_those_of_the_file(real: Path, found: Splits) -> None:
    with bz2.open(real / "usps/usps.t.bz2", "rt") as lines:
        for position, line in zip(range(50), lines, strict=False):
            label, *pairs = line.split()
            values = np.array([float(pair.partition(":")[2]) for pair in pairs]).reshape(16, 16)
            assert found.test.labels[position] == int(label) - 1
            # Rounded down, in single precision: at most one level off the exact value.
            assert np.abs(found.test.inputs[position] - (values + 1) / 2 * 255).max() <= 1
