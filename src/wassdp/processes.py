"""Work shared among processes that end with the one that began them."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor


def pool(jobs: int, *, prepare: Callable[[], object] | None = None) -> ProcessPoolExecutor:
    """So many new processes, each of which ends as soon as this one does, however that ends.

    A worker of the standard library finishes its work first: for hours, on a core and with locks that nobody sees, when
    the command was killed.

    Args:
        jobs: processes, at least 1.
        prepare: called once in each, before any work; it can be pickled.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(prepare,))


def _begin(prepare: Callable[[], object] | None) -> None:
    threading.Thread(target=_end_with_parent, name="ends with its parent", daemon=True).start()
    if prepare is not None:
        prepare()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "it runs in what another process began"
    parent.join()
    # No clean end: what is written here appears whole or not at all, and nobody is left to read a message.
    os._exit(1)
