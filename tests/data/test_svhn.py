"""SVHN on made MATLAB files: the real ones are not at hand where tests run."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.io import savemat

from wassdp.data.base import File
from wassdp.data.sets import svhn
from wassdp.data.vision_package import torchvision


def test_reader_on_made_files(folder: Path, made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    content, arrays = {}, {}
    for part, size in (("train", 12), ("test", 11), ("extra", 13)):
        pictures = generator.integers(0, 256, (32, 32, 3, size), dtype=np.uint8)
        labels = (np.arange(size) % 10 + 1).astype(np.uint8)  # 10 stands for the digit 0
        buffer = io.BytesIO()
        savemat(buffer, {"X": pictures, "y": labels[:, None]})
        content[f"{part}_32x32.mat"] = buffer.getvalue()
        arrays[part] = (pictures, labels)
    files = tuple(
        File(path=name, md5=made.md5(data), bytes=len(data), optional=name.startswith("extra"))
        for name, data in content.items()
    )
    monkeypatch.setattr(svhn, "DATASET", dataclasses.replace(svhn.DATASET, files=files))
    checks = {file.path.split("_")[0]: ["", file.path, file.md5] for file in files}
    monkeypatch.setattr(torchvision("datasets").SVHN, "split_list", checks)
    made.lay(folder / "svhn", content)

    for training in ("train", "extra"):
        found = svhn.load(training=training)
        for split, name in ((found.train, training), (found.test, "test")):
            pictures, labels = arrays[name]
            assert split.inputs.dtype == np.uint8
            assert split.labels.dtype == np.int64
            np.testing.assert_array_equal(split.inputs, pictures.transpose(3, 2, 0, 1))
            np.testing.assert_array_equal(split.labels, labels % 10)


def test_extra_pictures_are_fetched_only_when_asked_for() -> None:
    assert [file.path for file in svhn.DATASET.required] == ["train_32x32.mat", "test_32x32.mat"]
    with pytest.raises(ValueError, match="training = 'all': must be one of extra, train"):
        svhn.load(training="all")
