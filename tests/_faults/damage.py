"""Files that are cut short, or hold something else, where the pipeline finds them."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from _faults.harness import Place, Row

FILES = {
    "result": ("a result", "runs/*/result.json", "cut in half"),
    "outcome": ("an outcome", "runs/*/outcome.json", "cut in half"),
    "plan": ("the plan", "plan.json", "cut in half"),
    "runs": ("the table of runs (CSV)", "runs.csv", "cut in half"),
    "history": ("the table of curves (CSV)", "history.csv", "overwritten"),
    "database": ("the tracking database", "mlflow.db", "overwritten"),
}
"""By name: what it is, where it stands, and what is done to it."""


def cut(content: bytes) -> bytes:
    """The first half of it."""
    return content[: len(content) // 2]


def other(content: bytes) -> bytes:
    """Something else of the same length."""
    return (b"\xff\x00 nothing of this kind" * (len(content) // 20 + 1))[: len(content)]


def row(name: str, copy: Callable[[], Place]) -> Row:
    """A file damaged in a finished set, on which the pipeline is then started again."""
    what, pattern, how = FILES[name]
    place = copy()
    path = min(place.results.glob(pattern))
    # An outcome that is computed again is accounted for again.
    redone = {path} | ({path.with_name("result.json")} if name == "outcome" else set())
    whole = {each: content for each, content in place.whole_files().items() if each not in redone}
    path.write_bytes((cut if how.startswith("cut") else other)(path.read_bytes()))
    # The database is written to when there is something to track.
    (place.results / "tracked.json").unlink()
    done = place.run()
    said, lost = place.told(done.stderr, done.stdout), place.kept(whole)
    if done.returncode and path.name == "mlflow.db":
        path.unlink()
    ends = place.again()
    if done.returncode and path.name == "mlflow.db":
        ends += ", after it was deleted as the message says"
    said = said or {"plan": "nothing: a plan is made anew at every start"}.get(name, "")
    good = lost == "nothing" and ends.startswith("equal") and bool(said)
    return Row(f"{what} is {how}", str(done.returncode), said, lost, ends, whole=good)


def checkpoint(fresh: Callable[[], Place]) -> Iterator[Row]:
    """A training is killed in the middle, and its checkpoint is damaged before it goes on."""
    for how in ("cut in half", "whole, but of odd structure"):
        place = fresh()
        with place.started() as pipeline:
            found = pipeline.until(lambda place=place: place.epochs() >= 3 and _checkpoints(place))
            os.killpg(pipeline.process.pid, signal.SIGKILL)  # without, the training would go on to its end
            pipeline.end()
        whole = place.whole_files()
        for path in _checkpoints(place):
            path.write_bytes(cut(path.read_bytes()) if how.startswith("cut") else odd())
        done = place.run()
        logs = [path.read_text() for path in place.results.glob("runs/*/run.log")]
        said = [line for log in logs for line in log.splitlines() if "checkpoint" in line]
        lost = place.kept(whole)
        again = place.again() if done.returncode == 0 else f"exit code {done.returncode}"
        good = found and bool(said) and lost == "nothing" and again == "equal"
        shown = place.plain(said[0].partition("checkpoint ")[2]) if said else ""
        yield Row(f"checkpoint {how}", str(done.returncode), f"in its log: {shown}", lost, again, whole=good)


def odd() -> bytes:
    """A checkpoint with a right checksum and nothing in it that a run saves."""
    import io

    import torch

    from wassdp.training import checkpoint as checkpoints

    buffer = io.BytesIO()
    torch.save({"state": [1, 2, 3]}, buffer)
    content = buffer.getvalue()
    return checkpoints._HEADER + hashlib.sha256(content).digest() + content


def _checkpoints(place: Place) -> list[Path]:
    return list(place.results.glob("runs/*/checkpoint*"))


def data(place: Place) -> Iterator[Row]:
    """A file of a data set is damaged in the mirror that it comes from, and in the folder where it is kept."""
    found = [Path(part) / "german-credit" for part in os.environ.get("WASSDP_MIRROR", "").split(os.pathsep) if part]
    origins = [folder for folder in found if folder.is_dir()]
    if not origins:
        return
    mirror = place.folder / "mirror" / "german-credit"
    shutil.copytree(origins[0], mirror)
    dead = {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    variables = {"WASSDP_MIRROR": str(mirror.parent), "WASSDP_DATA": str(place.folder / "data"), **dead}
    fetch = ("data", "fetch", "german_credit")
    good = place.wassdp(*fetch, **variables)
    copies = [path for path in (place.folder / "data").rglob("*") if path.is_file() and path.stat().st_size]
    kept = [max(copies, key=lambda path: path.stat().st_size)]
    (largest,) = mirror.rglob(kept[0].name)
    content = largest.read_bytes()
    for path in kept:
        path.write_bytes(cut(content))
    done = place.wassdp(*fetch, **variables)
    again = "equal" if all(path.read_bytes() == content for path in kept) else "differs"
    whole = bool(kept) and good.returncode == done.returncode == 0 and again == "equal"
    yield Row(
        "a data file cut in half, the mirror whole",
        str(done.returncode),
        place.told(done.stderr) or place.plain(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""),
        "nothing",
        again,
        whole=whole,
    )

    for path in (largest, *kept):
        path.write_bytes(other(content))
    done = place.wassdp(*fetch, **variables)
    largest.write_bytes(content)
    said = place.told(done.stderr)
    second = place.wassdp(*fetch, **variables)
    again = "equal" if all(path.read_bytes() == content for path in kept) else "differs"
    whole = done.returncode != 0 and bool(said) and second.returncode == 0 and again == "equal"
    yield Row(
        "data and mirror damaged, network dead",
        str(done.returncode),
        said,
        "nothing",
        f"{again}, with a whole mirror",
        whole=whole,
    )
