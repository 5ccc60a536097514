"""Statlog German Credit: is a loan applicant a good risk?

Preprocessing:

- The 13 coded attributes become columns of 0 and 1, one for each code that ``german.doc`` lists; the 7 numbers
  are mapped to [0, 1] by public ranges, and nothing is computed from the rows. The ranges of the four numbers
  that are codes follow Groemping (2019), "South German Credit data: correcting a widely used data set" (rate
  and residence 1 to 4, credits 1 to 4, dependants 1 to 2); the others are round figures chosen without regard
  to the rows: duration 0 to 120 months, amount 0 to 100,000 marks on a logarithmic scale, age 18 to 100.
  ``scaling="training"`` standardises by mean and standard deviation of the training part instead; those figures
  come from private data, are not free, and no budget of this project covers them.
- No split is published: one applicant in five, by its place in the file (`wassdp.data.by_place`), is test (200), the
  rest training. Chance put 152 good applicants (76 %) into the test and 548 (68.5 %) into the training part; a split
  that took its share of each class would read labels.

The documentation gives a cost matrix: calling a bad applicant good costs 5, the reverse 1.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wassdp import checks
from wassdp.data import storage
from wassdp.data.base import Dataset, File, Split, Splits
from wassdp.data.by_place import train_and_test
from wassdp.data.table import Range, Scaling, features

COLUMNS = (
    "status",
    "duration",
    "history",
    "purpose",
    "amount",
    "savings",
    "employment",
    "rate",
    "personal",
    "debtors",
    "residence",
    "property",
    "age",
    "plans",
    "housing",
    "credits",
    "job",
    "dependants",
    "telephone",
    "foreign",
    "risk",
)
NUMERICAL = {
    "duration": Range(low=0, high=120),
    "amount": Range(low=0, high=100_000, logarithmic=True),
    "rate": Range(low=1, high=4),
    "residence": Range(low=1, high=4),
    "age": Range(low=18, high=100),
    "credits": Range(low=1, high=4),
    "dependants": Range(low=1, high=2),
}
CATEGORICAL = {
    "status": ("A11", "A12", "A13", "A14"),
    "history": ("A30", "A31", "A32", "A33", "A34"),
    "purpose": ("A40", "A41", "A42", "A43", "A44", "A45", "A46", "A47", "A48", "A49", "A410"),
    "savings": ("A61", "A62", "A63", "A64", "A65"),
    "employment": ("A71", "A72", "A73", "A74", "A75"),
    "personal": ("A91", "A92", "A93", "A94", "A95"),
    "debtors": ("A101", "A102", "A103"),
    "property": ("A121", "A122", "A123", "A124"),
    "plans": ("A141", "A142", "A143"),
    "housing": ("A151", "A152", "A153"),
    "job": ("A171", "A172", "A173", "A174"),
    "telephone": ("A191", "A192"),
    "foreign": ("A201", "A202"),
}
MALE = ("A91", "A93", "A94")
SOURCE_COLUMN = {"sex": "personal", "age": "age"}
YOUNG = 25  # years; the boundary of Kamiran and Calders (2009)


def _file(name: str, size: int, md5: str, *, published: bool = True, optional: bool = False) -> File:
    host = "https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/german/"
    return File(path=name, md5=md5, bytes=size, urls=(host + name,), published=published, optional=optional)


DATASET = Dataset(
    name="german_credit",
    title="Statlog (German Credit Data)",
    short="German credit",
    task="binary classification of a table, fairness",
    origin="files",
    counts={"train": 800, "test": 200},
    shape=(),
    classes=2,
    sensitive=tuple(SOURCE_COLUMN),
    licence="CC BY 4.0",
    source="https://archive.ics.uci.edu/dataset/144/statlog+german+credit+data",
    citation=("Hofmann, Statlog (German Credit Data), UCI Machine Learning Repository, 1994, doi:10.24432/C5NC77"),
    folder="german-credit",
    files=(
        _file("german.data", 79_793, "6b94c2e35480e671545e52a808a8a549"),
        _file("german.doc", 4_679, "9e5a5db935ce1ee6720d95ad614d873c", optional=True),
        _file("german.data-numeric", 102_000, "dd6d1bd8f4bcc4555b900b9c00955c33", published=False, optional=True),
    ),
    integrity="md5 of german.data and german.doc as published; that of german.data-numeric recorded by this project",
)


def load(
    folder: Path | None = None,
    *,
    sensitive: str = "sex",
    include_sensitive: bool = True,
    scaling: Scaling = "public",
) -> Splits:
    """Features float32 (n, columns); labels 1 for a good applicant, 0 for a bad one (2 in the file).

    Args:
        folder: the data folder; None for the usual one.
        sensitive: ``sex`` (1 male, 0 female, both from attribute 9) or ``age`` (1 above 25 years, 0 up to 25,
            from attribute 13).
        include_sensitive: whether the features hold the attribute it is taken from, too. Attribute 9 joins sex and
            marital status, so without it the latter is gone as well.
        scaling: ``public``, ``training`` or ``none``, see above.

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    checks.one_of("sensitive", sensitive, DATASET.sensitive)
    path = storage.fetch(DATASET, folder).path("german.data")
    rows = np.array([line.split() for line in path.read_text().splitlines() if line.strip()], dtype=np.str_)
    table = {name: rows[:, position] for position, name in enumerate(COLUMNS)}
    labels = (table["risk"] == "1").astype(np.int64)
    protected = _protected(table, sensitive)
    dropped = None if include_sensitive else SOURCE_COLUMN[sensitive]
    parts = train_and_test(DATASET.name, len(labels))
    inputs, names = features(
        [{name: values[part] for name, values in table.items()} for part in parts],
        numerical={name: span for name, span in NUMERICAL.items() if name != dropped},
        categorical={name: codes for name, codes in CATEGORICAL.items() if name != dropped},
        scaling=scaling,
    )
    train, test = (
        Split(inputs=values, labels=labels[part], sensitive=protected[part])
        for values, part in zip(inputs, parts, strict=True)
    )
    return Splits(train=train, test=test, classes=("bad", "good"), columns=names)


def _protected(table: dict[str, NDArray[np.str_]], sensitive: str) -> NDArray[np.int64]:
    if sensitive == "sex":
        return np.isin(table["personal"], MALE).astype(np.int64)
    return (table["age"].astype(np.int64) > YOUNG).astype(np.int64)
