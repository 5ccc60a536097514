"""Generated images with noise beside those of the same reading without: DP-SWD's Figures 4 and 5.

The paper leaves open how labels enter the distance and whether rows are scaled; each reading stands for itself, and
those of all 60,000 steps are set beside the tenth of the steps that was run without noise.
"""

from __future__ import annotations

from collections.abc import Callable

from wassdp.claims.measurement import Row, Rows, number
from wassdp.claims.recomputed import Entry, Relation

SET = "dp-sliced-wasserstein"
OPEN = "how labels enter the distance, and whether rows are scaled; each reading stands for itself, with one seed"
NAMES = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST"}


def experiments(data: str) -> tuple[tuple[str, str], ...]:
    """All steps, and a tenth of them, in each reading."""
    return tuple((SET, f"generation-readings-{part}{data}") for part in ("", "tenth-"))


def beside_no_noise(data: str, column: str, relation: Relation, *, share: float = 1.0) -> Callable[[Rows], list[Entry]]:
    """Entries: a figure of each run with noise, against a share of that of its reading without."""

    def entries(rows: Rows) -> list[Entry]:
        every = [(name, row) for _, name in experiments(data) for row in rows[name]]
        plain = {row["method"]: row for _, row in every if _without(row)}
        return [
            Entry(
                name=f"{row['label']}, {number(row, 'steps'):,.0f} steps: {column}",
                printed=share * number(plain[row["method"].removeprefix("DP-")], column),
                found=number(row, column),
                relation=relation,
            )
            for _, row in every
            if not _without(row)
        ]

    return entries


def _without(row: Row) -> bool:
    return row["privacy"] == "no privacy"
