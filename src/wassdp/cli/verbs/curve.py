"""``wassdp curve``: a mechanism's privacy as a figure."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wassdp import checks
from wassdp.accounting import limits
from wassdp.cli import mechanism, numbers, paths

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from wassdp.accounting.event import Event

_DELTA, _POINTS = 1e-5, 40
_MOST_POINTS = {"profile": 1000, "steps": 40, "trade-off": 1000}
_MOST_APPROXIMATED_STEPS = 10
"""Numbers of steps that a curve computes of a mechanism whose pair is approximated anew for each of them."""
HELP = "Draw delta over epsilon, epsilon over steps, or the trade-off of a mechanism."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    mechanism.configure(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FIGURE", help="file to write: .svg, .png or .pdf")
    parser.add_argument(
        "--kind", choices=("profile", "steps", "trade-off"), default="profile", help="which curve (default: profile)"
    )
    parser.add_argument("--delta", type=numbers.OPEN_UNIT, metavar="D", help="delta of --kind steps (default: 1e-5)")
    parser.add_argument(
        "--points",
        type=int,
        metavar="P",
        help="points of the curve (default: 40, at most 1000; --kind steps: at most 40, of dpswd 10)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compute the curve and write the figure."""
    from matplotlib.figure import Figure

    from wassdp.accounting import accountant
    from wassdp.files import appearing

    if arguments.out.suffix not in (".svg", ".png", ".pdf"):
        raise ValueError(f"out = {str(arguments.out)!r}: must end in .svg, .png or .pdf")
    paths.new_file("out", arguments.out)
    options = mechanism.given(arguments)
    release = mechanism.event(arguments.mechanism, options)
    most = _MOST_POINTS[arguments.kind]
    if arguments.kind == "steps" and any(part.drawn()[1].approximated for part, _ in release.parts()):
        most = _MOST_APPROXIMATED_STEPS
    arguments.points = min(_POINTS, most) if arguments.points is None else arguments.points
    if checks.whole("points", arguments.points, least=2) > most:
        raise ValueError(f"points = {arguments.points}: must be at most {most} with --kind {arguments.kind}")
    if arguments.delta is not None and arguments.kind != "steps":
        raise ValueError(f"--delta = {arguments.delta!r}: does not apply to --kind {arguments.kind}")
    arguments.delta = limits.computable_delta(_DELTA if arguments.delta is None else arguments.delta)
    if reason := accountant.load("pld").supports(release):
        raise ValueError(f"event: {reason}")
    figure = Figure(figsize=(4.6, 3.4), layout="constrained")
    axes = figure.add_subplot()
    draw = {"profile": _profile, "steps": _steps, "trade-off": _trade_off}[arguments.kind]
    draw(axes, release, arguments)
    axes.set_title(
        f"{arguments.mechanism}, {release.adjacency}, {release.sampling} sampling\n{mechanism.said(release)}",
        fontsize=9,
    )
    axes.grid(True, color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    with appearing(arguments.out) as draft:
        figure.savefig(draft, dpi=200)
    print(arguments.out)
    print(mechanism.said(release))
    return 0


def _profile(axes: Axes, release: Event, arguments: argparse.Namespace) -> None:
    from wassdp.accounting.numerics import exact

    top = exact.upper_epsilon(release, 1e-12, accuracy=1e-2)
    if not np.isfinite(top):
        raise ValueError("event: no finite budget is known, so there is no curve")
    epsilons = np.linspace(0.0, max(top, 1e-6), arguments.points)
    deltas = exact.upper_deltas(release, epsilons.tolist())
    axes.plot(epsilons, np.maximum(deltas, 1e-300), color="#0072B2")
    axes.set_yscale("log")
    axes.set_ylim(1e-13, 2.0)
    axes.set_xlabel("ε")
    axes.set_ylabel("δ(ε)")


def _steps(axes: Axes, release: Event, arguments: argparse.Namespace) -> None:
    from wassdp.accounting import accountant
    from wassdp.accounting.rounding import exact

    most = getattr(release, "steps", 1)
    if most < 2:
        raise ValueError(f"steps = {most}: a curve over steps needs at least 2")
    positions = np.unique(np.geomspace(1, most, arguments.points).round().astype(int)).tolist()
    for name, colour, dash in (("pld", "#000000", "-"), ("rdp", "#D55E00", (0, (5, 1.5))), ("gdp", "#56B4E9", ":")):
        # A tenth of a percent is more than a figure shows, and some seconds less than the default.
        accounting = accountant.load(name, accuracy=1e-3) if name == "pld" else accountant.load(name)
        if accounting.supports(release) is None:
            budgets = accounting.path(release, arguments.delta, positions)
            label = f"{name} ({budgets[0].kind})"
            axes.plot(positions, [guarantee.value for guarantee in budgets], color=colour, linestyle=dash, label=label)
    axes.set_xlabel("steps")
    axes.set_ylabel(f"ε at δ = {exact(arguments.delta)}")
    axes.set_xscale("log")
    axes.legend(frameon=False, fontsize=8)


def _trade_off(axes: Axes, release: Event, arguments: argparse.Namespace) -> None:
    from wassdp.accounting import curves

    rates = np.linspace(0.0, 1.0, 201)
    axes.plot(rates, curves.trade_off(release, rates, points=arguments.points), color="#0072B2", label="this release")
    axes.plot(rates, 1 - rates, color="#777777", linestyle=":", label="no release")
    axes.set_xlabel("false positive rate")
    axes.set_ylabel("false negative rate, at least")
    axes.legend(frameon=False, fontsize=8)
