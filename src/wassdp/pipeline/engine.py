"""The command that starts the workflow on one machine.

A configuration is read by this project before the workflow engine sees its path: the engine would run the Python of a
template (`wassdp.yaml_files.TEMPLATE`) before any rule is read.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from wassdp import config

# What workflow/profiles/local says. The engine announces every profile that it is given, on a screen that is for runs.
QUIETLY = ("--quiet", "rules", "reason", "host", "--keep-going", "--scheduler", "greedy")
SNAKEFILE = Path("Snakefile")


def command(configuration: Path, *, cores: str, snakefile: Path = SNAKEFILE, options: Sequence[str] = ()) -> list[str]:
    """Words that run the workflow in this folder, one line for each finished run on the screen.

    Args:
        configuration: YAML file.
        cores: jobs at a time; "all" means every processor.
        snakefile: the workflow.
        options: further options and targets of Snakemake, which win over those set here.

    Raises:
        ValueError: there is no such workflow, ``cores`` is no number above 0, or the configuration is not allowed.
    """
    if not snakefile.is_file():
        raise ValueError(f"snakefile = {str(snakefile)!r}: must be the workflow's Snakefile")
    if cores != "all" and not (cores.isdecimal() and int(cores) > 0):
        raise ValueError(f"cores = {cores!r}: must be a whole number above 0, or all")
    config.read(configuration)
    words = [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), "--configfile", str(configuration)]
    return [*words, "--cores", cores, *QUIETLY, *options]


def run(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the workflow and wait for its end; what asks this process to end asks that, and is waited for.

    The engine finishes jobs that are at work and starts no more. Left alone, it would go on without whoever records it.

    Args:
        words: from `command`.
        environment: of its process.

    Returns:
        Its exit code.
    """
    process = subprocess.Popen(words, env=environment)
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                process.terminate()
    finally:
        signal.signal(signal.SIGTERM, before)
