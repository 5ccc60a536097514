"""SVHN: house numbers from street pictures, cropped to 32 x 32, colour."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from wassdp import checks
from wassdp.data import storage
from wassdp.data.base import Dataset, File, Split, Splits
from wassdp.data.vision_package import torchvision


def _file(part: str, md5: str, *, optional: bool = False) -> File:
    name = f"{part}_32x32.mat"
    return File(path=name, md5=md5, urls=(f"http://ufldl.stanford.edu/housenumbers/{name}",), optional=optional)


DATASET = Dataset(
    name="svhn",
    title="SVHN (Street View House Numbers), cropped digits",
    short="SVHN",
    task="image classification",
    origin="files",
    counts={"train": 73_257, "test": 26_032, "extra": 531_131},
    shape=(3, 32, 32),
    classes=10,
    maximum=255,
    licence="non-commercial use only",
    source="http://ufldl.stanford.edu/housenumbers/",
    citation=(
        "Netzer, Wang, Coates, Bissacco, Wu, Ng, Reading digits in natural images with unsupervised feature "
        "learning, NIPS workshop on deep learning and unsupervised feature learning, 2011"
    ),
    folder="svhn",
    files=(
        _file("train", "e26dedcc434d2e4c54c9b2d4a06d8373"),
        _file("test", "eb5a983be6a315427106f1b164d9cef3"),
        _file("extra", "a93ce644f1a588dc4d68dda5feec44a7", optional=True),
    ),
    integrity="md5 of every file, as in torchvision",
)


def load(folder: Path | None = None, *, training: str = "train") -> Splits:
    """Images uint8 (n, 3, 32, 32), 0 to 255; labels the digit (the files call 0 ten).

    Args:
        folder: the data folder; None for the usual one.
        training: ``train``, or ``extra`` for the 531,131 easier pictures instead (1.3 GB, 1.6 GB of memory).

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    checks.one_of("training", training, ("train", "extra"))
    home = storage.fetch(DATASET, folder, only=(f"{training}_32x32.mat", "test_32x32.mat")).folder
    read = torchvision("datasets").SVHN
    return Splits(
        train=_split(read(home, split=training)),
        test=_split(read(home, split="test")),
        classes=tuple("0123456789"),
    )


def _split(part: Any) -> Split:
    return Split(inputs=np.ascontiguousarray(part.data), labels=np.asarray(part.labels, dtype=np.int64))
