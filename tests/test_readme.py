"""What the README shows is what the repository holds."""

import re
import shlex
from pathlib import Path

import pytest

from wassdp.cli import VERBS, main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_ledger_rows_are_those_of_the_published_set():
    block = re.search(r"<!-- ledger:.*?-->\n(.*?)<!-- /ledger -->", README, flags=re.DOTALL).group(1)
    rows = [line for line in block.splitlines() if line.startswith("|")]
    published = (ROOT / "docs" / "results" / "wasserstein-dp" / "ledger.md").read_text().splitlines()
    assert len(rows) > 4
    assert set(rows) <= set(published)


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
