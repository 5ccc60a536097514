"""Which class the final model predicts for the test examples of each class."""

from __future__ import annotations

import numpy as np
import pandas as pd
from jaxtyping import Float

from wassdp import data
from wassdp.data import SETS

PREFIX, AXIS = "predicted/", "class"


def counts(runs: pd.DataFrame, history: pd.DataFrame) -> dict[str, Float[np.ndarray, "classes classes"]]:
    """Run id to its confusion matrix: row true class, column predicted class, number of test examples.

    Read from the curves ``predicted/<j>`` along the axis ``class``, whose value at position i is the number of test
    examples of class i that the model predicts as class j.

    Raises:
        ValueError: a run lacks the matrix, or has only a part of it, or what it has are no numbers of examples.
    """
    points = history[(history["axis"] == AXIS) & history["metric"].str.startswith(PREFIX)]
    found: dict[str, Float[np.ndarray, "classes classes"]] = {}
    for run in runs["run"]:
        own = points[points["run"] == run]
        if own.empty:
            raise ValueError(
                f"history: has no {PREFIX}* along {AXIS} for run {run}; such a run recorded no predictions"
            )
        predicted = own["metric"].str.removeprefix(PREFIX).astype(int)
        table = own.assign(predicted=predicted).pivot(index="position", columns="predicted", values="value")
        matrix = table.to_numpy(dtype=float)
        number = len(matrix)
        complete = list(table.index) == list(range(number)) == list(table.columns)
        if not complete or not np.isfinite(matrix).all():
            raise ValueError(f"history: {PREFIX}* of run {run} is no complete matrix of {number} classes")
        if (matrix < 0).any() or (matrix != np.round(matrix)).any():
            raise ValueError(f"history: {PREFIX}* of run {run} holds what is no number of examples")
        found[run] = matrix
    return found


def shares(matrix: Float[np.ndarray, "classes classes"]) -> Float[np.ndarray, "classes classes"]:
    """Each row divided by its sum; NaN for a class without test examples.

    >>> shares(np.array([[3.0, 1.0], [0.0, 2.0]])).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    total = matrix.sum(axis=1, keepdims=True)
    divided: Float[np.ndarray, "classes classes"] = np.divide(
        matrix, total, out=np.full_like(matrix, np.nan), where=total > 0
    )
    return divided


def class_names(dataset: str, number: int) -> list[str]:
    """The classes of a dataset, by name if its file lists them under ``CLASSES``, else by number.

    Raises:
        ValueError: there is no such dataset, or it has another number of classes.

    >>> class_names("fashion_mnist", 10)[:2], class_names("digits", 10)[:2]
    (['T-shirt/top', 'trouser'], ['0', '1'])
    """
    classes = data.descriptor(dataset).classes
    if classes != number:
        raise ValueError(f"history: has predictions of {number} classes on {dataset}, which has {classes}")
    return list(getattr(SETS.load(dataset), "CLASSES", map(str, range(number))))
