"""Parts of a dataset that the places of its records alone decide, never what they hold.

A record changed, its label included, then moves no other one from part to part: whoever is protected among the records
that train is protected in the file. A share taken of each class would not do, since one label moves later records of
two classes. Nor would every so many rows: the files of digits run through the classes in turn.
"""

from __future__ import annotations

import functools
import hashlib

import numpy as np
from jaxtyping import Int64

from wassdp import checks


@functools.cache
def parted(label: str, count: int, *, share: int) -> tuple[Int64[np.ndarray, " most"], Int64[np.ndarray, " some"]]:
    """Places, ascending, of most of ``count`` records, and of one in ``share`` of them, rounded down.

    By the SHA-256 of ``<label>/<place>``, a place written in decimals from 0, the latter are those that come first.
    No library's generator enters, whose stream another version might change.

    Args:
        label: what is parted, for instance a dataset's name.
        count: records, at least ``share``.
        share: one in so many, at least 2.

    Raises:
        ValueError: one of them is too small.

    >>> most, some = parted("seven", 7, share=3)
    >>> most.tolist(), some.tolist()
    ([0, 1, 2, 4, 5], [3, 6])
    """
    checks.whole("share", share, least=2)
    checks.whole("count", count, least=share)
    order = sorted(range(count), key=lambda place: hashlib.sha256(f"{label}/{place}".encode()).digest())
    taken = count // share
    return np.array(sorted(order[taken:]), dtype=np.int64), np.array(sorted(order[:taken]), dtype=np.int64)


def train_and_test(name: str, count: int) -> tuple[Int64[np.ndarray, " train"], Int64[np.ndarray, " test"]]:
    """Places for training, and of one record in five for the test, of a dataset that comes without a split.

    Args:
        name: the dataset.
        count: its records, at least 5.

    >>> train, test = train_and_test("digits", 1797)
    >>> len(train), len(test)
    (1438, 359)
    """
    return parted(f"{name}/test", count, share=5)
