"""The page over all sets, and the README's rows."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from wassdp.cli import main
from wassdp.publish import front
from wassdp.publish.foremost_text import IDEAL

ROOT = Path(__file__).parents[2]
SETS = ROOT / "docs" / "results"
FILES = ("runs.csv.xz", "ledger.csv.xz", "plan.json.xz", "provenance.json", "README.md")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The published sets' tables alone."""
    for place in SETS.glob("*/plan.json.xz"):
        target = tmp_path / "results" / place.parent.name
        target.mkdir(parents=True)
        for name in FILES:
            shutil.copy(place.parent / name, target / name)
    return tmp_path / "results"


def test_the_page_is_that_of_the_data_and_so_are_the_readmes_rows(copied: Path, capsys: Any) -> None:
    readme = copied.parent / "README.md"
    readme.write_text(f"before\n\n{front.BEGIN}\nold rows\n{front.END}\n\nafter\n")
    assert main(["publish", "--front", "--to", str(copied), "--readme", str(readme)]) == 0
    assert (copied / "README.md").read_text() == (SETS / "README.md").read_text()
    assert (copied / "claims.csv").read_bytes() == (SETS / "claims.csv").read_bytes()
    text = readme.read_text()
    assert text.startswith("before\n\n<!-- claims:")
    assert text.endswith(f"{front.END}\n\nafter\n")
    assert "old rows" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 12
    assert rows == [line for line in (ROOT / "README.md").read_text().splitlines() if line in rows]
    landing = copied.parent / front.LANDING
    landing.parent.mkdir(parents=True)
    landing.write_text(f"before\n\n{front.LANDING_BEGIN}\nold rows\n{front.LANDING_END}\n")
    before = readme.read_bytes()
    assert main(["publish", "--front", "--to", str(copied), "--readme", str(readme)]) == 0
    assert readme.read_bytes() == before
    there = (ROOT / front.LANDING).read_text()
    assert landing.read_text().split(front.LANDING_BEGIN)[1] == there.split(front.LANDING_BEGIN)[1]
    assert all(f'"{row.split(" | ")[1]}"' in there for row in rows[2:])
    assert str(copied / "claims.png") in capsys.readouterr().out


def test_the_index_says_how_its_seeds_are_counted(copied: Path) -> None:
    assert main(["publish", "--front", "--to", str(copied)]) == 0
    text = (copied / "README.md").read_text()
    assert "| experiments by seeds finished, of those configured |" in text
    assert text.index("## All sets") < text.index(front.SEEDS) < text.index("[Coverage]")


def test_honest_budgets_rest_on_exact_noise_and_sums() -> None:
    with (SETS / "claims.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len([row for row in rows if row["honest"]]) >= 8
    assert [row["title"] for row in rows if IDEAL[0] in row["honest_rests_on"]] == []
    assert [row["title"] for row in rows if IDEAL[1] in row["honest_rests_on"]] == []


def test_links_lead_somewhere() -> None:
    links = set(re.findall(r"\]\(([^)#:]+)\)", (SETS / "README.md").read_text()))
    assert len(links) > 6
    assert [link for link in links if not (SETS / link).exists()] == []


def test_a_page_without_the_place_is_refused_and_nothing_is_written(copied: Path, capsys: Any) -> None:
    readme = copied.parent / "README.md"
    readme.write_text("no place\n")
    assert main(["publish", "--front", "--to", str(copied), "--readme", str(readme)]) == 2
    assert "must have the lines <!-- claims:" in capsys.readouterr().err
    assert not (copied / "README.md").exists()


def test_a_set_that_is_not_there_is_named(copied: Path, capsys: Any) -> None:
    shutil.rmtree(copied / "tangent-dp")
    assert main(["publish", "--front", "--to", str(copied)]) == 2
    assert "set = 'tangent-dp'" in capsys.readouterr().err


def test_ways_exclude_each_other(capsys: Any) -> None:
    assert main(["publish", "--front", "--again", "x"]) == 2
    assert "again: cannot go with --front" in capsys.readouterr().err
    assert main(["publish", "--readme", "x"]) == 2
    assert "readme: is for --front" in capsys.readouterr().err
