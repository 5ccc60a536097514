"""Two-class problems of Gibbs posteriors: real records, scaled by public constants alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from jaxtyping import Float
from pydantic import Field

from wassdp import data, experiment
from wassdp.data import held_out
from wassdp.data.base import Split
from wassdp.data.held_out import JudgedOn
from wassdp.sections import Section
from wassdp.tangent.losses import TITLES, LossName, named
from wassdp.tangent.potentials import Potential, PotentialScores
from wassdp.tangent.risks import MarginRisks

DatasetName = Annotated[Literal["digits", "mnist", "fashion_mnist", "adult", "german_credit"], data.SETS]
Class = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, eq=False)
class SignedExamples:
    """Records of one split: features of norm at most 1, labels -1 or 1."""

    features: Float[np.ndarray, "records dimension"]
    labels: Float[np.ndarray, " records"]

    def __len__(self) -> int:
        return len(self.labels)

    def without(self, record: int) -> SignedExamples:
        """All records but one."""
        return SignedExamples(np.delete(self.features, record, axis=0), np.delete(self.labels, record))

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

    def potential(
        self, scores: PotentialScores, loss: LossName, inverse_temperature: float, base_std: float
    ) -> Potential:
        """The potential of a family of classifiers on these records."""
        return Potential(scores, self.features, self.labels, named(loss), inverse_temperature, base_std)


class Problem(Section):
    """Which records, which of their features, and what is to be told apart.

    Features have norm at most 1 whatever the records: pixels are averaged over a grid of cells, mapped from
    [0, maximum] to [-1, 1] and divided by the root of their number; a table's columns, each number in [0, 1] by its
    public range and each category coded by one 1, are divided by the root of the number of the table's attributes.
    """

    dataset: DatasetName = Field(description="grey images or a table")
    negative: tuple[Class, ...] = Field(default=(0,), min_length=1, description="classes labelled -1")
    positive: tuple[Class, ...] = Field(
        default=(1,), min_length=1, description="classes labelled 1; others are left out"
    )
    cells: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = Field(
        default=None, description="rows and columns of the grid that images are averaged to; null: every pixel"
    )
    keep: tuple[Annotated[int, Field(ge=0)], ...] | None = Field(
        default=None,
        min_length=1,
        description="places of the features that are kept, counted after averaging; null: all",
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
        absent = [label for label in (*self.negative, *self.positive) if label >= described.classes]
        if absent:
            return f"dataset {self.dataset} has no class {absent[0]}"
        if self.keep is not None and len(set(self.keep)) < len(self.keep):
            twice = next(place for place in self.keep if self.keep.count(place) > 1)
            return f"keep has place {twice} twice: each at most once, or records may be longer than 1"
        if self.cells is not None and described.maximum is None:
            return f"dataset {self.dataset} holds no images to average"
        if self.cells is not None and any(
            size % count for size, count in zip(described.shape, self.cells, strict=True)
        ):
            return f"cells {self.cells} do not divide images of {described.shape}"
        # How many features a table has, only its columns tell.
        if described.shape and self.keep is not None:
            places = math.prod(self.cells or described.shape)
            if max(self.keep) >= places:
                return f"keep has place {max(self.keep)}: must be below {places}, the number of features"
        return self._too_few(described)

    def _too_few(self, described: data.Dataset) -> str | None:
        """Why there are fewer training records than asked for, as far as it is known without them, or None."""
        if self.records is None:
            return None
        most, whose = described.counts["train"], "training records"
        if described.class_counts:
            most = sum(described.class_counts[label] for label in {*self.negative, *self.positive})
            whose = f"{whose} of these classes"
        return f"records = {self.records}: {self.dataset} has {most} {whose}" if self.records > most else None

    def too_small(self, batch: int | None) -> str | None:
        """Why no batch of so many records can be drawn, as far as it is known before they are read, or None."""
        if batch is None or self.records is None or batch <= self.records:
            return None
        return f"batch = {batch}: must be at most {self.records} records"

    def off_square(self) -> str | None:
        """Why the weights of linear classifiers have no square grid (`wassdp.tangent.grid`), or None."""
        two = math.prod(self.cells or ()) == 2 if self.keep is None else len(self.keep) == 2
        return None if two else "a square grid needs two features: keep two"

    def load(self, judged_on: JudgedOn = "test") -> tuple[SignedExamples, SignedExamples]:
        """Training records, and those that judge: test records, or training records that are held out.

        Raises:
            ValueError: one side has no test record, there are fewer records than asked for, or a kept feature does not
                exist.
            DatasetUnavailable: the dataset cannot be had.
        """
        splits = held_out.judged(data.load(self.dataset), self.dataset, judged_on)
        attributes = len({name.split("=")[0] for name in splits.columns}) or None
        train, test = (self._examples(split, attributes) for split in (splits.train, splits.test))
        if self.records is not None:
            if self.records > len(train):
                raise ValueError(f"records = {self.records}: {self.dataset} has {len(train)} of these classes")
            train = SignedExamples(train.features[: self.records], train.labels[: self.records])
        # Not of training records: stopping because a side has none would say so, and a draw needs neither side.
        if judged_on == "test" and len(set(test.labels.tolist())) < 2:
            raise ValueError(f"{self.dataset}: one side has no test record")
        return train, test

    def _examples(self, split: Split, attributes: int | None) -> SignedExamples:
        positive, negative = np.isin(split.labels, self.positive), np.isin(split.labels, self.negative)
        kept = positive | negative
        values = split.inputs[kept].astype(np.float64)
        if attributes is None:
            maximum = data.descriptor(self.dataset).maximum
            assert maximum is not None, "impossible() lets images and tables through only"
            values = 2 * _averaged(values, self.cells) / maximum - 1
        if self.keep is not None:
            if max(self.keep) >= values.shape[1]:
                raise ValueError(f"keep = {self.keep}: there are {values.shape[1]} features")
            values = values[:, self.keep]
        # Zeros in place of a record with a number missing: stopping because of it would say that it is there.
        values = np.where(np.isfinite(values).all(axis=1, keepdims=True), values, 0.0)
        return SignedExamples(
            features=values / math.sqrt(values.shape[1] if attributes is None else attributes),
            labels=np.where(positive[kept], 1.0, -1.0),
        )


class ProblemParameters(experiment.Parameters):
    """Parameters of a run on the Gibbs posterior of a problem."""

    problem: Problem
    loss: LossName

    def describe(self) -> experiment.Description:
        return experiment.Description(self.problem.dataset, f"{TITLES[self.loss]} loss")

    def impossible(self) -> str | None:
        return self.problem.impossible()


def _averaged(images: Float[np.ndarray, "n rows columns"], cells: tuple[int, int] | None) -> np.ndarray:
    count, height, width = images.shape
    if cells is None:
        return images.reshape(count, -1)
    rows, columns = cells
    split = images.reshape(count, rows, height // rows, columns, width // columns)
    return np.asarray(split.mean(axis=(2, 4)).reshape(count, -1))
