"""Tables as Markdown, CSV and LaTeX."""

from __future__ import annotations

import math
import re
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


def test_datasets_have_the_names_that_people_know_but_in_the_data(tmp_path):
    table_files.write(pd.DataFrame({"dataset": ["german_credit", "other"], "seeds": [1, 2]}), tmp_path / "t")
    assert pd.read_csv(tmp_path / "t.csv")["dataset"].tolist() == ["german_credit", "other"]
    for suffix in ("md", "tex"):
        text = (tmp_path / f"t.{suffix}").read_text()
        assert "German credit" in text
        assert "german" not in text
        assert "other" in text


def test_a_page_has_the_cells_of_the_markdown_and_what_is_text_stays_text(tmp_path):
    frame = pd.DataFrame(
        {
            "dataset": ["german_credit", "other"],
            "<b>name</b>": ["<script>alert(1)</script>", r"$\delta$ = $10^{-5}$"],
            "proven ε": [1.01927, math.inf],
        }
    )
    frame = table_files.bounds(frame, {"proven ε": "upper"})
    table_files.write(frame, tmp_path / "t", page=True)
    text = (tmp_path / "t.html").read_text()
    assert "<script>" not in text
    assert "<b>" not in text
    assert re.findall(r"<th[^>]*>(.*?)</th>", text) == ["dataset", "&lt;b&gt;name&lt;/b&gt;", "proven ε"]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", text)
    assert cells == ["German credit", "&lt;script&gt;alert(1)&lt;/script&gt;", "1.02", "other", "δ = 10⁻⁵", "∞"]
    assert "http" not in text


def test_a_page_is_made_only_where_it_is_asked_for(tmp_path):
    table_files.write(pd.DataFrame({"x": [1]}), tmp_path / "t")
    assert not (tmp_path / "t.html").exists()
