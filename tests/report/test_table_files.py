"""Tables as Markdown, CSV and LaTeX."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from wassdp.report import table_files

FRAME = pd.DataFrame(
    {
        "name_of": ["a|b & 5 %", r"$\frac{1}{2}_x$"],
        "ε": [1 / 3, math.inf],
        "runs": [3, 12345],
        "missing": [math.nan, 1e-10],
    }
)


def test_markdown() -> None:
    assert table_files.markdown(FRAME).splitlines() == [
        "| name_of | ε | runs | missing |",
        "| :--- | ---: | ---: | ---: |",
        "| a\\|b & 5 % | 0.3333 | 3 | – |",
        r"| $\frac{1}{2}_x$ | ∞ | 12345 | 1e-10 |",
    ]


def test_latex_escapes_text_and_keeps_formulas() -> None:
    assert table_files.latex(FRAME).splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"name\_of & $\varepsilon$ & runs & missing \\",
        r"\midrule",
        r"a|b \& 5 \% & 0.3333 & 3 & -- \\",
        r"$\frac{1}{2}_x$ & $\infty$ & 12345 & 1e-10 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_files(tmp_path: Path) -> None:
    table_files.write(FRAME, tmp_path / "table-1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table-1.csv", "table-1.md", "table-1.tex"]
    again = pd.read_csv(tmp_path / "table-1.csv")
    pd.testing.assert_frame_equal(again, FRAME)
