"""A job that needs more memory than it may have, and one that hangs."""

from __future__ import annotations

import re
import resource
from collections.abc import Callable
from pathlib import Path

from _faults.harness import Place, Row, Running

ROOM = 8 << 20
"""Bytes that a job may take beyond what it begins with."""


def memory(fresh: Callable[[], Place]) -> Row:
    """What runs the jobs may not grow (`RLIMIT_AS`), so that the first large array of a job has no place."""
    place = fresh()
    with place.started() as pipeline:
        pipeline.begun()
        pipeline.until(lambda: any(_children(process) for process in _servers(pipeline)))
        server = _servers(pipeline)[0]
        size = int(Path(f"/proc/{server}/statm").read_text().split()[0]) * resource.getpagesize() + ROOM
        resource.prlimit(server, resource.RLIMIT_AS, (size, size))
        code, text = pipeline.end(), pipeline.text()
    again = place.again()
    said = place.told(text)
    return Row(
        "jobs run out of memory",
        str(code),
        said,
        "nothing",
        again,
        whole=code == 1 and "memory" in said and again == "equal",
    )


def hang(fresh: Callable[[], Place]) -> Row:
    """The code of an experiment waits for ever; its rule may take a minute."""
    place = fresh()
    source = place.folder / "src" / "wassdp" / "experiments" / "synthetic_gradients.py"
    text = source.read_text()
    wait = "\\1\n    import time\n\n    time.sleep(10**6)"
    source.write_text(re.sub(r'(\ndef run\(.*?""".*?""")', wait, text, flags=re.DOTALL))
    done = place.run("--set-resources", "generate:runtime=1")
    source.write_text(text)
    said, again = place.told(done.stderr), place.again()
    return Row(
        "a job hangs (its rule's runtime is a minute)",
        str(done.returncode),
        said,
        "nothing",
        again,
        whole=done.returncode == 1 and "stopped after 1 min" in said and again == "equal",
    )


def _servers(pipeline: Running) -> list[int]:
    """What runs the jobs, then those jobs: they are forks of it."""
    return [process for process in pipeline.below() if b"python -m wassdp.pipeline.forks" in _words(process)]


def _words(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return b""


def _children(process: int) -> str:
    return Path(f"/proc/{process}/task/{process}/children").read_text()
