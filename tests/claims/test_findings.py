"""Findings of published sets: recomputed from the sets' tables by other means, and on their pages word for word."""

from __future__ import annotations

import csv
import lzma
import math
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from wassdp import claims
from wassdp.claims import Finding, Pick
from wassdp.pipeline import plan as plans
from wassdp.publish import foremost
from wassdp.report import picked

RESULTS = Path(__file__).parents[2] / "docs" / "results"
SETS = sorted(path.parent.name for path in plans.kept(RESULTS))
SPELT = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 10: "ten"}
READ = foremost.reader(RESULTS)
TERMS = re.compile(r" \((?:Add/remove|Replace|Settings|Zero|Δ)[^()]*\.\)$")
FOUND = [(name, place) for name in SETS for place in range(len(claims.found_in(name)))]


@cache
def rows(name: str) -> list[dict[str, str]]:
    with lzma.open(RESULTS / name / "runs.csv.xz", "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def finding(name: str, place: int) -> Finding:
    return list(claims.found_in(name))[place]


def values(pick: Pick) -> list[float]:
    """The column of the runs of one setting; a missing budget is an infinite one."""
    wanted = (pick.runs.experiment, pick.runs.setting)
    own = [row for row in rows(pick.runs.set) if (row["experiment"], row["label"]) == wanted]
    return [float(row[pick.column]) if row[pick.column] else math.inf for row in own]


def said(text: str, template: str) -> dict[str, str]:
    """The figures of a finding, read from its words, without the terms behind them."""
    text, pattern = TERMS.sub("", text), ""
    for part in re.split(r"(\{\{.*?\}\})", template):
        named = re.fullmatch(r"\{\{\s*(\w+)\s*\}\}", part)
        if named:  # the same name twice is the same words
            pattern += f"(?P={named[1]})" if f"<{named[1]}>" in pattern else f"(?P<{named[1]}>.+?)"
        else:
            pattern += re.escape(part)
    match = re.fullmatch(pattern, text)
    assert match is not None, text
    return match.groupdict()


@pytest.mark.parametrize("name", SETS)
def test_every_set_has_three_to_six_findings(name):
    assert 3 <= len(claims.found_in(name)) <= 6


@pytest.mark.parametrize("name", SETS)
def test_the_page_says_what_the_data_say(name):
    page = (RESULTS / name / "README.md").read_text()
    assert "## Findings" in page
    part = page.split("## Findings", 1)[1].split("\n## ", 1)[0]
    shown = [line.removeprefix("- ") for line in part.splitlines() if line.startswith("- ")]
    assert shown == foremost.findings(name, READ)


@pytest.mark.parametrize(("name", "place"), FOUND)
def test_every_figure_is_that_of_the_runs(name, place):
    own = finding(name, place)
    text = foremost.findings(name, READ)[place]
    for pick, figure in said(text, own.text).items():
        if pick in own.seeds:
            continue  # those are the next test's
        numbers = values(own.picks[pick])
        assert numbers
        column = own.picks[pick].column
        if column == "disparate_impact":  # of each seed itself or its inverse, whichever is smaller
            numbers = [min(number, 1 / number) if number else 0.0 for number in numbers]
        if column.startswith("accuracy"):
            assert float(figure) == pytest.approx(100 * sum(numbers) / len(numbers), abs=0.051)
        elif column.startswith("epsilon/upper/"):
            worst = max(numbers)
            if math.isinf(worst):
                assert "finite" in figure
            else:
                assert worst * (1 - 1e-9) <= float(figure) <= worst * 1.001
        elif column.startswith("epsilon/lower/"):
            assert min(numbers) * 0.999 <= float(figure) <= min(numbers) * (1 + 1e-9)
        else:
            assert float(figure) == pytest.approx(sum(numbers) / len(numbers), rel=1e-3)


@pytest.mark.parametrize(("name", "place"), FOUND)
def test_behind_the_figures_stands_what_they_rest_on(name, place):
    own, text = finding(name, place), foremost.findings(name, READ)[place]
    terms = (TERMS.search(text) or [""])[0]
    budgets = [pick for pick in own.picks.values() if re.match("epsilon/[^/]+/", pick.column)]
    relations, facts = set(), set()
    for pick in own.picks.values():
        wanted = (pick.runs.experiment, pick.runs.setting)
        for row in (row for row in rows(pick.runs.set) if (row["experiment"], row["label"]) == wanted):
            if pick in budgets:
                column = pick.column.removeprefix("epsilon/")
                relations.add(row[f"adjacency/{column}"].partition("-")[0])
                if "in the ledger" not in terms:
                    assert f"{float(row[f'delta/{column}']):.3g}" in terms
            else:
                facts.add(row["selection"])
    assert bool(relations) == ("δ" in terms)
    assert relations <= {"", *re.findall("add|replace|zero", terms.lower())} or "in the ledger" in terms
    assert all(fact in terms for fact in facts - {"none"})


@pytest.mark.parametrize(("name", "place"), FOUND)
def test_every_number_of_seeds_is_that_of_the_runs(name, place):
    own = finding(name, place)
    shown = said(foremost.findings(name, READ)[place], own.text)
    for key, picks in own.seeds.items():
        for pick in picks or own.picks:
            runs = own.picks[pick].runs
            seeds = [
                row["seed"]
                for row in rows(runs.set)
                if (row["experiment"], row["label"]) == (runs.experiment, runs.setting)
            ]
            assert len(seeds) == len(set(seeds))
            assert shown[key] == f"{SPELT[len(seeds)]} seed{'s' if len(seeds) > 1 else ''}"


@pytest.mark.parametrize(("name", "place"), FOUND)
def test_no_number_of_seeds_is_typed(name, place):
    """Of runs, that is; trials of a search have seeds too."""
    text = finding(name, place).text.replace("20 trials, of one seed each", "")
    assert not re.search(rf"(?i)\b(\d+|{'|'.join(SPELT.values())}) seeds?\b", text)


@pytest.mark.parametrize(("name", "place"), [each for each in FOUND if finding(*each).seeds])
def test_runs_with_other_numbers_of_seeds_are_refused(name, place, tmp_path):
    own = finding(name, place)
    keys = [key for key, picks in own.seeds.items() if len({own.picks[pick].runs for pick in picks or own.picks}) > 1]
    assert keys
    pick = own.picks[(own.seeds[keys[0]] or list(own.picks))[-1]].runs
    table = [row for row in rows(pick.set) if (row["experiment"], row["label"]) == (pick.experiment, pick.setting)]
    rest = [row for row in rows(pick.set) if row not in table]
    extra = table[0] | {"run": "0" * 12, "seed": "12345"}
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(extra))
        writer.writeheader()
        writer.writerows([*rest, *table, extra])
    shutil.copy(RESULTS / pick.set / "ledger.csv.xz", tmp_path)
    with pytest.raises(picked.UntrueError, match=r"one number of seeds; the runs have"):
        foremost.findings(name, foremost.reader(RESULTS, {pick.set: tmp_path}))


@pytest.mark.parametrize(("name", "place"), FOUND)
def test_a_corrupted_figure_changes_the_words(name, place, tmp_path, monkeypatch):
    own = finding(name, place)
    before = foremost.findings(name, READ)[place]
    pick = next(iter(own.picks.values()))
    place_of = pick.runs.set  # a finding may compare with another set
    table = [dict(row) for row in rows(place_of)]
    for row in table:
        if (row["experiment"], row["label"]) == (pick.runs.experiment, pick.runs.setting):
            row[pick.column] = str(0.5 * float(row[pick.column]) if row[pick.column] else 1.0)
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    shutil.copy(RESULTS / place_of / "ledger.csv.xz", tmp_path)
    # That words without a figure would be refused too is another test's.
    monkeypatch.setattr(picked, "refuse_untrue", lambda *_: None)
    assert foremost.findings(name, foremost.reader(RESULTS, {place_of: tmp_path}))[place] != before
