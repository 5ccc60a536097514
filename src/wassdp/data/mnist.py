"""MNIST: handwritten digits, 28 x 28, grey."""

from __future__ import annotations

from pathlib import Path

from wassdp.data import _idx
from wassdp.data.base import Dataset, File, Splits

_HOSTS = ("https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/")


def _file(name: str, size: int, md5: str) -> File:
    return File(path=name, md5=md5, bytes=size, urls=tuple(host + name for host in _HOSTS))


DATASET = Dataset(
    name="mnist",
    title="MNIST",
    task="image classification",
    origin="files",
    counts={"train": 60_000, "test": 10_000},
    shape=(28, 28),
    classes=10,
    maximum=255,
    licence="CC BY-SA 3.0 (as commonly stated)",
    source="http://yann.lecun.com/exdb/mnist/",
    citation=(
        "LeCun, Bottou, Bengio, Haffner, Gradient-based learning applied to document recognition, Proc. IEEE 86(11), "
        "1998"
    ),
    folder="mnist",
    files=(
        _file("train-images-idx3-ubyte.gz", 9_912_422, "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        _file("train-labels-idx1-ubyte.gz", 28_881, "d53e105ee54ea40749a09fcbcd1e9432"),
        _file("t10k-images-idx3-ubyte.gz", 1_648_877, "9fb629c4189551a2d022fa330f9573f3"),
        _file("t10k-labels-idx1-ubyte.gz", 4_542, "ec29112dd5afa0611ce80d1b7f02629c"),
    ),
)


def load(folder: Path | None = None) -> Splits:
    """Images uint8 (n, 28, 28), 0 to 255; labels the digit.

    Args:
        folder: the data folder; None for the usual one.

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    return _idx.load(DATASET, "MNIST", folder, tuple("0123456789"))
