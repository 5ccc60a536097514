"""What the pipeline costs beyond the jobs' own work: per run, and to read the workflow.

The peer is Snakemake alone: an empty workflow for reading, and one that does the same number of
``true`` commands for running.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench._checkout import checkout

RUNS = 12

EMPTY = "rule all:\n    output: 'never'\n    shell: 'true'\n"
PLAIN = f"""
rule all:
    input: expand("{{n}}.b", n=range({RUNS}))

rule first:
    output: "{{n}}.a"
    shell: "touch {{output}}"

rule second:
    input: "{{n}}.a"
    output: "{{n}}.b"
    shell: "touch {{output}}"
"""


def main() -> list[dict[str, Any]]:
    """Rows: what is measured, seconds here, seconds of the peer, difference per run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, peer = folder / "ours", folder / "peer"
        checkout(ours, "overhead", steps=1, seeds=RUNS)
        peer.mkdir()
        (peer / "Snakefile").write_text(EMPTY)
        parsing = [(_snakemake(ours, "--list-rules"), _snakemake(peer, "--list-rules")) for _ in range(5)]
        planning = [(_snakemake(ours, "--dry-run"), _snakemake(peer, "--dry-run")) for _ in range(5)]
        (peer / "Snakefile").write_text(PLAIN)
        mine = _snakemake(ours, "--until", "account")
        work = sum(
            json.loads(path.read_text())["provenance"]["seconds"]
            for path in (ours / "results" / "runs").glob("*/result.json")
        )
        theirs = _snakemake(peer)
    return [
        _pair("parse the workflow", parsing, "Snakemake, empty workflow"),
        _pair(f"parse and plan {RUNS} runs (dry run)", planning, "Snakemake, empty workflow"),
        {
            "what": f"one run of {RUNS}, outcome and budgets, one core, its own work left out",
            "seconds": (mine - work) / RUNS,
            "peer": "Snakemake, two empty jobs",
            "peer_seconds": theirs / RUNS,
            "ratio": (mine - work) / theirs,
            "beyond_peer_seconds": (mine - work - theirs) / RUNS,
        },
    ]


def _pair(what: str, times: list[tuple[float, float]], peer: str) -> dict[str, Any]:
    here, there = (statistics.median(column) for column in zip(*times, strict=True))
    return {
        "what": what,
        "seconds": here,
        "peer": peer,
        "peer_seconds": there,
        "ratio": here / there,
        "beyond_peer_seconds": here - there,
    }


def _snakemake(folder: Path, *arguments: str) -> float:
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return time.perf_counter() - begin
