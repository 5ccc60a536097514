"""A train and test split for datasets that come without one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wassdp import checks

READS = "the labels of all records of the file, every fifth of a class being held out for the test"
"""What decides which records train, in words, where every fifth is taken; `wassdp.data.base.Dataset.split_reads`."""


def systematic(labels: NDArray[np.int64], *, every: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row numbers of the training and test part: every ``every``-th row of each class, in file order, is test.

    Systematic stratified sampling: no random number, hence the same for ever, and each class keeps its share.

    >>> train, test = systematic(np.array([0, 1, 0, 0, 1, 1]), every=3)
    >>> train.tolist(), test.tolist()
    ([0, 1, 2, 4], [3, 5])
    """
    checks.whole("every", every, least=2)
    tested = np.zeros(len(labels), dtype=bool)
    for label in np.unique(labels):
        tested[np.flatnonzero(labels == label)[every - 1 :: every]] = True
    return np.flatnonzero(~tested).astype(np.int64), np.flatnonzero(tested).astype(np.int64)
