"""The command that starts the workflow on one machine.

A configuration is read by this project before the workflow engine sees its path: the engine would run the Python of a
template (`wassdp.yaml_files.TEMPLATE`) before any rule is read.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from wassdp import yaml_files

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
        ValueError: there is no such workflow, ``cores`` is no number above 0, or the configuration is no plain YAML.
    """
    if not snakefile.is_file():
        raise ValueError(f"snakefile = {str(snakefile)!r}: must be the workflow's Snakefile")
    if cores != "all" and not (cores.isdecimal() and int(cores) > 0):
        raise ValueError(f"cores = {cores!r}: must be a whole number above 0, or all")
    yaml_files.read(configuration)
    words = [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), "--configfile", str(configuration)]
    return [*words, "--cores", cores, *QUIETLY, *options]
