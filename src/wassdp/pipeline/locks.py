"""Locks between processes: whoever waits says so."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from filelock import BaseFileLock, Timeout


@contextlib.contextmanager
def held(lock: BaseFileLock, *, what: str, timeout: float = -1) -> Iterator[None]:
    """Hold a lock; who has to wait for it says so, with its file, since a wait may be long.

    Args:
        lock: it ends with its process, however that ends.
        what: what the other process is doing.
        timeout: seconds to wait at most; negative: for as long as it takes.

    Raises:
        filelock.Timeout: it was not to be had in that time.
    """
    try:
        lock.acquire(timeout=min(1.0, timeout) if timeout >= 0 else 1.0)
    except Timeout:
        print(f"wassdp: waiting for another process that {what} ({lock.lock_file})", file=sys.stderr, flush=True)
        lock.acquire(timeout=timeout)
    try:
        yield
    finally:
        lock.release()
