"""Adult (Census Income): does a person earn more than 50,000 dollars a year? US census of 1994.

Preprocessing, the same for training and test part:

- ``fnlwgt`` is left out: it is a weight of the survey, not an attribute of the person. ``education`` is left
  out: ``education-num`` says the same.
- Categories are those that ``adult.names`` lists; each becomes a column of 0 and 1.
- A missing value is ``?``. By default it is a category of its own and every row stays; ``missing="drop"``
  leaves out the rows that have one (as the classical results in ``adult.names`` do).
- Numbers are mapped to [0, 1] by public ranges: age 17 (``adult.names`` says above 16) to 90 (the survey's top
  code), education 1 to 16 (sixteen levels), hours 1 (above 0) to 99 (two digits), capital gain and loss 0 to
  99,999 (five digits) on a logarithmic scale. Nothing is computed from the rows. ``scaling="training"``
  standardises by the mean and standard deviation of the training part, as is often done; those figures come
  from private data, are not free, and no budget of this project covers them.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wassdp import checks
from wassdp.data import storage
from wassdp.data.base import Dataset, File, Split, Splits
from wassdp.data.table import Range, Scaling, features

COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
NUMERICAL = {
    "age": Range(low=17, high=90),
    "education-num": Range(low=1, high=16),
    "capital-gain": Range(low=0, high=99_999, logarithmic=True),
    "capital-loss": Range(low=0, high=99_999, logarithmic=True),
    "hours-per-week": Range(low=1, high=99),
}
CATEGORICAL = {
    "workclass": "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked",
    "marital-status": (
        "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse"
    ),
    "occupation": (
        "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
        "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces"
    ),
    "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried",
    "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
    "sex": "Female Male",
    "native-country": (
        "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan Greece "
        "South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal Ireland France "
        "Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand "
        "Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands"
    ),
}
MAY_BE_MISSING = ("workclass", "occupation", "native-country")
PRIVILEGED = {"sex": "Male", "race": "White"}


def _file(name: str, size: int, md5: str, *, optional: bool = False) -> File:
    host = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"
    return File(path=name, md5=md5, bytes=size, urls=(host + name,), optional=optional)


DATASET = Dataset(
    name="adult",
    title="Adult (Census Income)",
    short="Adult",
    task="binary classification of a table, fairness",
    origin="files",
    counts={"train": 32_561, "test": 16_281},
    shape=(),
    classes=2,
    sensitive=tuple(PRIVILEGED),
    licence="CC BY 4.0",
    source="https://archive.ics.uci.edu/dataset/2/adult",
    citation="Becker, Kohavi, Adult, UCI Machine Learning Repository, 1996, doi:10.24432/C5XW20",
    folder="adult",
    files=(
        _file("adult.data", 3_974_305, "5d7c39d7b8804f071cdd1f2a7c460872"),
        _file("adult.test", 2_003_153, "35238206dfdf7f1fe215bbb874adecdc"),
        _file("adult.names", 5_229, "1a7cdb3ff7a1b709968b1c7a11def63e", optional=True),
    ),
)


def load(
    folder: Path | None = None,
    *,
    sensitive: str = "sex",
    include_sensitive: bool = True,
    missing: str = "category",
    scaling: Scaling = "public",
) -> Splits:
    """Features float32 (n, columns); labels 1 for more than 50K, else 0; the protected attribute as 0 or 1.

    Args:
        folder: the data folder; None for the usual one.
        sensitive: ``sex`` (1 male, 0 female) or ``race`` (1 white, 0 any other).
        include_sensitive: whether the features hold the columns of that attribute, too.
        missing: ``category`` or ``drop``, see above.
        scaling: ``public``, ``training`` or ``none``, see above.

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    checks.one_of("sensitive", sensitive, DATASET.sensitive)
    checks.one_of("missing", missing, ("category", "drop"))
    manifest = storage.fetch(DATASET, folder)
    # The test file begins with a line that is no data.
    parts = [_read(manifest.path("adult.data"), skip=0), _read(manifest.path("adult.test"), skip=1)]
    categorical = {name: tuple(values.split()) for name, values in CATEGORICAL.items()}
    if missing == "category":
        categorical |= {name: (*categorical[name], "?") for name in MAY_BE_MISSING}
    else:
        parts = [_without_missing(part) for part in parts]
    if not include_sensitive:
        del categorical[sensitive]
    tables, names = features(parts, numerical=NUMERICAL, categorical=categorical, scaling=scaling)
    train, test = (
        Split(
            inputs=table,
            labels=(np.char.rstrip(part["income"], ".") == ">50K").astype(np.int64),
            sensitive=(part[sensitive] == PRIVILEGED[sensitive]).astype(np.int64),
        )
        for table, part in zip(tables, parts, strict=True)
    )
    return Splits(train=train, test=test, classes=("<=50K", ">50K"), columns=names)


def _read(path: Path, *, skip: int) -> dict[str, NDArray[np.str_]]:
    with path.open(newline="") as file:
        rows = [row for row in list(csv.reader(file, skipinitialspace=True))[skip:] if row]
    return {
        name: np.array(values, dtype=np.str_) for name, values in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    }


def _without_missing(part: dict[str, NDArray[np.str_]]) -> dict[str, NDArray[np.str_]]:
    whole = np.logical_and.reduce([part[name] != "?" for name in MAY_BE_MISSING])
    return {name: values[whole] for name, values in part.items()}
