"""Trials of one study, in one file: a line of JSON each, so that a kill costs no more than the trial at work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from wassdp.result import RunId, Strict

SUFFIX = ".jsonl"


class Trial(Strict):
    """One setting that was tried on validation records.

    Args:
        number: from 0, in the order in which settings were proposed.
        setting: dotted parameter name to value.
        value: of the objective, larger is better; null where the trial failed.
        reason: why it failed; empty where it did not.
        metrics: those of the objective.
        epsilon: the least proven one of the trial alone; null where nothing private was released or nothing is proven.
        run: of its specification.
        code: hash of the code behind its outcome; null where it failed, and in the first trials there were.
    """

    number: int = Field(ge=0)
    setting: dict[str, Any]
    value: float | None
    reason: str = ""
    metrics: dict[str, float] = Field(default_factory=dict)
    epsilon: float | None = None
    delta: float | None = None
    seconds: float | None = None
    peak_memory_mib: float | None = None
    run: RunId | None = None
    code: str | None = None
    commit: str | None = None
    state: Literal["complete", "failed"]


def read(path: Path) -> list[Trial]:
    """The trials in a file, none if there is no file. A last line that a kill cut short does not count.

    Raises:
        ValueError: a line is no trial, or not the next one.
    """
    if not path.exists():
        return []
    found: list[Trial] = []
    for place, line in enumerate(_whole(path).splitlines(), start=1):
        try:
            trial = Trial.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ValueError(f"{path}, line {place}: is no trial ({first['msg']})") from None
        if trial.number != len(found):
            raise ValueError(f"{path}, line {place}: is trial {trial.number}, where {len(found)} has to stand")
        found.append(trial)
    return found


def append(path: Path, trial: Trial) -> None:
    """Add a trial to a file, for its one writer; a last line that was cut short makes room."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = len(_whole(path).encode()) if path.exists() else 0
    with path.open("ab") as file:
        file.truncate(whole)
        file.write(f"{trial.model_dump_json(exclude_defaults=True)}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def _whole(path: Path) -> str:
    """The lines of a file that have an end."""
    text = path.read_bytes()
    return text[: text.rfind(b"\n") + 1].decode()
