import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wassdp
from wassdp import code

ROOT = Path(wassdp.__file__).parent


def hash_in(tree: Path, *modules: str) -> str:
    """The hash as a fresh process computes it from an edited copy of the package."""
    program = f"from wassdp.code import code_hash; print(code_hash(*{modules!r}))"
    environment = {"PYTHONPATH": str(tree), "PATH": ""}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(ROOT, tmp_path / "wassdp", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_only_edits_of_reached_code_change_the_hash(copy):
    modules = ("wassdp.accounting.accountant",)
    before = hash_in(copy, *modules)
    event = copy / "wassdp" / "accounting" / "event.py"
    text = event.read_text()

    event.write_text(text.replace('"""Anything released from private data."""', '"""Other words."""') + "# a comment\n")
    assert hash_in(copy, *modules) == before, "docstrings and comments do not count"

    unrelated = copy / "wassdp" / "pipeline" / "collect.py"
    unrelated.write_text(unrelated.read_text() + "\nEXTRA = 1\n")
    assert hash_in(copy, *modules) == before, "code that is not imported does not count"

    event.write_text(text + "\nEXTRA = 1\n")
    assert hash_in(copy, *modules) != before


def test_closure_follows_imports_inside_functions():
    found = code.closure(["wassdp.cli.verbs.account"])
    assert "wassdp.pipeline.account" in found
    assert "wassdp.accounting.event" in found
    assert "wassdp.pipeline.collect" not in found


def test_foreign_modules_are_refused():
    with pytest.raises(ValueError, match="module = 'os'"):
        code.code_hash("os")
    with pytest.raises(ValueError, match=r"module = 'wassdp\.nothing'"):
        code.code_hash("wassdp.nothing")
