"""Starting up: importing the package, and one budget on the command line, as whole processes.

The peers are a Python that does nothing, and one that imports the part of SciPy that no budget can do without. All
take turns, and the shortest turn of each counts, in processor time, its own and the system's.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import Any

TURNS = 7
BUDGET = "epsilon dpsgd --noise-multiplier 1 --records 60000 --batch 256 --steps 1000 --delta 1e-5"
PEERS = {"python -c pass": ["-c", "pass"], "python -c 'import scipy.special'": ["-c", "import scipy.special"]}
OURS = {"import wassdp": ["-c", "import wassdp"], f"wassdp {BUDGET}": ["-m", "wassdp", *BUDGET.split()]}


def main() -> list[dict[str, Any]]:
    """Rows: what is started, its processor seconds, those of the peer, their ratio."""
    commands = PEERS | OURS
    seconds = dict.fromkeys(commands, float("inf"))
    for _ in range(TURNS):
        for what, arguments in commands.items():
            seconds[what] = min(seconds[what], _processor_seconds(arguments))
    return [
        {
            "what": what,
            "seconds": seconds[what],
            "peer": peer,
            "peer_seconds": seconds[peer],
            "ratio": seconds[what] / seconds[peer],
        }
        for what in OURS
        for peer in PEERS
    ]


def _processor_seconds(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
