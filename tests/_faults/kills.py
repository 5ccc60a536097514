"""kill -9 at random moments, of the pipeline itself and of what it started; a second pipeline beside a living one."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from _faults.harness import EPOCHS, Place, Row, Running

KILLS = 10
"""For each of two ways, all of them while the pipeline is at work; every other one while its training is."""
RESUMED, OUTLIVED = "resumed after", "taken over from a job that outlived its pipeline"
"""What the log of a job says that went on from the middle of another, or found it ended."""
WHOM = {"main": "the pipeline's main process", "below": "a process that it started: a job, or what runs the jobs"}


def row(whom: str, fresh: Callable[[], Place], seconds: float, *, kills: int = KILLS) -> Row:
    """A set is started and killed again and again until it is over, then another one, as often as was asked."""
    moments, words = random.Random(whom), WHOM[whom]
    done = tried = during = 0
    resumed: set[tuple[Path, int]] = set()
    outlived: set[tuple[Path, int]] = set()
    lost: set[str] = set()
    ends: set[str] = set()
    codes: set[int] = set()
    while done < kills and tried < 4 * kills:
        place, over = fresh(), False
        while not over and done < kills:
            tried += 1
            with place.started() as pipeline:
                pipeline.begun()
                over = not _waited(pipeline, place, moments, seconds, training=bool(done % 2))
                whole = place.whole_files()
                if not over:
                    training = 0 < place.epochs() < EPOCHS
                    killed = _killed(pipeline, pipeline.process.pid if whom == "main" else None, moments)
                    done, during = done + killed, during + (killed and training)
                codes.add(pipeline.end())
            lost.add(place.kept(whole))
            resumed |= logs(place, RESUMED)
            outlived |= logs(place, OUTLIVED)
        ends.add(place.again())
        resumed |= logs(place, RESUMED)
        outlived |= logs(place, OUTLIVED)
    return Row(
        f"kill -9 of {words}, at random moments",
        " or ".join(map(str, sorted(codes))),
        f"all while it was at work, {during} of them in its training, which then went on from its middle "
        f"({len(resumed)} times) or had ended by itself and was taken over ({len(outlived)} jobs)",
        ", ".join(sorted(lost)),
        ", ".join(sorted(ends)),
        times=done,
        whole=ends == {"equal"}
        and lost == {"nothing"}
        and done == kills
        and during > 0
        and bool(outlived if whom == "main" else resumed),
    )


def _waited(pipeline: Running, place: Place, moments: random.Random, seconds: float, *, training: bool) -> bool:
    """Wait for a random moment, or a random epoch that is still to come: is the pipeline at work then?"""
    if training and place.epochs() + 1 < EPOCHS:
        epoch = moments.randint(place.epochs() + 1, EPOCHS - 1)
        pipeline.until(lambda: place.epochs() >= epoch)
    else:
        end = time.monotonic() + moments.uniform(0, 0.5) * seconds
        pipeline.until(lambda: time.monotonic() >= end)
    return pipeline.process.poll() is None


def _killed(pipeline: Running, victim: int | None, moments: random.Random) -> bool:
    """End one process without a warning: the one named, else any that the pipeline started; whether there was one."""
    if victim is None:
        below = pipeline.below()
        if not below:
            return False
        victim = moments.choice(below)
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def logs(place: Place, words: str) -> set[tuple[Path, int]]:
    """Logs of jobs that say so, each with its time."""
    found = place.results.glob("runs/*/run.log")
    return {(path, path.stat().st_mtime_ns) for path in found if words in path.read_text()}


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
