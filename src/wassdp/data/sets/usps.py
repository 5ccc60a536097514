"""USPS: handwritten digits from envelopes, 16 x 16, grey, in the smoothed LIBSVM form.

Results differ from those on ``zip.train`` and ``zip.test`` of The Elements of Statistical Learning, which hold
the same samples without the smoothing. Rakotomamonjy and Ralaivola (2021) count 7438 training samples where
this form has 7291; which files they read is not stated.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wassdp.data import storage
from wassdp.data.base import Dataset, File, Split, Splits
from wassdp.data.vision_package import torchvision


def _file(name: str, size: int, md5: str) -> File:
    host = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/"
    return File(path=name, md5=md5, bytes=size, urls=(host + name,))


DATASET = Dataset(
    name="usps",
    title="USPS",
    task="image classification, domain adaptation",
    origin="files",
    counts={"train": 7_291, "test": 2_007},
    shape=(16, 16),
    classes=10,
    maximum=255,
    licence="none stated; distributed for research use",
    source="https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass.html#usps",
    citation="Hull, A database for handwritten text recognition research, IEEE TPAMI 16(5), 1994",
    folder="usps",
    files=(
        _file("usps.bz2", 6_579_383, "ec16c51db3855ca6c91edd34d0e9b197"),
        _file("usps.t.bz2", 1_831_726, "8ea070ee2aca1ac39742fdd1ef5ed118"),
    ),
)


def load(folder: Path | None = None) -> Splits:
    """Images uint8 (n, 16, 16), 0 (background) to 255; labels the digit.

    The files hold values x in [-1, 1] and the digit plus one; torchvision maps them to (x + 1) / 2 * 255, rounded
    down, and to the digit.

    Args:
        folder: the data folder; None for the usual one.

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    home = storage.fetch(DATASET, folder).folder
    read = torchvision("datasets").USPS
    train, test = (
        Split(inputs=np.asarray(part.data, dtype=np.uint8), labels=np.asarray(part.targets, dtype=np.int64))
        for part in (read(home, train=True), read(home, train=False))
    )
    return Splits(train=train, test=test, classes=tuple("0123456789"))
