"""``wassdp figure``: draw one figure from the collected tables."""

from __future__ import annotations

import argparse
import importlib

from wassdp.cli import _report

HELP = "Draw one figure (SVG, PNG, and its data as CSV) from the collected tables."
configure = _report.configure


def run(arguments: argparse.Namespace) -> int:
    """Draw and save."""
    import matplotlib as mpl

    mpl.use("agg")
    from wassdp.report import style

    chosen = _report.choice(arguments, "figures")
    module = importlib.import_module(f"wassdp.report.figures.{chosen.kind}")
    figure, data = module.draw(*_report.frames(arguments), chosen.options)
    style.save(figure, data, arguments.out)
    print(f"figure in {arguments.out}.svg")
    return 0
