"""10^4 hypotheses x 10^5 records, β = 10^6: an exact worst deletion in little memory. `bench.tangent` has the time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import json
from bench.tangent import ours, problem
from wassdp.pipeline.provenance import peak_memory_mib
largest = ours(problem(100_000, "savage"), 1e6)
print(json.dumps({"mib": peak_memory_mib(), "largest": largest}))
"""


@pytest.mark.slow
def test_the_worst_deletion_of_a_billion_risks():
    """The whole matrix would take 8 GB."""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", CODE], cwd=root, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["mib"] < 2048
    assert 0 < found["largest"] <= 2 * 1e6 / 100_000
