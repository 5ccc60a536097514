"""The file of trials: appended to, cut short by a kill, and never misread."""

from __future__ import annotations

from pathlib import Path

import pytest

from wassdp.protocol.trials import Trial, append, read


def trial(number: int) -> Trial:
    return Trial(number=number, setting={"a": 0.1, "b": None, "c": {"d": 1}}, value=0.5 + number, state="complete")


def test_trials_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "store" / "study.jsonl"
    assert read(path) == []
    for number in range(3):
        append(path, trial(number))
    assert read(path) == [trial(number) for number in range(3)]
    assert len(path.read_text().splitlines()) == 3


def test_a_line_that_a_kill_cut_short_does_not_count_and_makes_room(tmp_path: Path) -> None:
    path = tmp_path / "study.jsonl"
    append(path, trial(0))
    whole = path.read_bytes()
    append(path, trial(1))
    for kept in range(len(whole), len(path.read_bytes())):
        path.write_bytes((whole * 2)[:kept])
        assert read(path) == [trial(0)]
    append(path, trial(1))
    assert read(path) == [trial(0), trial(1)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"number": 0}', r"study.jsonl, line 1: is no trial"),
        ('{"number": 1, "setting": {}, "value": 1, "state": "complete"}', "line 1: is trial 1, where 0 has to stand"),
        ('{"number": 0, "setting": {}, "value": 1, "state": "complete", "x": 1}', "line 1: is no trial"),
        ("nothing", "line 1: is no trial"),
    ],
)
def test_what_is_no_trial_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "study.jsonl"
    path.write_text(f"{line}\n")
    with pytest.raises(ValueError, match=message):
        read(path)
