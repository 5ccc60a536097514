"""kill -9 at random moments, of the pipeline itself and of what it started; a second pipeline beside a living one."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from _faults.harness import Place, Row

SETS, KILLS = 2, 5
"""Sets that are killed again and again, for each of two ways, and how often."""
WHOM = {"main": "the pipeline's main process", "below": "a process that it started: a job, or what runs the jobs"}


def row(whom: str, fresh: Callable[[], Place], seconds: float, *, sets: int = SETS, kills: int = KILLS) -> Row:
    """A set is started and killed again and again, then left in peace."""
    moments, words = random.Random(whom), WHOM[whom]
    alive = 0
    resumed: set[tuple[Path, int]] = set()
    lost: set[str] = set()
    ends: set[str] = set()
    codes: set[int] = set()
    for _ in range(sets):
        place = fresh()
        for _ in range(kills):
            with place.started() as pipeline:
                pipeline.begun()
                time.sleep(moments.uniform(0, 0.5) * seconds)
                alive += pipeline.process.poll() is None
                whole, below = place.whole_files(), pipeline.below()
                victim = pipeline.process.pid if whom == "main" else moments.choice(below) if below else None
                if victim is not None:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(victim, signal.SIGKILL)
                codes.add(pipeline.end())
            lost.add(place.kept(whole))
            resumed |= going_on(place)
        ends.add(place.again())
        resumed |= going_on(place)
    return Row(
        f"kill -9 of {words}, at random moments",
        " or ".join(map(str, sorted(codes))),
        f"{alive} of {sets * kills} came while it was at work; a training was seen to go on from its middle "
        f"{len(resumed)} times",
        ", ".join(sorted(lost)),
        ", ".join(sorted(ends)),
        times=sets * kills,
        whole=ends == {"equal"} and lost == {"nothing"} and alive > 0,
    )


def going_on(place: Place) -> set[tuple[Path, int]]:
    """Logs of trainings that went on from their middle, each with its time."""
    logs = place.results.glob("runs/*/run.log")
    return {(path, path.stat().st_mtime_ns) for path in logs if "resumed after" in path.read_text()}


def second_pipeline(fresh: Callable[[], Place]) -> Row:
    """A second pipeline is started where one is at work."""
    place = fresh()
    with place.started() as first:
        first.begun()
        second = place.run()
        code = first.end()
    again = place.again() if code == 0 else f"the first ended with {code}"
    return Row(
        fault="a second pipeline in the folder of a living one",
        code=str(second.returncode),
        said=place.told(second.stderr),
        lost="nothing" if code == 0 else f"the first ended with {code}",
        again=again,
        whole=second.returncode == 1 and code == 0 and again == "equal",
    )
