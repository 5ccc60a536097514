"""The comparison of all methods: what is shown is what the data say, and the page is whole and harmless."""

from __future__ import annotations

import html.parser
import json
import lzma
import math
import re
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from wassdp.cli import main
from wassdp.files import read_packed_text
from wassdp.publish import comparison, comparison_page
from wassdp.publish.comparison_rows import COLUMNS, SET, rows, tuning

SETS = Path(__file__).parents[2] / "docs" / "results"
FILES = ("runs.csv.xz", "ledger.csv.xz", "plan.json.xz", "provenance.json")
ODD = "<script>alert(1)</script> & \"quoted\" 'too' | {{ 7 * 7 }}"


class Cells(html.parser.HTMLParser):
    """Texts and keys of the table's cells, and every address in the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, str]]] = []
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.cell: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self.addresses += [str(found[name]) for name in ("href", "src", "action", "data") if name in found]
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.cell, self.key = [], found.get("data-key")

    def handle_endtag(self, tag: str) -> None:
        if tag == "td" and self.cell is not None:
            self.rows[-1].append(("".join(self.cell).strip(), str(self.key)))
            self.cell = None

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell.append(data)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything of the published sets."""
    out = tmp_path_factory.mktemp("comparison")
    comparison.write(SETS, out)
    return out


def test_the_published_comparison_is_that_of_the_data(made: Path) -> None:
    names = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    assert [name for name in names if (made / name).read_text() != (SETS / name).read_text()] == []
    assert sorted(path.name for path in (SETS / "leaderboard").iterdir()) == sorted(
        path.name for path in (made / "leaderboard").iterdir()
    )


def test_columns_are_those_of_the_runs(made: Path) -> None:
    table = pd.read_csv(made / "comparison.csv")
    assert list(table) == list(COLUMNS)
    runs = pd.read_csv(SETS / SET / "runs.csv.xz", low_memory=False)
    own = table[table["set"] == SET]
    # Settings in their order, each with all its runs: a seed that was added later stands last in the table of runs.
    by_setting = runs.groupby(["experiment", "label"], sort=False)["run"]
    assert own["runs"].str.split().tolist() == [list(each) for _, each in by_setting]
    for _, row in own.iterrows():
        found = runs[runs["run"].isin(row["runs"].split())]
        assert row["seeds"] == found["seed"].nunique()
        on_processors = found[~found["device"].str.contains("cuda")]
        assert row["seconds"] == pytest.approx(on_processors["seconds"].mean())
        assert row["memory_mib"] == pytest.approx(on_processors["peak_memory_mib"].mean())
        assert (row["setting"],) == tuple(found["label"].unique())
        proven = found.filter(like="epsilon/upper/").max().min()
        assert (math.isnan(row["epsilon"]) and math.isnan(proven)) or row["epsilon"] == proven
    assert own[own["delta"].notna()]["relation"].notna().all()
    assert table["mean"].notna().all()
    assert (table["least"] <= table["mean"] + 1e-12).all()
    assert (table["mean"] <= table["most"] + 1e-12).all()


def test_every_row_leads_to_its_configuration_and_its_results(made: Path) -> None:
    table = pd.read_csv(made / "comparison.csv")
    assert [name for name in {*table["configuration"], *table["results"]} if not (SETS / name).is_file()] == []
    first = table.iloc[0]
    configured = pd.read_csv(SETS / first["configuration"], low_memory=False).set_index("run")
    own = configured.loc[first["runs"].split()]
    assert own.filter(like="parameters.").notna().any(axis=1).all()


def test_the_page_has_the_rows_of_the_data_and_asks_for_nothing_else(made: Path) -> None:
    text = (made / "comparison.html").read_text()
    table, page = pd.read_csv(made / "comparison.csv", keep_default_na=False), Cells(text)
    cells = [row for row in page.rows if row]
    assert len(cells) == len(table)
    places = {name: place for place, name in enumerate(comparison_page.SHOWN)}
    for row, (_, data) in zip(cells, table.iterrows(), strict=True):
        assert [row[places[name]][0] for name in ("task", "data", "method")] == [
            data[name] for name in ("task", "data", "method")
        ]
        for name in comparison_page.NUMBERS:
            key = row[places[name]][1]
            assert (key == "" and data[name] == "") or float(key) == pytest.approx(float(data[name]))
        assert data["runs"] in row[-1][0]
        shown = row[places["epsilon"]][0].removesuffix(" *")
        if shown not in ("not private", "none finite"):
            assert float(shown) >= float(data["epsilon"])
    assert [address for address in page.addresses if ":" in address or address.startswith("/")] == []
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    assert all(word not in text for word in ("@import", "url(", "http:", "https:", "fetch(", "XMLHttp"))
    assert text.count("<script") == 1


def altered(folder: Path) -> Path:
    """The one set, with a hostile label in place of one of its settings."""
    place = folder / SET
    place.mkdir()
    for name in FILES:
        shutil.copy(SETS / SET / name, place / name)
    runs = pd.read_csv(place / "runs.csv.xz", low_memory=False)
    first = runs["label"].iloc[0]
    runs.loc[runs["label"] == first, ["label", "method", "problem"]] = ODD
    runs.to_csv(place / "runs.csv.xz", index=False)
    plan = json.loads(read_packed_text(place / "plan.json.xz"))
    plan["experiments"][0]["search"] = ODD
    plan["settings"][0]["spec"]["parameters"]["note"] = ODD
    (place / "plan.json.xz").write_bytes(lzma.compress(json.dumps(plan).encode()))
    return folder


def test_what_comes_from_data_is_escaped(tmp_path: Path) -> None:
    folder = altered(tmp_path)
    comparison.write(folder)
    text = (folder / "comparison.html").read_text()
    assert text.count("<script") == 1
    assert "<script>alert" not in text
    assert "{{ 7 * 7 }}" in text
    row = next(row for row in Cells(text).rows if row)
    assert (row[1][0], row[2][0].partition(", standardised")[0]) == (ODD, ODD)
    assert ODD in row[-1][0]


# Columns of the list's table (_includes/table.html there).
SHOWN = {"model", "epsilon", "delta", "private_accuracy", "dp_accountant"}


def test_claims_of_the_leaderboard_are_rows_of_the_table(made: Path) -> None:
    table = pd.read_csv(made / "comparison.csv")
    wanted = table[(table["task"] == "classification") & table["epsilon"].map(math.isfinite)]
    claims: list[dict[str, Any]] = []
    for path in sorted((made / "leaderboard").glob("*.yml")):
        (report,) = yaml.safe_load(path.read_text())
        assert {"name", "url", "authors", "code", "venue", "venue_date", "claims"} == set(report)
        assert all(("public_data" in claim) == path.stem.endswith("_any") for claim in report["claims"])
        assert all(set(claim) >= SHOWN for claim in report["claims"])
        assert all(re.fullmatch(r"\d+\.\d%", claim["private_accuracy"]) for claim in report["claims"])
        analyses = [each for claim in report["claims"] for each in claim.get("analyses", [])]
        assert all({"claim", "citation", "url", "code"} == set(each) - {"note"} for each in analyses)
        claims += report["claims"]
    assert len(claims) == len(wanted) > 0
    for claim in claims:
        own = wanted[(wanted["method"] == claim["model"]) & (wanted["delta"] == claim["delta"])]
        assert (own["epsilon"] <= claim["epsilon"]).any()
        assert (own["mean"].map(lambda mean: f"{100 * mean:.1f}%") == claim["private_accuracy"]).any()
    # What a reader has to know stands where the list shows it.
    notes = [each["note"] for claim in claims for each in claim.get("analyses", []) if "note" in each]
    assert sorted(notes) == sorted(wanted["remark"].dropna())


def test_it_is_written_beside_the_front_page(tmp_path: Path, capsys: Any) -> None:
    for place in SETS.glob("*/plan.json.xz"):
        target = tmp_path / place.parent.name
        target.mkdir()
        for name in FILES:
            shutil.copy(place.parent / name, target / name)
    assert main(["publish", "--front", "--to", str(tmp_path)]) == 0
    assert str(tmp_path / "comparison.html") in capsys.readouterr().out
    shown = pd.read_csv(tmp_path / "comparison.csv")["runs"].tolist()
    assert shown == [row["runs"] for row, _ in rows(SETS)]


def test_a_method_that_is_compared_is_called_and_scored_as_it_says(tmp_path: Path) -> None:
    folder = altered(tmp_path)
    place = folder / SET
    plan = json.loads(read_packed_text(place / "plan.json.xz"))
    first, runs = plan["experiments"][0], pd.read_csv(place / "runs.csv.xz", low_memory=False)
    first["compared"] = {"task": "trial", "problem": "mnist", "method": "mine", "public": "a photograph"}
    first["selection"] = "validation, 7 trials"
    runs.loc[runs["experiment"] == first["name"], ["compared.score", "compared.objective"]] = [0.25, "accuracy, less"]
    (place / "plan.json.xz").write_bytes(lzma.compress(json.dumps(plan).encode()))
    runs.to_csv(place / "runs.csv.xz", index=False)
    row, _ = next(rows(folder))
    assert [row[name] for name in ("task", "data", "method", "public_data")] == [
        "trial",
        "MNIST",
        "mine",
        "a photograph",
    ]
    assert (row["score"], row["mean"], row["trials"]) == ("accuracy, less", 0.25, 7)


def test_what_was_chosen_on_test_records_is_never_called_validation() -> None:
    assert tuning("test accuracies were read", "12 trials")[:2] == (
        pytest.approx(math.nan, nan_ok=True),
        "test records",
    )
    assert tuning("none", None)[:2] == (0, "none")
