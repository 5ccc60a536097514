"""A figure or table made of collected runs, and written: what the command line and publishing do alike."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure as Drawn

from wassdp.report import escaping, frames, seeds, style, table_files
from wassdp.report.kinds import Figure, Output, Table

FIGURE = "draw must return a Matplotlib figure and a data frame of what it shows"
TABLE = "build must return a data frame"


def drawn(asked: Figure, *, experiment: str, runs: Path, history: Path, pictures: Path) -> tuple[Drawn, pd.DataFrame]:
    """The figure of an experiment's runs, with a line below it that says of how many seeds, and its data.

    Args:
        asked: the figure.
        experiment: whose runs.
        runs: table of all runs.
        history: table of their curves.
        pictures: table of their pictures, or where there would be one.

    Raises:
        ValueError: as `write`.
    """
    rows, points = _read(asked, runs, history, experiment)
    texts = {text: shown for text in _texts(rows) if (shown := escaping.figure(text)) != text}
    made: object = asked.draw(frames.with_pictures(rows.replace(texts) if texts else rows, pictures), points)
    match made:
        case (Drawn() as figure, pd.DataFrame() as data):
            text = seeds.said(rows, data)
            if text:
                style.foot(figure, text)
            return figure, data.replace({shown: text for text, shown in texts.items()}) if texts else data
        case _:
            raise ValueError(_wrong(asked, FIGURE, made))


def write(
    asked: Output, stem: Path, *, experiment: str, runs: Path, history: Path, pictures: Path, page: bool = False
) -> None:
    """Make ``asked`` of the runs of an experiment, and write its files.

    Args:
        asked: a figure or a table.
        stem: path of the files, without suffix.
        experiment: whose runs.
        runs: table of all runs.
        history: table of their curves.
        pictures: table of their pictures, or where there would be one.
        page: of a table, write a page of HTML too.

    Raises:
        ValueError: it cannot be made of these runs, or its code returns something else than what it is to return.
    """
    if isinstance(asked, Figure):
        figure, data = drawn(asked, experiment=experiment, runs=runs, history=history, pictures=pictures)
        style.save(figure, data, stem)
    elif isinstance(asked, Table):
        made = asked.build(*_read(asked, runs, history, experiment))
        if not isinstance(made, pd.DataFrame):
            raise ValueError(_wrong(asked, TABLE, made))
        table_files.write(made, stem, page=page)


def _read(asked: Output, runs: Path, history: Path, experiment: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    read = frames.of_task if asked.compares else frames.of_experiment
    return read(runs, history, experiment)


def _texts(runs: pd.DataFrame) -> set[str]:
    """Texts of the runs that a figure might not show as they are."""
    columns = runs.select_dtypes(exclude="number")
    return {text for name in columns for text in columns[name].unique() if isinstance(text, str) and not _plain(text)}


def _plain(text: str) -> bool:
    return "$" not in text and text.isprintable()


def _wrong(asked: Output, allowed: str, made: object) -> str:
    what = f"({', '.join(type(part).__name__ for part in made)})" if isinstance(made, tuple) else type(made).__name__
    return f"{type(asked).__module__}.{type(asked).__name__}: {allowed}, not {what}"
