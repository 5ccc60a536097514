"""Fashion-MNIST: articles of clothing, 28 x 28, grey, in MNIST's format."""

from __future__ import annotations

from pathlib import Path

from wassdp.data import idx
from wassdp.data.base import Splits

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

DATASET = idx.described(
    name="fashion_mnist",
    title="Fashion-MNIST",
    licence="MIT, copyright Zalando SE",
    source="https://github.com/zalandoresearch/fashion-mnist",
    citation=(
        "Xiao, Rasul, Vollgraf, Fashion-MNIST: a novel image dataset for benchmarking machine learning algorithms, "
        "arXiv:1708.07747, 2017"
    ),
    folder="fashion-mnist",
    hosts=("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",),
    files=(
        (26_421_880, "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        (29_515, "25c81989df183df01b3e8a0aad5dffbe"),
        (4_422_102, "bef4ecab320f06d8554ea6380940ec79"),
        (5_148, "bb300cfdad3c16e7a12a480ee83cd310"),
    ),
    class_counts=(6_000,) * 10,
)


def load(folder: Path | None = None) -> Splits:
    """Images uint8 (n, 28, 28), 0 to 255; labels as in ``CLASSES``. Folder and errors: `wassdp.data.idx.load`."""
    return idx.load(DATASET, "FashionMNIST", folder, CLASSES)
