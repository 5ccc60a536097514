"""Texts that are code to somebody: shown as they are by every page, table and interface, or refused in one line.

One small set has them wherever a configuration may; a stranger's results have them wherever a file may. What MLflow's
own parser of Markdown and its sanitiser do with them is looked at in the browser, as is the site as it is built.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

import _browser
import _hostile
from wassdp import config
from wassdp.cli import main
from wassdp.pipeline import plan as plans
from wassdp.publish import comparison, leaderboard
from wassdp.publish.comparison_rows import COLUMNS
from wassdp.report import escaping

ROOT = Path(__file__).parents[1]
PAPER = "dp-sliced-wasserstein"
pytestmark = pytest.mark.filterwarnings("ignore:Attempting to set identical low and high xlims")
SECRET = "a file that no page asked for"
INDEX = "# Index\n\n```{{toctree}}\npapers/{0}\n```\n"
PAGE = "# Page\n\n<!-- site: set {0} -->\n\n# Ledger\n\n<!-- site: file docs/results/{0}/ledger.md -->\n"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of the set, with ledger, tables and figure."""
    folder = tmp_path_factory.mktemp("own")
    _hostile.finished(folder)
    for verb in ("collect", "ledger"):
        assert main([verb, "--results", str(folder)]) == 0
    for section, name, kind in (
        ("table", "table-4", "sliced_noise"),
        ("table", "ranks", "head_to_head"),
        ("figure", f"{PAPER}/figure-4", "head_to_head"),
    ):
        words = ["--runs", str(folder / "runs.csv"), "--history", str(folder / "history.csv")]
        words += ["--experiment", _hostile.MINE, "--kind", kind, "--out", str(folder / f"{section}s" / name)]
        assert main([section, *words]) == 0
    return folder


@pytest.fixture(scope="module")
def theirs(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's results: the same, with more that is hostile."""
    folder = tmp_path_factory.mktemp("theirs") / "results"
    shutil.copytree(own, folder)
    _hostile.estranged(folder)
    return folder


@pytest.fixture(scope="module")
def published(theirs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all published sets, a stranger's among them."""
    folder = tmp_path_factory.mktemp("docs") / "results"
    words = ["--merge", str(theirs), "--to", str(folder), "--remark", _hostile.LINES]
    assert main(["publish", *words]) == 0
    comparison.write(folder)
    return folder


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "a name": ({"name": "<b>a|b</b>"}, "must be small letters, digits and -"),
    "a paper": ({"paper": "../../elsewhere"}, "must be small letters, digits and -"),
    "a figure": ({"figures": [{"name": "../x", "kind": "head_to_head"}]}, "must be small letters, digits and -"),
    "an accountant's label": (
        {"accountants": [{"name": "pld", "label": _hostile.MARKUP}]},
        "must be 1 to 80 letters, digits, ., - and _",
    ),
    "a selection": ({"selection": _hostile.MARKUP}, "must be none, not recorded, validation, N trials"),
    "a NUL": ({"search": _hostile.STRANGE}, "must be printable characters"),
    "more than a page": ({"search": 2 * _hostile.LONG}, "at most 10000 characters"),
    "an option": (
        {"figures": [{"name": "x", "kind": "head_to_head", "options": {"accountant": "``\n\n.. raw:: html/pld"}}]},
        "must be letters, digits, spaces",
    ),
    "a parameter that is none": ({"label": "{word} {{ 7 * 7 }}"}, "has {word}, which is no parameter"),
    "a long label": ({"label": _hostile.LONG}, "characters; at most 300"),
    "a label of two lines": ({"label": "a\nb"}, "must be one line of printable characters"),
}


@pytest.mark.parametrize(("changes", "reason"), CHANGES.values(), ids=CHANGES)
def test_what_names_files_or_cannot_be_shown_is_refused(changes: dict[str, Any], reason: str, capsys: Any) -> None:
    assert main(["plan", "--json", json.dumps(_hostile.configuration(**changes))]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert reason in said
    assert said.isprintable()


@pytest.mark.parametrize("place", [("preset",), ("experiments", 0, "name"), ("experiments", 0, "tables", 0, "name")])
@pytest.mark.parametrize("text", ["../../elsewhere", _hostile.MARKUP, "/etc", "a\nb"])
def test_names_in_a_strangers_plan_lead_nowhere_else(
    place: tuple[Any, ...], text: str, own: Path, tmp_path: Path, capsys: Any
) -> None:
    shutil.copytree(own / "runs", tmp_path / "results" / "runs")
    plan = node = json.loads((own / "plan.json").read_text())
    for part in place[:-1]:
        node = node[part]
    node[place[-1]] = text
    (tmp_path / "results" / "plan.json").write_text(json.dumps(plan))
    for words in (["publish", "--to", str(tmp_path / "docs"), "--merge"], ["collect", "--results"]):
        assert main([*words, str(tmp_path / "results")]) == 2
        (said,) = capsys.readouterr().err.splitlines()
        assert "is not a plan" in said
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_an_accountant_in_a_strangers_result_has_a_name(theirs: Path, tmp_path: Path, capsys: Any) -> None:
    shutil.copytree(theirs, tmp_path / "results")
    path = next((tmp_path / "results").glob("runs/*/result.json"))
    path.write_text(path.read_text().replace('"accountant": "pld"', '"accountant": "a|b"'))
    assert main(["collect", "--results", str(tmp_path / "results")]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert "accountant: String should match pattern" in said


def test_data_hold_texts_as_they_are(own: Path, published: Path) -> None:
    """CSV is for programs: what a spreadsheet takes for a formula is somebody's text, and stays it."""
    texts = {_hostile.MARKUP, _hostile.MARKDOWN, _hostile.MATHS, _hostile.FORMULA}
    for path in (own / "runs.csv", published / PAPER / "runs.csv.xz"):
        assert set(pd.read_csv(path)["parameters.setting.problem"]) == texts
    ledger = pd.read_csv(published / PAPER / "ledger.csv.xz")
    assert {label.removesuffix(f", σ = 4 {_hostile.STRANGE}") for label in ledger["label"]} == texts
    assert set(ledger["source"]) == {_hostile.LINES}
    table = pd.read_csv(own / "tables" / "table-4.csv")
    assert set(table["problem"]) == texts
    figure = pd.read_csv(own / "figures" / PAPER / "figure-4.csv")
    assert set(figure["problem"]) == {_hostile.MARKUP}
    rows = pd.read_csv(published / "comparison.csv", keep_default_na=False)
    assert [*rows] == [*COLUMNS]
    assert set(rows["public_data"]) == {_hostile.MATHS}


def test_latex_has_no_command_of_theirs(published: Path) -> None:
    known = {"begin", "end", "toprule", "midrule", "bottomrule", "textbackslash", "textasciitilde", "textasciicircum"}
    for path in (published / PAPER / "tables").glob("*.tex"):
        text = path.read_text()
        assert set(re.findall(r"\\([A-Za-z]+)", text)) <= known | {"varepsilon", "delta", "sigma"}
        rows = text[text.index(r"\midrule") : text.index(r"\bottomrule")].splitlines()[1:]
        columns = text.splitlines()[0].rsplit("{", 1)[1].rstrip("}")
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(columns) - 1}


def test_markdown_has_no_mark_of_theirs(own: Path, published: Path) -> None:
    parsers = pytest.importorskip("markdown_it", reason="needs the extra docs")
    parser = parsers.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    paths = [*published.rglob("*.md"), *own.rglob("*.md")]
    assert len(paths) == 7
    for path in paths:
        tokens = parser.parse(path.read_text())
        inside = [child for token in tokens for child in token.children or ()]
        raw = "".join(token.content for token in [*tokens, *inside] if token.type in ("html_block", "html_inline"))
        assert set(re.findall("<[^>]*>", raw)) <= {"<details>", "</details>", "<summary>", "</summary>"}
        assert not any(token.type in ("fence", "code_block", "s_open") for token in [*tokens, *inside])
        targets = [str(child.attrs.get("href", child.attrs.get("src"))) for child in inside if child.attrs]
        assert not any(":" in target or "secret" in target for target in targets)
        widths: list[list[int]] = []
        for token in tokens:
            if token.type == "table_open":
                widths.append([])
            elif token.type == "tr_open":
                widths[-1].append(0)
            elif token.type in ("th_open", "td_open"):
                widths[-1][-1] += 1
        assert all(len(set(rows)) == 1 for rows in widths)
        texts = "\n".join("".join(child.content for child in token.children or ()) for token in tokens)
        for text in (_hostile.MARKUP, _hostile.MARKDOWN):
            assert text in texts, path


def test_a_terminal_is_not_steered(own: Path, theirs: Path, tmp_path: Path, capsys: Any) -> None:
    assert main(["compare", str(own), str(theirs)]) == 3
    said = capsys.readouterr().out.splitlines()
    assert any(r"\x00\x1b[31m\u202e" in line for line in said)
    shutil.copytree(theirs, tmp_path / "results", ignore=shutil.ignore_patterns("result.json"))
    assert main(["collect", "--results", str(tmp_path / "results")]) == 2
    said += capsys.readouterr().err.splitlines()
    assert r"\x00\x1b[31m\u202e" in said[-1]
    assert all(line.isprintable() for line in said)


def test_a_figure_shows_dollar_signs(own: Path) -> None:
    assert escaping.figure(_hostile.MATHS).count(r"\$") == _hostile.MATHS.count("$")
    assert (own / "claimed-attacked-proven.png").stat().st_size > 1000
    for path in own.rglob("*.svg"):
        assert "<script" not in path.read_text()


def test_a_row_of_the_leaderboard_writes_no_file_elsewhere() -> None:
    row: dict[str, Any] = dict.fromkeys(COLUMNS, _hostile.TEXT) | {"task": "classification", "score": "accuracy"}
    row |= {"data": "../../x/MNIST-1", "epsilon": 1.0, "delta": 1e-5, "mean": 0.5, "seeds": 1, "attacked": 0.5}
    (name,), (text,) = zip(*leaderboard.files([row], {}).items(), strict=True)
    assert name == "xMNIST1_any.yml"
    ((report,),) = (yaml.safe_load(text),)
    assert report["claims"][0]["model"] == _hostile.TEXT


def test_a_budget_is_not_pushed_out_of_a_description(theirs: Path) -> None:
    from wassdp.tracking import content, track

    folder = track.Folder(theirs, plans.read(theirs / "plan.json"))
    for run in folder.rows:
        found = folder.finished(run)
        note = found.tags[content.NOTE]
        assert len(note) <= content.LONGEST_TAG
        assert note.count("| proven |") == 1
        assert all(re.fullmatch(r"[\w./: -]+", key) for key in [*found.tags, *found.parameters])


# Below: in a browser.


def looked_at(look: _browser.Look) -> str:
    """What a page shows, once nothing in it has run, opened or led anywhere."""
    page = look.page
    assert page.evaluate("window.owned") is None
    assert look.opened == []
    addresses = page.eval_on_selector_all("[href], [src]", "found => found.map(each => each.href || each.src || '')")
    assert not any("javascript:" in str(each) or "secret" in str(each) for each in addresses)
    assert page.locator("img[src='x'], [onerror]").count() == 0
    return plain(page.inner_text("body"))


def plain(text: str) -> str:
    """A text in one line, typographers' quotation marks and dashes as they were typed."""
    return re.sub("[—–-]+", "-", re.sub("[“”]", '"', _hostile.line(text)))


def widths(look: _browser.Look) -> list[list[int]]:
    """Of every table, how many cells its rows have."""
    return list(
        look.page.eval_on_selector_all(
            "table", "tables => tables.map(each => [...new Set([...each.rows].map(row => row.cells.length))])"
        )
    )


def browsed(test: Any) -> Any:
    for mark in _browser.MARKS:
        test = mark(test)
    return test


@browsed
@pytest.mark.parametrize("name", ["table-4", "ranks"])
def test_the_page_of_a_table(name: str, own: Path, browser: Any) -> None:
    with _browser.opened(browser, (own / "tables" / f"{name}.html").as_uri(), _browser.DESKTOP) as look:
        shown = looked_at(look)
        assert len(widths(look)[0]) == 1
        for text in (_hostile.MARKUP, _hostile.MATHS):
            assert plain(text) in shown


@browsed
def test_the_comparison(published: Path, browser: Any) -> None:
    with _browser.opened(browser, (published / "comparison.html").as_uri(), _browser.DESKTOP) as look:
        look.unfold()
        shown = looked_at(look)
        assert len(widths(look)[0]) == 1
        assert look.page.locator("tbody tr").count() == 4
        for text in (_hostile.MARKUP, _hostile.MARKDOWN, _hostile.MATHS, _hostile.LINES, _hostile.FORMULA):
            assert plain(text) in shown
        assert r"\x00\x1b[31m\u202e" in shown
        look.page.select_option("[data-filter=public_data]", _hostile.MATHS)
        assert look.page.locator("tbody tr:visible").count() == 4


@browsed
@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("sphinx", "furo", "myst_nb")), reason="needs the extra docs"
)
def test_the_site(published: Path, tmp_path: Path, browser: Any) -> None:
    """A stranger's set as the site shows it, built by its own settings, with every warning an error."""
    docs = tmp_path / "docs"
    for name in ("_extensions", "_static"):
        shutil.copytree(ROOT / "docs" / name, docs / name)
    shutil.copytree(published, docs / "results")
    (docs / "papers").mkdir()
    settings = (ROOT / "docs" / "conf.py").read_text()
    (docs / "conf.py").write_text(settings.replace('str(HERE.parent / "src")', repr(str(ROOT / "src"))))
    (docs / "index.md").write_text(INDEX.format(PAPER))
    (docs / "papers" / f"{PAPER}.md").write_text(PAGE.format(PAPER))
    (docs / "secret.txt").write_text(SECRET)
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--builder", "html"]
    done = subprocess.run([*command, str(docs), str(tmp_path / "site")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    files = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in files)
    with _browser.opened(browser, (tmp_path / "site" / "papers" / f"{PAPER}.html").as_uri(), _browser.PHONE) as look:
        look.unfold()
        shown = looked_at(look)
        assert look.width() <= _browser.PHONE
        assert widths(look) == [[5], [3], [13], [20], [7]]
        for text in (_hostile.MARKUP, _hostile.MARKDOWN, _hostile.MATHS, _hostile.LINES, _hostile.FORMULA):
            assert plain(text) in shown


@browsed
def test_mlflow(theirs: Path, browser: Any) -> None:
    assert main(["track", "--results", str(theirs)]) == 0
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "wassdp", "ui", "--results", str(theirs), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(line.split()[-1] for line in server.stdout if "http" in line)
            with _browser.opened(browser, address, 2000) as look:
                look.page.locator("th", has_text="claimed ε").wait_for()
                names = look.page.get_by_role("link", name=re.compile("…"))
                names.nth(3).wait_for()
                shown = looked_at(look)
                assert widths(look) == [[7]]
                for text in (_hostile.MARKUP, _hostile.MARKDOWN, _hostile.MATHS, _hostile.FORMULA):
                    assert f"{plain(text)}, σ = 4" in shown
                addresses = {each.get_attribute("href") for each in names.all()}
                runs = sorted(str(each) for each in addresses if "/runs/" in str(each))
                assert len(runs) == 4
            for run in runs[:2]:
                with _browser.opened(browser, f"{address.partition('#')[0]}{run.removeprefix('/')}", 2000) as look:
                    look.page.locator("th", has_text="neighbouring").wait_for()
                    shown = looked_at(look)
                    assert [6] in widths(look)
                    for text in (_hostile.LINES, _hostile.TEXT):
                        assert plain(text) in shown
        finally:
            server.send_signal(signal.SIGTERM)
        server.wait(60)


def test_the_sets_texts_are_allowed() -> None:
    assert len(plans.plan(config.validate(_hostile.configuration())).runs) == 4
