"""Digits: handwritten digits, 8 x 8, grey; they come with scikit-learn, so nothing is downloaded.

They are the test part of the UCI set "Optical recognition of handwritten digits". No split is published for
them; here one picture in five, by its place in the file (`wassdp.data.by_place`), is test. Writers are not separated by
it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wassdp.data.base import Dataset, DatasetUnavailable, Split, Splits
from wassdp.data.by_place import train_and_test

CONTENT = "5d8bc8ede2b0aee84f53c9369fc789d2"

DATASET = Dataset(
    name="digits",
    title="Digits (UCI optical recognition of handwritten digits, as in scikit-learn)",
    short="UCI digits",
    task="image classification",
    origin="embedded",
    counts={"train": 1_438, "test": 359},
    shape=(8, 8),
    classes=10,
    maximum=16,
    licence="CC BY 4.0",
    source="https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits",
    citation=(
        "Alpaydin, Kaynak, Optical recognition of handwritten digits, UCI Machine Learning Repository, 1998, "
        "doi:10.24432/C50P49"
    ),
    integrity="md5 of pixels and labels as scikit-learn gives them; recorded by this project, not published",
)


def load(folder: Path | None = None) -> Splits:
    """Images uint8 (n, 8, 8), 0 to 16 (not 255); labels the digit.

    Args:
        folder: not used; here so that every dataset is loaded alike.

    Raises:
        DatasetUnavailable: the installed scikit-learn holds other data.
    """
    images, labels = _content()
    train, test = train_and_test(DATASET.name, len(labels))
    return Splits(
        train=Split(inputs=images[train], labels=labels[train]),
        test=Split(inputs=images[test], labels=labels[test]),
        classes=tuple("0123456789"),
    )


def checksums() -> dict[str, str]:
    """What a load uses: the md5 of pixels, then labels (64-bit, little-endian).

    Raises:
        DatasetUnavailable: the installed scikit-learn holds other data.
    """
    _content()
    return {"pixels-and-labels": CONTENT}


def _content() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    # Late: what is known about the set without loading it has to be had where scikit-learn is not installed.
    from sklearn.datasets import load_digits

    bunch = load_digits()
    images = bunch.images.astype(np.uint8)
    labels = bunch.target.astype(np.int64)
    md5 = hashlib.md5(images.tobytes() + labels.astype("<i8").tobytes(), usedforsecurity=False).hexdigest()
    if md5 != CONTENT:
        raise DatasetUnavailable(f"digits: scikit-learn gives data with md5 {md5}, expected {CONTENT}")
    return images, labels
