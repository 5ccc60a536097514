"""Plug-ins that are not finished: one line names the file and what it lacks."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wassdp
from wassdp.accounting.accountant import Accountant
from wassdp.plugins import Plugins

HEAD = "from __future__ import annotations\n\nfrom dataclasses import dataclass\n\n"
ACCOUNTANT = (
    HEAD + "from wassdp.accounting.accountant import Accountant\n\n\n@dataclass(frozen=True)\nclass New(Accountant):\n"
)
SUPPORTS = "    def supports(self, event):\n        return None\n\n"
EPSILON = "    def epsilon(self, event, delta):\n        return self.guarantee(event, delta, 1.0)\n\n"
SOURCE = "    source = 'a paper'\n\n"
UPPER = "accounting/accountants/upper/unfinished.py"
ASK = ("epsilon", "gaussian", "--noise-multiplier", "1", "--delta", "1e-5")


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the library, to add files to."""
    folder = tmp_path_factory.mktemp("library")
    shutil.copytree(Path(wassdp.__file__).parent, folder / "wassdp", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize(
    ("file", "text", "words", "lacks"),
    [
        (UPPER, HEAD, ASK, "must define one Accountant, not 0"),
        (UPPER, ACCOUNTANT + SOURCE, ASK, "New must define epsilon and supports"),
        (UPPER, ACCOUNTANT + SUPPORTS + EPSILON, ASK, "New must define source"),
        ("claims/verdicts/unfinished.py", HEAD, ("claims", "unfinished"), "must define CLAIM"),
        ("data/sets/unfinished.py", HEAD, ("data", "list"), "must define DATASET"),
    ],
    ids=["no accountant", "abstract", "no source", "no claim", "no dataset"],
)
def test_the_line_names_the_file_and_what_it_lacks(copied, file, text, words, lacks):
    path = copied / "wassdp" / file
    path.write_text(text)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "wassdp", *words], cwd=copied, capture_output=True, text=True, check=False
        )
    finally:
        path.unlink()
    module = ".".join(("wassdp", *path.relative_to(copied / "wassdp").with_suffix("").parts))
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert line == f"wassdp {words[0]}: {module}: {lacks}"


def test_what_a_plug_in_offers_is_all_there():
    plugins = Plugins("wassdp.data.sets", "dataset")
    assert plugins.offer("mnist", "load", "DATASET").counts["train"] == 60_000
    with pytest.raises(ValueError, match=r"wassdp\.data\.sets\.mnist: must define checksums and no$"):
        plugins.offer("mnist", "load", "checksums", "no")
    with pytest.raises(ValueError, match="must define one Accountant, not 0"):
        plugins.choice("mnist", Accountant)  # type: ignore[type-abstract]
