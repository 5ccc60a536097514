"""Two-class problems of Gibbs posteriors: real records, scaled by public constants alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field

from wassdp import data
from wassdp.tangent.losses import LossName, named
from wassdp.tangent.risks import MarginRisks

if TYPE_CHECKING:
    from wassdp.data.base import Split

DatasetName = Literal["digits", "mnist", "fashion_mnist", "adult", "german_credit"]
Class = Annotated[int, Field(ge=0)]


class Problem(BaseModel):
    """Which records, which of their features, and what is to be told apart.

    Features have norm at most 1 whatever the records: pixels are averaged over a grid of cells, mapped from
    [0, maximum] to [-1, 1] and divided by the root of their number; a table's columns, each number in [0, 1] by its
    public range and each category coded by one 1, are divided by the root of the number of the table's attributes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    dataset: DatasetName = Field(description="grey images or a table")
    negative: tuple[Class, ...] = Field(default=(0,), min_length=1, description="classes labelled -1")
    positive: tuple[Class, ...] = Field(
        default=(1,), min_length=1, description="classes labelled 1; others are left out"
    )
    cells: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = Field(
        default=None, description="rows and columns of the grid that images are averaged to; null: every pixel"
    )
    keep: tuple[Annotated[int, Field(ge=0)], ...] | None = Field(
        default=None, description="places of the features that are kept, counted after averaging; null: all"
    )
    records: Annotated[int, Field(ge=2)] | None = Field(
        default=None, description="the first so many training records of the two classes; null: all"
    )

    def impossible(self) -> str | None:
        """Why there is no such problem, or None."""
        described = data.descriptor(self.dataset)
        assert described.classes is not None
        if set(self.negative) & set(self.positive):
            return f"classes {sorted(set(self.negative) & set(self.positive))} are on both sides"
        wrong = [each for each in (*self.negative, *self.positive) if each >= described.classes]
        if wrong:
            return f"dataset {self.dataset} has no class {wrong[0]}"
        if self.cells is not None and described.maximum is None:
            return f"dataset {self.dataset} holds no images to average"
        if self.cells is not None and any(
            size % count for size, count in zip(described.shape, self.cells, strict=True)
        ):
            return f"cells {self.cells} do not divide images of {described.shape}"
        return None


@dataclass(frozen=True, eq=False)
class Examples:
    """Records of one split: features of norm at most 1, labels -1 or 1."""

    features: Float[np.ndarray, "records dimension"]
    labels: Float[np.ndarray, " records"]

    def accuracy(self, scores: Float[np.ndarray, "... records"]) -> Float[np.ndarray, ...]:
        """Share of records whose score has the sign of their label; a score of 0 is wrong."""
        return np.asarray((scores * self.labels > 0).mean(axis=-1))

    def risks(
        self,
        weights: Float[np.ndarray, "hypotheses dimension"],
        loss: LossName,
        intercepts: Float[np.ndarray, " hypotheses"] | None = None,
    ) -> MarginRisks:
        """Risks of linear classifiers on these records."""
        return MarginRisks(weights, self.features, self.labels, named(loss), intercepts=intercepts)


def load(problem: Problem) -> tuple[Examples, Examples]:
    """Training and test records of a problem.

    Raises:
        ValueError: a class has no records, there are fewer than asked for, or a kept feature does not exist.
        DatasetUnavailable: the dataset cannot be had.
    """
    splits = data.load(problem.dataset)
    attributes = len({name.split("=")[0] for name in splits.columns}) or None
    train, test = (_examples(split, problem, attributes) for split in (splits.train, splits.test))
    if problem.records is not None:
        if problem.records > len(train.labels):
            raise ValueError(f"records = {problem.records}: {problem.dataset} has {len(train.labels)} of these classes")
        train = Examples(train.features[: problem.records], train.labels[: problem.records])
    for name, part in (("training", train), ("test", test)):
        if len(set(part.labels.tolist())) < 2:
            raise ValueError(f"{problem.dataset}: one side has no {name} record")
    return train, test


def _examples(split: Split, problem: Problem, attributes: int | None) -> Examples:
    positive, negative = np.isin(split.labels, problem.positive), np.isin(split.labels, problem.negative)
    chosen = positive | negative
    values = split.inputs[chosen].astype(np.float64)
    if attributes is None:
        maximum = data.descriptor(problem.dataset).maximum
        assert maximum is not None, "impossible() lets images and tables through only"
        values = 2 * _averaged(values, problem.cells) / maximum - 1
    if problem.keep is not None:
        if max(problem.keep) >= values.shape[1]:
            raise ValueError(f"keep = {problem.keep}: there are {values.shape[1]} features")
        values = values[:, problem.keep]
    return Examples(
        features=values / math.sqrt(values.shape[1] if attributes is None else attributes),
        labels=np.where(positive[chosen], 1.0, -1.0),
    )


def _averaged(images: Float[np.ndarray, "n rows columns"], cells: tuple[int, int] | None) -> np.ndarray:
    count, height, width = images.shape
    if cells is None:
        return images.reshape(count, -1)
    rows, columns = cells
    split = images.reshape(count, rows, height // rows, columns, width // columns)
    return np.asarray(split.mean(axis=(2, 4)).reshape(count, -1))


def square(half_width: float, points: int) -> Float[np.ndarray, "hypotheses 2"]:
    """Hypotheses on an even square grid of a 2-D W, row by row."""
    line = np.linspace(-half_width, half_width, points)
    return np.asarray(np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2))


def on_square(problem: Problem) -> str | None:
    """Why a problem's W has no square grid, or None."""
    if problem.keep is None and problem.cells is not None and math.prod(problem.cells) == 2:
        return None
    return None if problem.keep is not None and len(problem.keep) == 2 else "a square grid needs two features: keep two"
