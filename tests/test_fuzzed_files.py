"""Files that went wrong at random are taken or refused in one line; `fuzzed_files` tries ten thousand."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import fuzzed_files

CASES, SEED = 350, 3


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> fuzzed_files.Kinds:
    return fuzzed_files.kinds(tmp_path_factory.mktemp("whole"))


def test_whole_files_are_taken(kinds: fuzzed_files.Kinds, tmp_path: Path) -> None:
    for name, (content, read) in kinds.items():
        (tmp_path / name).write_bytes(content)
        read(tmp_path / name)


def test_files_that_went_wrong_are_taken_or_refused_in_one_line(kinds: fuzzed_files.Kinds, tmp_path: Path) -> None:
    path = tmp_path / "file"
    refused = 0
    for number, kind, draw in itertools.islice(fuzzed_files.cases(SEED, list(kinds)), CASES):
        content, read = kinds[kind]
        path.write_bytes(fuzzed_files.changed(content, draw))
        wrong, taken = fuzzed_files.tried(read, path)
        assert wrong is None, (number, kind)
        refused += not taken
    assert refused > CASES / 2, "hardly anything was wrong with them"
