"""The one public split of training records into those that are trained on and those that judge a choice.

It depends on a dataset's name and on the places of its records alone, never on what they hold: whoever knows the files
knows the split, it is the same for every method, and it gives away nothing (`wassdp.data.by_place.parted`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from jaxtyping import Int64

from wassdp.data.base import Splits
from wassdp.data.by_place import parted

JudgedOn = Literal["test", "validation"]
"""Whose records say how good a run is: the test split's, or those that this split takes from the training records."""
SHARE = 6
"""One in so many training records is for validation: 10,000 of MNIST's 60,000."""


def places(name: str, count: int) -> tuple[Int64[np.ndarray, " trained"], Int64[np.ndarray, " judged"]]:
    """Places, ascending, of those of ``count`` training records that are trained on, and of those for validation.

    Args:
        name: the dataset.
        count: its training records, at least 6.

    >>> trained, judged = places("mnist", 60_000)
    >>> len(trained), len(judged), judged[:4].tolist()
    (50000, 10000, [3, 4, 11, 12])
    """
    return parted(name, count, share=SHARE)


def trained_on(name: str, count: int, judged_on: JudgedOn) -> int:
    """How many of ``count`` training records are trained on.

    >>> trained_on("adult", 32_561, "validation"), trained_on("adult", 32_561, "test")
    (27135, 32561)
    """
    return count if judged_on == "test" else len(places(name, count)[0])


def judged(splits: Splits, name: str, judged_on: JudgedOn) -> Splits:
    """``splits`` as a run sees them: for validation without any test record, which the records held out stand for."""
    if judged_on == "test":
        return splits
    trained, held_out = places(name, len(splits.train))
    return replace(splits, train=splits.train.rows(trained), test=splits.train.rows(held_out), validation=None)
