"""``wassdp generate``: one run of the phase of that name."""

from __future__ import annotations

import argparse

from wassdp.cli import run as _run

HELP = "Generate synthetic data or evaluate formulas for one run."
configure = _run.configure


def run(arguments: argparse.Namespace) -> int:
    """Execute the run."""
    return _run.run(arguments, "generate")
