"""Make the trials of all studies: side by side, with progress, and going on where a kill ended them."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from wassdp import processes
from wassdp.accounting.rounding import rounded
from wassdp.config import validate
from wassdp.protocol import trials
from wassdp.protocol.study import Study, studies
from wassdp.protocol.trials import Trial

BUSY = "another process is at work on it"


def tune(value: Any, store: Path, runs: Path, *, only: Sequence[str] = (), jobs: int = 1) -> list[str]:
    """Make what trials of a configuration are missing.

    Trials of one study follow each other, since each reads those before it; studies are independent. What comes out
    does not depend on the number of processes, nor on kills.

    Args:
        value: the configuration, as read from its file.
        store: folder of the files of trials.
        runs: folder of the runs' folders.
        only: experiments to search; all where empty.
        jobs: studies at a time. The same command elsewhere takes studies that are free.

    Returns:
        Studies that another process holds.
    """
    names = [study.name for study in studies(validate(value), only)]
    if jobs == 1:
        states = [_work(value, name, store, runs) for name in names]
    else:
        with processes.pool(jobs) as pool:
            waiting = [pool.submit(_work, value, name, store, runs) for name in names]
            states = [each.result() for each in as_completed(waiting)]
    return [name for name in states if name]


def _work(value: Any, name: str, store: Path, runs: Path) -> str:
    """Make the trials of one study; its title if another process holds it, else nothing."""
    study = next(each for each in studies(validate(value)) if each.name == name)
    store.mkdir(parents=True, exist_ok=True)
    path = study.file(store)
    try:
        with FileLock(path.with_name(f".{path.name}.lock"), timeout=0):
            _complete(study, path, runs)
    except Timeout:
        _say(f"{study.title} | {BUSY}")
        return study.title
    return ""


def _complete(study: Study, path: Path, runs: Path) -> None:
    done = trials.read(path)
    study.refuse_more(done)
    wanted, there, began = study.protocol.trials, len(done), time.monotonic()
    if there:
        _say(f"{study.title} | {there} of {wanted} trials are there")
    while len(done) < wanted:
        trial = study.next(done, runs)
        trials.append(path, trial)
        done.append(trial)
        left = (time.monotonic() - began) / (len(done) - there) * (wanted - len(done))
        _say(f"{study.title} | trial {len(done)} of {wanted} | {_shown(trial, done)} | about {left:.0f} s left")


def _shown(trial: Trial, done: Sequence[Trial]) -> str:
    if trial.value is None:
        return f"failed: {trial.reason}"
    best = max(each.value for each in done if each.value is not None)
    budget = "" if trial.epsilon is None else f" | ε {rounded(trial.epsilon, 'upper')}"
    return f"{trial.value:.4f} (best {best:.4f}){budget} | {trial.seconds:.0f} s"


def _say(line: str) -> None:
    # One write with its line end: processes share the output.
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} | {line}\n")
    sys.stdout.flush()
