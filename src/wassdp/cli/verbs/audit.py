"""``wassdp audit``: one run of the phase of that name."""

from __future__ import annotations

import argparse

from wassdp.cli import run as _run

HELP = "Attack the mechanism of one run."
configure = _run.configure


def run(arguments: argparse.Namespace) -> int:
    """Execute the run."""
    return _run.run(arguments, "audit")
