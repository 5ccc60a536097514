"""Several processes that want one dataset at once, and one that is killed on the way."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wassdp.data import storage

FETCH = """
for line in sys.stdin:  # all start at once
    break
manifest = storage.fetch(DATASET)
print({path: entry.path.read_bytes() == CONTENT[path] for path, entry in manifest.entries.items()})
"""


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("damaged", [False, True])
def test_processes_at_once_download_each_file_once(
    folder: Path, made: SimpleNamespace, server: Any, started: Callable[..., Any], damaged: bool
) -> None:
    server.delay = 0.3
    if damaged:
        made.lay(folder / "made", {path: b"?" + data[1:] for path, data in made.content.items()})
    processes = [started(server.url, FETCH, stdin=-1) for _ in range(4)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        out, error = process.communicate(timeout=60)
        assert process.returncode == 0, error
        assert out.strip() == str(dict.fromkeys(made.content, True))
    assert dict(server.requests) == dict.fromkeys(made.content, 1)
    kept = {f"made/{path}" for path in made.content}
    aside = {f"{path}.rejected" for path in kept} if damaged else set()
    assert files(folder) - {".made.lock"} == kept | aside


def test_a_killed_process_leaves_no_lock_and_no_file_that_would_be_used(
    folder: Path, made: SimpleNamespace, server: Any, started: Callable[..., Any]
) -> None:
    server.faults["first.bin"] = "hang"
    process = started(server.url, "storage.fetch(DATASET)")
    limit = time.monotonic() + 30
    while not list(folder.rglob(".first.*")) and time.monotonic() < limit:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=30)
    assert list(folder.rglob(".first.*")), "the draft was not there when the process was killed"
    assert not (folder / "made/first.bin").exists()
    server.faults.clear()
    manifest = storage.fetch(made.dataset(host=server.url))
    assert {entry.source for entry in manifest.entries.values()} == {"download"}
    assert files(folder) - {".made.lock"} == {f"made/{path}" for path in made.content}
