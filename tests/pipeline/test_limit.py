"""A job that hangs ends after its runtime, also where no scheduler watches."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import pytest

from wassdp.cli import main

SLEEPS = "time.sleep(120)"
HOLDS = "re.match('(a+)+$', 'a' * 60 + 'b')"  # never lets another thread speak
SCRIPT = """
import re, time
from wassdp.pipeline import limit
limit.GRACE = 0.5
with limit.enforced():
    {work}
print("done")
"""


def run(work: str, minutes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT.format(work=work)],
        env=os.environ | {"WASSDP_RUNTIME": minutes},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(("work", "code", "said"), [(SLEEPS, 124, "stopped after 0.02 min"), (HOLDS, 1, "Timeout")])
def test_a_job_that_hangs_ends_and_says_so(work: str, code: int, said: str) -> None:
    begin = time.monotonic()
    done = run(work, "0.02")
    assert (done.returncode, "done" in done.stdout) == (code, False)
    assert said in done.stderr
    assert time.monotonic() - begin < 90


@pytest.mark.parametrize("minutes", ["abc", "nan", "inf", "-1", "1e8", "5 min"])
def test_what_is_no_time_is_refused_by_name(minutes: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("WASSDP_RUNTIME", minutes)
    assert main(["data", "list", "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"wassdp data: WASSDP_RUNTIME = {minutes!r}: must be minutes, from 0 (no limit) to 10,000,000\n"


@pytest.mark.parametrize("minutes", ["", "0", "5", "10000000"])
def test_a_job_that_ends_in_time_is_left_alone(minutes: str) -> None:
    done = run("time.sleep(0.01)", minutes)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
