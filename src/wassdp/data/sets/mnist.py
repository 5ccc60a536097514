"""MNIST: handwritten digits, 28 x 28, grey."""

from __future__ import annotations

from pathlib import Path

from wassdp.data import idx
from wassdp.data.base import Splits

CLASSES = tuple("0123456789")

DATASET = idx.described(
    name="mnist",
    title="MNIST",
    licence="CC BY-SA 3.0 (as commonly stated)",
    source="http://yann.lecun.com/exdb/mnist/",
    citation=(
        "LeCun, Bottou, Bengio, Haffner, Gradient-based learning applied to document recognition, Proc. IEEE 86(11), "
        "1998"
    ),
    folder="mnist",
    hosts=("https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"),
    files=(
        (9_912_422, "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        (28_881, "d53e105ee54ea40749a09fcbcd1e9432"),
        (1_648_877, "9fb629c4189551a2d022fa330f9573f3"),
        (4_542, "ec29112dd5afa0611ce80d1b7f02629c"),
    ),
    class_counts=(5_923, 6_742, 5_958, 6_131, 5_842, 5_421, 5_918, 6_265, 5_851, 5_949),
)


def load(folder: Path | None = None) -> Splits:
    """Images uint8 (n, 28, 28), 0 to 255; labels the digit. Folder and errors as in `wassdp.data.idx.load`."""
    return idx.load(DATASET, "MNIST", folder, CLASSES)
