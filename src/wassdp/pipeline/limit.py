"""A job's ``runtime`` where no scheduler enforces it: a job that hangs ends, and says so."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import threading
from collections.abc import Iterator

from wassdp import complaints

LIMIT = "WASSDP_RUNTIME"
"""Names the minutes, in the environment of a job."""
GRACE = 10.0  # seconds after which a process that cannot even say so is ended
MOST = 10_000_000  # minutes, 19 years; the watches of a system end somewhere beyond
CODE = 124  # as `timeout` has it


@contextlib.contextmanager
def enforced() -> Iterator[None]:
    """End this process after the minutes that the environment names, unless the block ends before; 0: no limit.

    Raises:
        ValueError: it names anything else.

    What was written until then stays: a training goes on from its last epoch when the same command is given again.
    """
    minutes = _minutes(os.environ.get(LIMIT) or "0")
    if minutes <= 0:
        yield
        return
    watch = threading.Timer(60 * minutes, _end, (minutes,))
    watch.daemon = True
    watch.start()
    # Code that holds the interpreter lets no other thread speak; this one needs none.
    faulthandler.dump_traceback_later(60 * minutes + GRACE, exit=True, file=sys.__stderr__ or sys.stderr)
    try:
        yield
    finally:
        watch.cancel()
        faulthandler.cancel_dump_traceback_later()


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = -1
    if not 0 <= minutes <= MOST:
        raise ValueError(f"{LIMIT} = {complaints.shown(text)}: must be minutes, from 0 (no limit) to {MOST:,}")
    return minutes


def _end(minutes: float) -> None:
    print(
        f"wassdp: stopped after {minutes:g} min, the runtime of its rule (--set-resources RULE:runtime=MINUTES raises "
        "it); a training goes on from its last epoch when it is started again",
        file=sys.stderr,
        flush=True,
    )
    os._exit(CODE)
