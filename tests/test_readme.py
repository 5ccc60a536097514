"""What the README shows is what the repository holds."""

import csv
import lzma
import math
import re
import shlex
from pathlib import Path

import pytest

from wassdp.cli import VERBS, main
from wassdp.pipeline import stored
from wassdp.publish import front
from wassdp.report import called

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_claims_are_those_of_the_published_page():
    """`tests/publish/test_front.py` compares that page with the data."""
    (block,) = re.findall(rf"{re.escape(front.BEGIN)}\n(.*?){re.escape(front.END)}", README, flags=re.DOTALL)
    rows = [line for line in block.splitlines() if line.startswith("|")]
    page = (ROOT / "docs" / "results" / "README.md").read_text().splitlines()
    assert len(rows) == 2 + 10
    assert rows == page[page.index(rows[0]) :][: len(rows)]


def test_the_table_of_sets_is_complete_and_its_runs_are_those_that_are_there():
    known = dict(
        re.findall(r"^\| \[[\w-]+\]\(docs/results/([\w-]+)/README.md\) .*\| (\d+) \|$", README, flags=re.MULTILINE)
    )
    assert known == {
        path.parent.name: str(len(stored.vouched(path.parent)))
        for path in (ROOT / "docs" / "results").glob("*/plan.json.xz")
    }


def test_each_row_of_the_claims_has_its_paper():
    said = re.search(r"Rows (.*?): δ", README, flags=re.DOTALL).group(1).replace("\n", " ")
    papers = {}
    for numbers, title in re.findall(r"(\d+(?: to \d+)?) (?:are )?of \*([^*]+)\*", said):
        first, last = (numbers.split(" to ") * 2)[:2]
        papers |= dict.fromkeys(range(int(first), int(last) + 1), title)
    with (ROOT / "docs" / "results" / "claims.csv").open(encoding="utf-8", newline="") as file:
        assert papers == {int(row["place"]): called.title(row["paper"]) for row in csv.DictReader(file)}


def test_figures_of_the_runs_without_a_printed_noise_are_those_of_published_runs():
    """The formula's at the authors' noise, and the attacks at the noise that gives the printed ε."""

    def runs(name):
        with lzma.open(ROOT / "docs" / "results" / name / "runs.csv.xz", "rt", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    formula, attacked = {}, {}
    for row in runs("wasserstein-dp"):
        if row["experiment"] == "published-table-2" and (value := row["epsilon/published/wasserstein_printed_delta"]):
            formula.setdefault(row["label"].split(",")[0], []).append(float(value))
    begin = "wasserstein dp table 2 "
    for row in runs("attacks"):
        if row["experiment"] == "budgets-attacked" and row["label"].startswith(begin):
            attacked[row["label"].removeprefix(begin)] = math.floor(1e3 * float(row["lower/measured"])) / 1e3
    said = re.search(r"gives ([\d.]+) \(row 1\) and ([\d.]+) \(rows 2, 3 and 5\)", README)
    worst = {name: f"{max(values):.1f}" for name, values in formula.items()}
    assert worst == {"cifar10": said[1], "model_a": said[2], "fashion_mnist": said[2]}
    found = re.search(r"at least ([\d.]+) \(row 1\), ([\d.]+) \(2 and 5\) and ([\d.]+) \(3\)", README)
    shown = {"cifar10": float(found[1]), "mnist": float(found[2]), "fashion mnist": float(found[3])}
    assert {name: attacked[name] for name in shown} == shown  # SVHN is in no row


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_links_lead_somewhere(path):
    assert (ROOT / path).exists()


def test_the_python_example_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "pld" in shown
    assert "upper" in shown


@pytest.mark.parametrize("line", re.findall(r"^wassdp (?:epsilon|calibrate|curve) .*$", README, flags=re.MULTILINE))
def test_the_commands_for_budgets_run(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("verb", sorted(set(re.findall(r"`?wassdp ([a-z]+)", README)) - {"and", "runs"}))
def test_commands_exist(verb):
    assert verb in VERBS.names()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"(?:`|^)make ([a-z]+)", README, flags=re.MULTILINE))))
def test_make_targets_exist(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
