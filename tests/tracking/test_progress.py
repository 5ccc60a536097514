from __future__ import annotations

import json
from pathlib import Path

import pytest

from wassdp.experiment import Context
from wassdp.tracking import progress


def test_reads_what_a_context_records(tmp_path: Path) -> None:
    context = Context(folder=tmp_path, code="0")
    context.record("epoch", 1, {"accuracy": 0.5, "loss": 1.0})
    context.record("epoch", 2, {"accuracy": 0.6, "loss": float("inf")})
    found = progress.read(tmp_path / "history.jsonl")
    assert found is not None
    assert found.values() == {
        ("accuracy", "epoch", 1.0): 0.5,
        ("loss", "epoch", 1.0): 1.0,
        ("accuracy", "epoch", 2.0): 0.6,
    }
    assert found.started <= found.ended


def test_nothing_there(tmp_path: Path) -> None:
    assert progress.read(tmp_path / "history.jsonl") is None
    (tmp_path / "history.jsonl").write_text("")
    assert progress.read(tmp_path / "history.jsonl") is None


def line(time: float, position: float, accuracy: float, axis: str = "epoch") -> str:
    return json.dumps({"time": time, "axis": axis, "position": position, "metrics": {"accuracy": accuracy}}) + "\n"


@pytest.mark.parametrize("rubbish", ['{"time": 3, "axis"', "\x00\x00", "null\n", '{"time": "x"}\n', "[]\n", "NaN\n"])
def test_a_broken_line_is_left_out(tmp_path: Path, rubbish: str) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(line(1, 1, 0.1) + line(2, 2, 0.2) + rubbish)
    found = progress.read(path)
    assert found is not None
    assert [item.position for item in found.lines] == [1, 2]


def test_a_resumed_run_passes_a_position_twice(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(line(1, 1, 0.1) + line(2, 2, 0.2) + line(3, 3, 0.3) + line(9, 2, 0.25) + line(10, 3, 0.3))
    found = progress.read(path)
    assert found is not None
    assert found.values() == {
        ("accuracy", "epoch", 1.0): 0.1,
        ("accuracy", "epoch", 2.0): 0.25,
        ("accuracy", "epoch", 3.0): 0.3,
    }
    assert found.times() == {("epoch", 1.0): 1000, ("epoch", 2.0): 2000, ("epoch", 3.0): 3000}


def test_a_run_that_started_over_forgets_its_earlier_attempt(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(line(1, 1, 0.1) + line(2, 2, 0.2) + line(8, 1, 0.15) + line(9, 2, 0.25))
    found = progress.read(path)
    assert found is not None
    assert found.started == 8000
    assert found.values() == {("accuracy", "epoch", 1.0): 0.15, ("accuracy", "epoch", 2.0): 0.25}


def test_two_lines_at_one_position_are_one_attempt(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    other = json.dumps({"time": 2, "axis": "epoch", "position": 1, "metrics": {"loss": 2.0}}) + "\n"
    path.write_text(line(1, 1, 0.1) + other + line(3, 2, 0.2))
    found = progress.read(path)
    assert found is not None
    assert len(found.lines) == 3
