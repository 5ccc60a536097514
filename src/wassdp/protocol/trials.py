"""Trials of one study, in one file: a line of JSON each, so that a kill costs no more than the trial at work.

Each line has a digest of itself and of all before it. It names an edit; whoever computes digests anew can still forge.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from wassdp.result import RunId, Strict
from wassdp.selection import sha256

SUFFIX = ".jsonl"
DIGEST = "digest"
"""Key of a line, beside its trial: what is changed afterwards does not fit it."""


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
        ValueError: a line is no trial, not the next one, or not as it was written.
    """
    return [trial for trial, _ in _read(path)]


def without_digest(path: Path) -> int:
    """How many trials in a file are of versions that wrote no digests: nothing tells whether they were edited."""
    return sum(digest is None for _, digest in _read(path))


def append(path: Path, trial: Trial) -> None:
    """Add a trial to a file, for its one writer; a last line that was cut short makes room."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = len(_whole(path).encode()) if path.exists() else 0
    chain = _chain(done for done, _ in _read(path))
    line = trial.model_dump_json(exclude_defaults=True)
    with path.open("ab") as file:
        file.truncate(whole)
        file.write(f'{line[:-1]},"{DIGEST}":"{_link(chain, trial)}"}}\n'.encode())
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> list[tuple[Trial, str | None]]:
    """Each trial with the digest in its line: of it and of all trials before it."""
    if not path.exists():
        return []
    found: list[tuple[Trial, str | None]] = []
    chain = ""
    for place, line in enumerate(_whole(path).splitlines(), start=1):
        where = f"{path}, line {place}"
        try:
            value = json.loads(line)
            digest = value.pop(DIGEST, None) if isinstance(value, dict) else None
            trial = Trial.model_validate(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ValueError(f"{where}: is no trial ({first['msg']})") from None
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{where}: is no trial ({error})") from None
        if trial.number != len(found):
            raise ValueError(f"{where}: is trial {trial.number}, where {len(found)} has to stand")
        chain = _link(chain, trial)
        if digest is None and found and found[-1][1] is not None:
            raise ValueError(f"{where}: has no {DIGEST}, which the trial before it has")
        if digest not in (None, chain):
            changed = "this trial or one before it was changed after it was written"
            raise ValueError(f"{where}: {DIGEST} = {digest!r}: must be {chain}; {changed}")
        found.append((trial, digest))
    return found


def _chain(done: Iterable[Trial]) -> str:
    """The digest of the last of these trials; empty where there is none."""
    return functools.reduce(_link, done, "")


def _link(chain: str, trial: Trial) -> str:
    """SHA-256 (64 hex digits) of a trial and of the digest before it."""
    return sha256([chain, trial.model_dump(mode="json", exclude_defaults=True)])


def _whole(path: Path) -> str:
    """The lines of a file that have an end."""
    text = path.read_bytes()
    return text[: text.rfind(b"\n") + 1].decode()
