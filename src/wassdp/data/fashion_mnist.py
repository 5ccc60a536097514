"""Fashion-MNIST: articles of clothing, 28 x 28, grey, in MNIST's format."""

from __future__ import annotations

from pathlib import Path

from wassdp.data import _idx
from wassdp.data.base import Dataset, File, Splits

CLASSES = (
    "T-shirt/top",
    "trouser",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle boot",
)


def _file(name: str, size: int, md5: str) -> File:
    host = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
    return File(path=name, md5=md5, bytes=size, urls=(host + name,))


DATASET = Dataset(
    name="fashion_mnist",
    title="Fashion-MNIST",
    task="image classification",
    origin="files",
    counts={"train": 60_000, "test": 10_000},
    shape=(28, 28),
    classes=10,
    maximum=255,
    licence="MIT, copyright Zalando SE",
    source="https://github.com/zalandoresearch/fashion-mnist",
    citation=(
        "Xiao, Rasul, Vollgraf, Fashion-MNIST: a novel image dataset for benchmarking machine learning algorithms, "
        "arXiv:1708.07747, 2017"
    ),
    folder="fashion-mnist",
    files=(
        _file("train-images-idx3-ubyte.gz", 26_421_880, "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        _file("train-labels-idx1-ubyte.gz", 29_515, "25c81989df183df01b3e8a0aad5dffbe"),
        _file("t10k-images-idx3-ubyte.gz", 4_422_102, "bef4ecab320f06d8554ea6380940ec79"),
        _file("t10k-labels-idx1-ubyte.gz", 5_148, "bb300cfdad3c16e7a12a480ee83cd310"),
    ),
)


def load(folder: Path | None = None) -> Splits:
    """Images uint8 (n, 28, 28), 0 to 255; labels as in ``CLASSES``.

    Args:
        folder: the data folder; None for the usual one.

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    return _idx.load(DATASET, "FashionMNIST", folder, CLASSES)
