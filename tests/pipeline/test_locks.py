"""Who waits for a lock says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock, Timeout

from wassdp.pipeline.locks import held

HOLD = """
import sys, time
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(3)
"""


def test_a_free_lock_is_taken_without_a_word_and_given_back(tmp_path: Path, capsys: Any) -> None:
    lock = FileLock(tmp_path / "lock")
    with held(lock, what="works here"):
        assert lock.is_locked
    assert not lock.is_locked
    assert capsys.readouterr().err == ""


def test_whoever_waits_says_for_what(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with held(FileLock(path), what="works here"):
            pass
    assert capsys.readouterr().err == f"wassdp: waiting for another process that works here ({path})\n"


def test_a_wait_may_have_an_end(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with FileLock(path), pytest.raises(Timeout), held(FileLock(path), what="works here", timeout=0.2):
        pass
