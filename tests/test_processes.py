"""Workers: they do what they are told, and end with the process that began them."""

from __future__ import annotations

import functools
import math
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wassdp import processes

BUSY = """
import os, time
from wassdp import processes
if __name__ == "__main__":
    with processes.pool(1) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 600).result()
"""


def is_there(process: int) -> bool:
    """Whether it runs: one that ended and that nobody has asked for yet does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_pool_computes_what_one_process_does() -> None:
    with processes.pool(2) as pool:
        assert list(pool.map(math.factorial, range(6))) == [math.factorial(each) for each in range(6)]


def test_every_process_is_prepared_before_it_works() -> None:
    with processes.pool(1, prepare=functools.partial(signal.signal, signal.SIGUSR1, signal.SIG_IGN)) as pool:
        assert pool.submit(signal.getsignal, signal.SIGUSR1).result() == signal.SIG_IGN
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="looks at processes in /proc")
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_ends_with_the_process_that_began_it(sent: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        worker = int(caller.stdout.readline())
        assert is_there(worker)
        caller.send_signal(sent)
        caller.wait(30)
    until = time.monotonic() + 30
    while is_there(worker):
        assert time.monotonic() < until, f"process {worker} outlived the one that began it"
        time.sleep(0.05)
