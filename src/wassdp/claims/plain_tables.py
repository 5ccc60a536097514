"""Published tables of runs by the csv module alone, for code that confirms what `wassdp.claims.measurement` reads."""

from __future__ import annotations

import csv
import lzma
from pathlib import Path


def experiment_rows(folder: Path, published: str, experiment: str) -> list[dict[str, str]]:
    """Runs of an experiment, as a set inside ``folder`` keeps them, packed or not, or ``folder`` itself.

    Raises:
        FileNotFoundError: there is no table.
    """
    for place in (folder / published, folder):
        if (plain := place / "runs.csv").is_file():
            with plain.open(encoding="utf-8", newline="") as file:
                return [row for row in csv.DictReader(file) if row["experiment"] == experiment]
        if (packed := place / "runs.csv.xz").is_file():
            with lzma.open(packed, "rt", encoding="utf-8", newline="") as file:
                return [row for row in csv.DictReader(file) if row["experiment"] == experiment]
    raise FileNotFoundError(f"{folder}: has no runs of {published}")
