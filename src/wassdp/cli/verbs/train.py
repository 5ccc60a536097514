"""``wassdp train``: one run of the phase of that name."""

from __future__ import annotations

import argparse

from wassdp.cli import run as _run

HELP = "Train the model of one run."
configure = _run.configure


def run(arguments: argparse.Namespace) -> int:
    """Execute the run."""
    return _run.run(arguments, "train")
