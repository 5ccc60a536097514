"""From table columns to float32 features, with nothing learnt from the private rows unless asked for.

Categories and ranges come from documentation, not from the data: a mean, a maximum or a list of categories
computed from private rows is a release of its own that no budget of a later mechanism covers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wassdp import checks

Scaling = Literal["public", "training", "none"]
SCALINGS = ("public", "training", "none")


@dataclass(frozen=True, kw_only=True)
class Range:
    """The public range of a numerical column.

    Args:
        low, high: ends; values outside are clipped to them.
        logarithmic: whether distances are taken between logarithms of one plus the value.
    """

    low: float
    high: float
    logarithmic: bool = False

    def unit(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """``values`` clipped and mapped to [0, 1].

        >>> Range(low=0, high=10).unit(np.array([-1.0, 5.0, 11.0])).tolist()
        [0.0, 0.5, 1.0]
        """
        clipped = np.clip(values, self.low, self.high)
        if not self.logarithmic:
            return np.asarray((clipped - self.low) / (self.high - self.low))
        start = math.log1p(self.low)
        return np.asarray((np.log1p(clipped) - start) / (math.log1p(self.high) - start))


def one_hot(name: str, values: NDArray[np.str_], categories: Sequence[str]) -> NDArray[np.float32]:
    """One column of 0 and 1 for each category, (n, categories).

    Raises:
        ValueError: a value is none of the categories.

    >>> one_hot("sex", np.array(["Male", "Female"]), ("Female", "Male")).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    columns = np.equal(values[:, None], np.asarray(categories)[None, :])
    if not columns.any(axis=1).all():
        odd = str(values[~columns.any(axis=1)][0])
        checks.one_of(name, odd, categories)
    return np.asarray(columns, dtype=np.float32)


def features(
    parts: Sequence[Mapping[str, NDArray[np.str_]]],
    *,
    numerical: Mapping[str, Range],
    categorical: Mapping[str, Sequence[str]],
    scaling: Scaling,
) -> tuple[list[NDArray[np.float32]], tuple[str, ...]]:
    """Features of each part (the first is the training part) and the names of their columns.

    Args:
        parts: column name to text values, for each split.
        numerical: the numerical columns, with their public ranges.
        categorical: the categorical columns, with all their categories.
        scaling: ``public``: numbers mapped to [0, 1] by their public ranges; ``training``: mean 0 and standard
            deviation 1 over the training part, whose release no budget covers; ``none``: as they are.
    """
    checks.one_of("scaling", scaling, SCALINGS)
    blocks: list[list[NDArray[np.float32]]] = [[] for _ in parts]
    names: list[str] = []
    for name, span in numerical.items():
        columns = [part[name].astype(np.float64) for part in parts]
        if scaling == "public":
            columns = [span.unit(column) for column in columns]
        elif scaling == "training":
            centre, spread = columns[0].mean(), columns[0].std()
            columns = [(column - centre) / (spread if spread > 0 else 1.0) for column in columns]
        names.append(name)
        for block, column in zip(blocks, columns, strict=True):
            block.append(column[:, None].astype(np.float32))
    for name, categories in categorical.items():
        names += [f"{name}={category}" for category in categories]
        for block, part in zip(blocks, parts, strict=True):
            block.append(one_hot(name, part[name], categories))
    return [np.concatenate(block, axis=1) for block in blocks], tuple(names)
