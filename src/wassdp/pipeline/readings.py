"""How often test records were read for a frozen configuration: once, and a second time only with a reason on record."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wassdp.files import read_object, write_json

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


def begin(folder: Path, digest: str, *, commit: str | None, now: str, again: str | None = None) -> int:
    """Put a reading on record before anything is read. One that did not finish is gone on with.

    Args:
        folder: of the frozen configuration.
        digest: its own.
        commit: of the code.
        now: UTC, ISO 8601.
        again: why test records are read once more.

    Returns:
        Its number, from 1.

    Raises:
        ValueError: they were read already, for this configuration or for one that was frozen in its place, and no
            reason is given.
    """
    known = read(folder)
    last = known[-1] if known else None
    if last is not None and last["digest"] == digest and last["finished"] is None:
        return len(known)
    if last is not None and not again:
        state = f"finished {last['finished']}" if last["finished"] else "did not finish"
        raise ValueError(
            f"{folder / NAME}: test records were read before (reading {len(known)}, {state}); --again REASON puts "
            "another reading on record"
        )
    entry: dict[str, Any] = {
        "digest": digest,
        "commit": commit,
        "begun": now,
        "finished": None,
        "reason": again,
        "results": {},
    }
    write_json(folder / NAME, {"readings": [*known, entry]})
    return len(known) + 1


def finish(folder: Path, *, now: str, results: Mapping[str, str | None]) -> None:
    """Put on record that the last reading is complete, and the digest of every run's result."""
    known = read(folder)
    known[-1] |= {"finished": now, "results": dict(results)}
    write_json(folder / NAME, {"readings": known})


def refusal(configuration: Mapping[str, Any]) -> str | None:
    """Why a pipeline may not run a configuration as it is; None if it may."""
    if "protocol" in configuration:
        return "protocol: this configuration is searched, not run: wassdp tune, then freeze, then final"
    frozen = configuration.get("frozen")
    if isinstance(frozen, Mapping) and os.environ.get(READING) != frozen.get("digest"):
        return "frozen: test records are read through `wassdp final` alone, which puts it on record"
    return None
