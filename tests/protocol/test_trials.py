"""The file of trials: appended to, cut short by a kill, and never misread."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml

from _tuned import CONFIG
from wassdp import config
from wassdp.cli import main
from wassdp.protocol.freeze import store_of
from wassdp.protocol.study import studies
from wassdp.protocol.trials import Trial, append, read, without_digest


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


@pytest.fixture
def searched(tmp_path: Path) -> Path:
    """A configuration with trials on two datasets, which are other modules, each of its own code."""
    value = copy.deepcopy(CONFIG)
    value["experiments"][0]["space"] = {"problem.dataset": {"values": ["digits", "mnist"]}}
    path = tmp_path / "tried.yaml"
    path.write_text(yaml.safe_dump(value))
    for study in studies(config.read(path)):
        for number, name in enumerate(["digits", "digits", "mnist"]):
            append(study.file(store_of(path)), on(number, name, code=name.ljust(16, "0")))
    return path


def on(number: int, name: str, code: str | None) -> Trial:
    return Trial(number=number, setting={"problem.dataset": name}, value=0.5, state="complete", code=code)


def frozen(path: Path) -> str:
    """What is said of the search."""
    assert main(["freeze", str(path)]) == 0
    (experiment,) = config.read(store_of(path) / "frozen.yaml").experiments
    return str(experiment.search)


def test_trials_that_chose_other_modules_are_not_of_edited_code(
    searched: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "edited" not in frozen(searched)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("code", [None, "f" * 16])
def test_code_that_was_edited_between_trials_is_told_and_stands_in_what_is_frozen(
    searched: Path, capsys: pytest.CaptureFixture[str], code: str | None
) -> None:
    searched.write_text(searched.read_text().replace("trials: 3", "trials: 4"))
    for study in studies(config.read(searched)):
        path = study.file(store_of(searched))
        append(path, on(3, "digits", code if study.at == "epsilon=10" else read(path)[0].code))
    words, said = frozen(searched), capsys.readouterr().err
    if code is None:  # of an earlier version: nothing tells
        assert (said, "edited" in words) == ("", False)
        return
    (line,) = said.splitlines()
    assert "the code was edited between the trials of gibbs epsilon=10 (2 codes); " in line
    assert words.startswith("settings of every budget by 4 trials")
    assert words.endswith("; the code was edited between trials at epsilon=10")


def edited(path: Path, line: int, old: str, new: str) -> None:
    lines = path.read_text().splitlines(keepends=True)
    assert old in lines[line]
    path.write_text("".join([*lines[:line], lines[line].replace(old, new), *lines[line + 1 :]]))


def three(path: Path) -> Path:
    for number in range(3):
        append(path, trial(number))
    return path


@pytest.mark.parametrize(("old", "new"), [('"value":1.5', '"value":9.9'), ('"a":0.1', '"a":0.2')])
def test_a_trial_that_was_edited_is_named(tmp_path: Path, old: str, new: str) -> None:
    path = three(tmp_path / "study.jsonl")
    edited(path, 1, old, new)
    with pytest.raises(
        ValueError, match=r"study.jsonl, line 2: digest = '.{64}': must be .{64}; this trial .* changed"
    ):
        read(path)


def test_an_edited_trial_whose_digest_is_left_out_is_named_by_the_next_one(tmp_path: Path) -> None:
    path = three(tmp_path / "study.jsonl")
    digest = path.read_text().splitlines()[0].partition(',"digest"')[2]
    edited(path, 0, '"value":0.5', '"value":0.9')
    edited(path, 0, f',"digest"{digest}', "}")
    with pytest.raises(ValueError, match="line 2: digest = "):
        read(path)


def test_a_digest_cannot_be_missing_after_one(tmp_path: Path) -> None:
    path = three(tmp_path / "study.jsonl")
    digest = path.read_text().splitlines()[2].partition(',"digest"')[2]
    edited(path, 2, f',"digest"{digest}', "}")
    with pytest.raises(ValueError, match="line 3: has no digest, which the trial before it has"):
        read(path)


def test_trials_of_earlier_versions_have_no_digests_and_are_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "study.jsonl"
    path.write_text(f"{trial(0).model_dump_json(exclude_defaults=True)}\n")
    append(path, trial(1))
    assert read(path) == [trial(0), trial(1)]
    assert without_digest(path) == 1
    edited(path, 0, '"value":0.5', '"value":0.9')
    with pytest.raises(ValueError, match="line 2: digest = "):
        read(path)


def test_trials_without_digests_are_told_when_they_are_frozen(
    searched: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = studies(config.read(searched))[0]
    path = first.file(store_of(searched))
    path.write_text("".join(f"{each.model_dump_json(exclude_defaults=True)}\n" for each in read(path)))
    frozen(searched)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("nothing tells whether they were edited: gibbs epsilon=1 (3 trials)")
