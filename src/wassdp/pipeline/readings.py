"""How often test records were read for a frozen configuration: once, and a second time only with a reason on record."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock

from wassdp import complaints
from wassdp.files import read_object, write_json
from wassdp.pipeline.locks import held

NAME = "readings.json"
KEYS = {"digest", "finished", "results"}
READING = "WASSDP_READING"
"""Names, in a pipeline's environment, the digest of the frozen configuration that is on record."""


def read(folder: Path) -> list[dict[str, Any]]:
    """All readings on record in the folder of a frozen configuration, the first one first."""
    path = folder / NAME
    if not path.exists():
        return []
    found = read_object(path).get("readings")
    if not isinstance(found, list) or not all(isinstance(entry, dict) and set(entry) >= KEYS for entry in found):
        raise ValueError(f"{path}: is not a record of readings; it is committed, and may be taken from there")
    return found


def begin(
    folder: Path, digest: str, *, commit: str | None, now: str, again: str | None = None, earlier: Collection[str] = ()
) -> int:
    """Put a reading on record before anything is read. One that did not finish is gone on with.

    Args:
        folder: of the record.
        digest: of the frozen configuration.
        commit: of the code.
        now: UTC, ISO 8601.
        again: why test records are read once more.
        earlier: runs of the frozen configuration that were computed before; a first reading keeps them on record.

    Returns:
        Its number, from 1.

    Raises:
        ValueError: they were read already, for this configuration, for one that was frozen in its place, or by nobody
            on record, and no reason is given; or the reason says nothing.
    """
    reason = None if again is None else _said(again)
    with _held(folder):
        known = read(folder)
        last = known[-1] if known else None
        if last is not None and last["digest"] == digest and last["finished"] is None:
            return len(known)
        if last is not None and not reason:
            state = f"finished {last['finished']}" if last["finished"] else "did not finish"
            raise ValueError(
                f"{folder / NAME}: test records were read before (reading {len(known)}, {state}); --again REASON puts "
                "another reading on record"
            )
        if last is None and earlier and not reason:
            raise ValueError(
                f"{folder / NAME}: has no reading, but test records were read: {len(earlier)} runs of the frozen "
                f"configuration were computed before (run {min(earlier)}); --again REASON puts that on record"
            )
        entry: dict[str, Any] = {
            "digest": digest,
            "commit": commit,
            "begun": now,
            "finished": None,
            "reason": reason,
            "results": {},
        }
        if last is None and earlier:
            entry["earlier"] = sorted(earlier)
        write_json(folder / NAME, {"readings": [*known, entry]})
        return len(known) + 1


def _said(reason: str) -> str:
    """A reason without spaces around it.

    Raises:
        ValueError: nothing of it can be seen.
    """
    if not "".join(filter(str.isprintable, reason)).strip():
        raise ValueError(f"again = {complaints.shown(reason)}: must say why test records are read once more")
    return reason.strip()


def finish(folder: Path, number: int, digest: str, *, now: str, results: Mapping[str, str | None]) -> None:
    """Put on record that a reading is complete, and the digest of every run's result.

    Args:
        folder: of the record.
        number: of the reading, from 1.
        digest: of the frozen configuration that it is of.
        now: UTC, ISO 8601.
        results: run to digest. What a reading that is finished has stays.

    Raises:
        ValueError: that reading is of another configuration, or on record no more.
    """
    with _held(folder):
        known = read(folder)
        if not 0 < number <= len(known) or known[number - 1]["digest"] != digest:
            raise ValueError(f"{folder / NAME}: reading {number}: must be on record, of the configuration {digest}")
        if known[number - 1]["finished"] is None:
            known[number - 1] |= {"finished": now, "results": dict(results)}
            write_json(folder / NAME, {"readings": known})


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """The record, for one process at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with held(FileLock(folder / f".{NAME}.lock"), what="writes the record of readings"):
        yield


def refusal(configuration: Mapping[str, Any]) -> str | None:
    """Why a pipeline may not run a configuration as it is; None if it may."""
    if "protocol" in configuration:
        return "protocol: this configuration is searched, not run: wassdp tune, then freeze, then final"
    frozen = configuration.get("frozen")
    if isinstance(frozen, Mapping) and os.environ.get(READING) != frozen.get("digest"):
        return "frozen: test records are read through `wassdp final` alone, which puts it on record"
    return None
