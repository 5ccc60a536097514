"""Reading the collected tables: what figures and tables share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from wassdp import complaints, data
from wassdp.accounting.rounding import exact
from wassdp.report import called

ADJACENCIES = {
    "add-remove": "add/remove one record",
    "replace-one": "replace one record",
    "zero-out": "zero out one record",
    "replace-one-inside-class": "replace one record inside its class",
}
SAMPLINGS = {
    "full": "all records",
    "poisson": "Poisson sampling",
    "without-replacement": "batches without replacement",
    "shuffled": "shuffled passes",
}


TASK = "compared.task"
_OF_RUNS = ("run", "experiment")
_OF_HISTORY = ("run", "metric", "axis", "position", "value")
_WORDS = ("parameters.", "compared.", "adjacency/", "sampling/", "assumptions/", "seed", "code")
_NUMBERS = ("epsilon/", "delta/", "seconds", "peak_memory_mib")
_TEXT: dict[str, Any] = dict.fromkeys(("run", "label", "problem", "method", "privacy"), str)


def relation(adjacency: str, sampling: str) -> str:
    """Neighbouring relation and sampling scheme of a budget in words.

    >>> relation("add-remove", "poisson")
    'add/remove one record, Poisson sampling'
    """
    return f"{ADJACENCIES[adjacency]}, {SAMPLINGS[sampling]}"


def titled(dataset: object) -> str:
    """What figures and tables call a dataset, by its name in configurations; a name that is none stays as it is.

    >>> titled("german_credit"), titled("mnist"), titled("all of them")
    ('German credit', 'MNIST', 'all of them')
    """
    name = str(dataset)
    if name not in data.names():
        return name
    described = data.descriptor(name)
    return described.short or described.title


def in_words(text: str) -> str:
    """A text with every dataset's name in it `titled`, and other names of configurations in words.

    >>> in_words("usps to mnist"), in_words("fashion_mnist, model_a, ε = 1 by gdp")
    ('USPS to MNIST', 'Fashion-MNIST, model a, ε = 1 by GDP')
    """
    names = data.names()
    return re.sub(r"[a-z]\w+", lambda word: (titled if word[0] in names else called.words)(word[0]), text)


def require(runs: pd.DataFrame, columns: Iterable[str]) -> None:
    """Raise if the table of runs lacks a column.

    Raises:
        ValueError: naming the columns that are missing.
    """
    missing = [name for name in columns if name not in runs.columns]
    if missing:
        raise ValueError(f"runs: has no column {', '.join(missing)}")


def read_csv(path: Path, *, columns: Iterable[str], numbers: Iterable[str] = ()) -> pd.DataFrame:
    """A collected table.

    Args:
        path: its file.
        columns: those that it has to have.
        numbers: those of them that hold numbers alone.

    Raises:
        ValueError: one line with the file: it is no such table, or a cell is not what its column holds.
        OSError: it cannot be read.
    """
    try:
        frame = pd.read_csv(path, dtype=_TEXT, low_memory=False)
    except (ValueError, OverflowError) as error:  # pandas' own errors are among them
        raise ValueError(f"{path}: is not a table that can be read ({complaints.readable(str(error))})") from None
    if not isinstance(frame.index, pd.RangeIndex):  # pandas takes what is too much for names of the lines
        raise ValueError(f"{path}: is not a table that can be read (a line has more fields than there are columns)")
    missing = [name for name in columns if name not in frame]
    if missing:
        raise ValueError(f"{path}: has no column {', '.join(missing)}")
    for name in numbers:
        _refuse_words(path, name, frame[name])
    return frame


def _refuse_words(path: Path, name: str, column: pd.Series[Any]) -> None:
    wrong = column[pd.to_numeric(column, errors="coerce").isna() & column.notna()]
    if len(wrong):
        place = f"{path}: line {wrong.index[0] + 2}: {complaints.dotted([name])}"
        raise ValueError(f"{place} = {str(wrong.iloc[0])[:60]!r}: must be a number")


def _runs(path: Path) -> pd.DataFrame:
    """The table of runs; a word in a column of numbers is a damage, which a figure would stumble over."""
    frame = read_csv(path, columns=_OF_RUNS)
    for name in map(str, frame):
        if name in _TEXT or name.startswith(_WORDS) or pd.api.types.is_numeric_dtype(frame[name]):
            continue
        numbers = pd.to_numeric(frame[name], errors="coerce").notna().sum()
        if name.startswith(_NUMBERS) or numbers > frame[name].notna().sum() / 2:
            _refuse_words(path, name, frame[name])
    return frame


def of_experiment(runs_file: Path, history_file: Path, experiment: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs and curves of one experiment, without the columns that belong to others.

    ``delta`` stays whatever the runs are: where it is missing, a run is not private.

    Raises:
        ValueError: the table has no run of this experiment.
    """
    runs = _runs(runs_file)
    return _with_curves(_of(runs, experiment, runs_file), history_file)


def of_task(runs_file: Path, history_file: Path, experiment: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs and curves of all experiments that are compared in one task with ``experiment``.

    Raises:
        ValueError: the table has no run of this experiment, or it is compared in no task.
    """
    runs = _runs(runs_file)
    own = _of(runs, experiment, runs_file)
    require(own, [TASK])
    return _with_curves(runs[runs[TASK] == own[TASK].iloc[0]], history_file)


def _of(runs: pd.DataFrame, experiment: str, path: Path) -> pd.DataFrame:
    own = runs[runs["experiment"] == experiment]
    if own.empty:
        raise ValueError(f"experiment = {experiment!r}: has no run in {path}")
    return own


def _with_curves(runs: pd.DataFrame, history_file: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    runs = runs.assign(**{name: runs[name].fillna("") for name in _TEXT if name in runs})
    runs = runs.loc[:, runs.notna().any() | (runs.columns == "delta")]
    history = read_csv(history_file, columns=_OF_HISTORY, numbers=("position", "value"))
    return runs.reset_index(drop=True), history[history["run"].isin(runs["run"])].reset_index(drop=True)


def with_pictures(runs: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The runs with their sheets of pictures, columns ``picture/<name>``, as they are if there is no such table."""
    if not path.is_file():
        return runs
    sheets = read_csv(path, columns=("run", "name", "png"))
    sheets = sheets[sheets["run"].isin(runs["run"])]
    twice = sheets[sheets.duplicated(["run", "name"])]
    if len(twice):
        raise ValueError(f"{path}: line {twice.index[0] + 2}: {twice['name'].iloc[0]} of this run stands there twice")
    wide = sheets.pivot(index="run", columns="name", values="png").add_prefix("picture/")
    return runs.join(wide, on="run")


def truth(column: pd.Series[Any]) -> pd.Series[bool]:
    """A column of booleans, whatever a CSV file made of them.

    >>> truth(pd.Series([True, "False", "true"])).tolist()
    [True, False, True]
    """
    return column.astype(str).str.lower().eq("true")


def only_run(runs: pd.DataFrame, history: pd.DataFrame) -> tuple[pd.Series[Any], pd.DataFrame]:
    """The one run of what shows no more, and its curves.

    Raises:
        ValueError: there is not exactly one.
    """
    if len(runs) != 1:
        raise ValueError(f"runs: has {len(runs)} rows; this figure shows one run")
    return runs.iloc[0], history[history["run"] == runs["run"].iloc[0]]


def curves(runs: pd.DataFrame, history: pd.DataFrame, metric: str, axis: str) -> pd.DataFrame:
    """The points of one metric along one axis, with the columns of their runs; their places are in a column ``axis``.

    Raises:
        ValueError: a run of ``runs`` has no such point.
    """
    points = history[(history["metric"] == metric) & (history["axis"] == axis)].drop(columns="axis")
    joined = points.rename(columns={"position": axis}).merge(runs, on="run", validate="many_to_one")
    if joined.empty:
        raise ValueError(f"history: has no {metric} along {axis} for these runs")
    lacking = sorted(set(runs["run"]) - set(joined["run"]))
    if lacking:
        raise ValueError(f"history: has no {metric} along {axis} for run {lacking[0]} ({len(lacking)} of {len(runs)})")
    return joined


def power(value: float) -> str:
    r"""A number as Matplotlib text: by a power of ten where it is one below 0.1 or very small, else as it is.

    >>> print(power(1e-5), power(0.5), power(5e-5))
    $10^{-5}$ 0.5 $5\cdot10^{-5}$
    """
    _, exponent = f"{value:e}".split("e")
    if float(f"1e{exponent}") == value and int(exponent) < -1:
        return f"$10^{{{int(exponent)}}}$"
    number, _, exponent = exact(value).partition("e")
    return rf"${number}\cdot10^{{{int(exponent)}}}$" if exponent else number
