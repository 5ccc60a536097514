"""MNIST and Fashion-MNIST: their reader on made files, and the known properties of the real ones."""

from __future__ import annotations

import dataclasses
import gzip
import struct
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from wassdp.data import idx as _idx
from wassdp.data.base import File, Split
from wassdp.data.sets import fashion_mnist, mnist
from wassdp.data.vision_package import torchvision

COUNTS = {
    mnist: {
        "train": [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949],
        "test": [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009],
    },
    fashion_mnist: {"train": [6000] * 10, "test": [1000] * 10},
}
MEAN = {mnist: 0.1307, fashion_mnist: 0.2860}
DEVIATION = {mnist: 0.3081, fashion_mnist: 0.3530}  # the usual normalisation constants


def check(split: Split, module: ModuleType, name: str) -> None:
    assert split.inputs.dtype == np.uint8
    assert split.labels.dtype == np.int64
    assert split.inputs.shape == (module.DATASET.counts[name], *module.DATASET.shape)
    np.testing.assert_array_equal(np.bincount(split.labels), COUNTS[module][name])


@pytest.mark.mirror
@pytest.mark.parametrize("module", [mnist, fashion_mnist])
def test_known_properties(real: Path, module: ModuleType) -> None:
    found = module.load(real)
    check(found.train, module, "train")
    check(found.test, module, "test")
    assert len(found.classes) == module.DATASET.classes
    assert found.train.inputs.mean() / 255 == pytest.approx(MEAN[module], abs=5e-5)
    assert found.train.inputs.std() / 255 == pytest.approx(DEVIATION[module], abs=5e-5)
    assert found.train.inputs.max() == module.DATASET.maximum
    assert module.DATASET.class_counts == tuple(np.bincount(found.train.labels).tolist())


def idx(array: np.ndarray) -> bytes:
    """The IDX form, written from its specification: type code, rank, big-endian sizes, values."""
    header = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return gzip.compress(header + array.astype(np.uint8).tobytes())


def test_reader_on_made_files(
    folder: Path, made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    generator = np.random.default_rng(0)
    arrays = {
        "train-images-idx3-ubyte.gz": generator.integers(0, 256, (20, 28, 28)),
        "train-labels-idx1-ubyte.gz": generator.integers(0, 10, 20),
        "t10k-images-idx3-ubyte.gz": generator.integers(0, 256, (7, 28, 28)),
        "t10k-labels-idx1-ubyte.gz": generator.integers(0, 10, 7),
    }
    content = {name: idx(array) for name, array in arrays.items()}
    files = tuple(File(path=name, md5=made.md5(data), bytes=len(data)) for name, data in content.items())
    reader = torchvision("datasets").MNIST
    monkeypatch.setattr(reader, "resources", [(file.path, file.md5) for file in files])
    made.lay(folder / "mnist", content)
    found = _idx.load(dataclasses.replace(mnist.DATASET, files=files), "MNIST", None, ())
    np.testing.assert_array_equal(found.train.inputs, arrays["train-images-idx3-ubyte.gz"])
    np.testing.assert_array_equal(found.train.labels, arrays["train-labels-idx1-ubyte.gz"])
    np.testing.assert_array_equal(found.test.inputs, arrays["t10k-images-idx3-ubyte.gz"])
    np.testing.assert_array_equal(found.test.labels, arrays["t10k-labels-idx1-ubyte.gz"])
    # Nothing unpacked is left where an altered copy could be picked up.
    assert {path.name for path in folder.rglob("*") if path.is_file()} == set(content)
