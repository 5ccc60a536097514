"""The comparison of all methods at equal budgets: a page, its data, and the leaderboard's files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from wassdp.files import write_text
from wassdp.publish import comparison_page, comparison_rows, leaderboard
from wassdp.version import RELEASED, __version__

STEM, BOARD = "comparison", "leaderboard"
REPORT = {
    "name": "wassdp: Wasserstein distances in differential privacy, measured",
    "url": "N/A",
    "authors": "The wassdp maintainers",
    "code": "N/A",
    "venue": f"version {__version__}",
    "venue_date": RELEASED,
}


def write(folder: Path, out: Path | None = None) -> list[Path]:
    """Write ``comparison.html``, ``comparison.csv`` and ``leaderboard/*.yml``.

    Args:
        folder: of published sets.
        out: where to; None: there.

    Returns:
        The files that were written.
    """
    out = folder if out is None else out
    table = list(comparison_rows.rows(folder))
    frame = pd.DataFrame([row for row, _ in table], columns=[*comparison_rows.COLUMNS])
    texts = {
        f"{STEM}.html": comparison_page.page(table),
        f"{STEM}.csv": frame.to_csv(index=False, lineterminator="\n"),
    }
    board = leaderboard.files((row for row, _ in table), REPORT)
    texts |= {f"{BOARD}/{name}": text for name, text in board.items()}
    (out / BOARD).mkdir(parents=True, exist_ok=True)
    for old in (out / BOARD).glob("*.yml"):
        if old.name not in board:
            old.unlink()
    for name, text in texts.items():
        write_text(out / name, text)
    return [out / name for name in texts]
