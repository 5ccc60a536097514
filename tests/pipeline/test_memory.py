"""Memory that a run frees is what it is given next: seen by how often the system has to find a page."""

import subprocess
import sys

import pytest

from wassdp.pipeline import memory

ROUNDS, BYTES = 20, 40 << 20
FAULTS = f"""
import resource, sys
import numpy as np
from wassdp.pipeline import memory

kept = sys.argv[1] == "kept" and memory.keep_freed()
np.ones({BYTES}, dtype=np.uint8)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({ROUNDS}):
    np.ones({BYTES}, dtype=np.uint8)
print(int(kept), resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how):
    answer = subprocess.run([sys.executable, "-c", FAULTS, how], check=True, capture_output=True, text=True).stdout
    kept, count = map(int, answer.split())
    return bool(kept), count


def test_freed_memory_is_used_again():
    kept, few = faults("kept")
    if not kept:
        pytest.skip("this C library does not keep memory")
    _, many = faults("as it comes")
    # With pages of 2 MiB, the largest there are, each round needs 20.
    assert many >= ROUNDS * (BYTES >> 21)
    assert few < many / 4


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_are_left_as_they_are(system, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(memory.ctypes, "CDLL", None)  # not looked at
    assert memory.keep_freed() is False


def test_a_c_library_without_it_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: object())
    assert memory.keep_freed() is False
