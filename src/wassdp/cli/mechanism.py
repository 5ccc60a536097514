"""Mechanisms as typed on the command line: arguments to event, shared by several verbs."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.event import (
    Composed,
    Directions,
    Event,
    Gaussian,
    Gibbs,
    Laplace,
    PoissonSampled,
    SampledWithoutReplacement,
    SlicedProjections,
    WassersteinGradientStep,
    repeated,
)
from wassdp.accounting.guarantee import ADJACENCIES, Adjacency, known_adjacency

MECHANISMS = ("gaussian", "laplace", "dpsgd", "dpswd", "wasserstein-gradient", "gibbs")
_STEPPED = {"records", "batch", "steps", "epochs", "steps_per_epoch", "sampling", "adjacency"}
_NOISE = {"noise_multiplier", "sigma", "sensitivity"}
_COUNTS = {"records", "batch", "steps", "steps_per_epoch", "projections", "dimension"}
_OPTIONS = {
    "gaussian": _NOISE | {"steps", "adjacency"},
    "laplace": _NOISE | {"steps", "adjacency"},
    "dpsgd": _NOISE | _STEPPED,
    "dpswd": _STEPPED | {"sigma", "projections", "dimension", "directions", "unpadded"},
    "wasserstein-gradient": _NOISE | _STEPPED,
    "gibbs": {"inverse_temperature", "risk_range", "records", "steps", "adjacency"},
}
_SAMPLING = {"dpsgd": "poisson", "dpswd": "without-replacement", "wasserstein-gradient": "without-replacement"}


def configure(parser: argparse.ArgumentParser, *, noise: bool = True) -> None:
    """Arguments that describe a mechanism; without ``noise``, those for what is to be found may be left out."""
    parser.add_argument("mechanism", choices=MECHANISMS, help="what is released")
    group = parser.add_argument_group("mechanism")
    optional = "" if noise else " (may be left out: it is what is sought)"
    add = group.add_argument
    add("--noise-multiplier", type=float, metavar="M", help="noise over sensitivity under the adjacency" + optional)
    add("--sigma", type=float, metavar="S", help="noise standard deviation (laplace: scale)" + optional)
    add("--sensitivity", type=float, metavar="D", help="sensitivity under the adjacency, with --sigma")
    add("--records", type=int, metavar="N", help="number of records")
    add("--batch", type=int, metavar="B", help="(expected) number of records in a batch")
    add("--steps", type=int, metavar="T", help="number of releases (default: 1)")
    add("--epochs", type=float, metavar="E", help="instead of --steps: passes over the records, their last batch kept")
    add("--steps-per-epoch", type=int, metavar="S", help="releases in a pass (default: records / batch, rounded up)")
    add("--sampling", choices=("poisson", "without-replacement", "full"), help="how records enter a batch")
    add("--adjacency", type=known_adjacency, choices=ADJACENCIES, help="neighbouring relation")
    add("--projections", type=int, metavar="K", help="dpswd: number of directions")
    add("--dimension", type=int, metavar="D", help="dpswd: length of a row")
    add("--directions", choices=("iid", "orthogonal"), help="dpswd: how directions are drawn (default: iid)")
    add("--unpadded", action="store_true", default=None, help="dpswd: Poisson batches are not padded to a fixed size")
    add("--inverse-temperature", type=float, metavar="BETA", help="gibbs: beta")
    add("--risk-range", type=float, metavar="R", help="gibbs: largest minus smallest risk of one record")


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The mechanism's options that were typed.

    Raises:
        ValueError: one does not belong to the mechanism, or two contradict each other.
    """
    names = set().union(*_OPTIONS.values())
    found = {name: value for name in sorted(names) if (value := getattr(arguments, name, None)) is not None}
    for name in found:
        if name not in _OPTIONS[arguments.mechanism]:
            raise ValueError(f"{_flag(name)}: does not apply to {arguments.mechanism}")
    for first, second in (("steps", "epochs"), ("noise_multiplier", "sigma"), ("noise_multiplier", "sensitivity")):
        if first in found and second in found:
            raise ValueError(f"{_flag(first)} and {_flag(second)}: give one of them")
    if "steps_per_epoch" in found and "epochs" not in found:
        raise ValueError("--steps-per-epoch: goes with --epochs")
    # Before anything is computed from them; whatever else they must be, the event says.
    for name in sorted(_COUNTS & found.keys()):
        limits.count(name, max(found[name], 0))
    if not found.get("epochs", 0) <= limits.MOST:
        raise ValueError(f"epochs = {found['epochs']!r}: must be at most 10^15")
    if found.get("sampling") == "full" and found.get("batch", found.get("records")) != found.get("records"):
        raise ValueError("--sampling full: --batch must be left out or equal --records")
    return found


def described(mechanism: str, options: dict[str, Any]) -> dict[str, Any]:
    """The mechanism as it appears in JSON output."""
    return {"name": mechanism} | options


def event(mechanism: str, options: dict[str, Any]) -> Event:
    """The composed release that the options describe.

    Raises:
        ValueError: an option is missing or out of range.
    """
    return repeated(_sampled(mechanism, options, _single(mechanism, options)), steps(options))


def steps(options: dict[str, Any]) -> int:
    """Number of releases: of so many passes over the records, or as given.

    A pass has as many steps as a loader makes that keeps its last, smaller batch, unless ``steps_per_epoch`` says
    otherwise; a part of a step counts as one.

    >>> steps({"epochs": 60.0, "records": 60000, "batch": 256})
    14100
    >>> steps({"epochs": 60.0, "steps_per_epoch": 234})
    14040
    """
    if "epochs" in options:
        if not 0 < options["epochs"] < math.inf:
            raise ValueError(f"epochs = {options['epochs']!r}: must be above 0 and finite")
        # As the number was typed: 0.1 of 30 steps is 3, not 4.
        return math.ceil(Fraction(repr(options["epochs"])) * _steps_per_epoch(options))
    if options.get("steps", 1) < 0:
        raise ValueError(f"steps = {options['steps']!r}: must be a whole number of at least 0")
    return int(options.get("steps", 1))


def _steps_per_epoch(options: dict[str, Any]) -> int:
    if "steps_per_epoch" in options:
        return checks.whole("steps_per_epoch", options["steps_per_epoch"], least=1)
    records, batch = (_need(options, name, "with --epochs") for name in ("records", "batch"))
    if records < 1 or batch < 1:
        raise ValueError("records and batch: must be at least 1")
    return int(-(-records // batch))


def released(event: Event) -> dict[str, Any]:
    """Steps and sampling rate of what `event` made, as they appear beside its budgets: 1 is a full batch."""
    assert isinstance(event, Composed)
    (part,) = event.events
    return {"steps": event.steps, "rate": getattr(part, "rate", 1.0)}


def said(event: Event) -> str:
    """`released` in one line."""
    found = released(event)
    return f"{found['steps']} step{'s' if found['steps'] != 1 else ''}, sampling rate {found['rate']:.6g}"


def noise_option(mechanism: str, options: dict[str, Any]) -> str:
    """The option that holds the noise."""
    if mechanism == "dpswd" or "sensitivity" in options:
        return "sigma"
    return "inverse_temperature" if mechanism == "gibbs" else "noise_multiplier"


def _single(mechanism: str, options: dict[str, Any]) -> Event:
    makers: dict[str, Callable[[], Event]] = {
        "gaussian": lambda: Gaussian(noise_multiplier=_multiplier(options), adjacency=_adjacency(mechanism, options)),
        "dpsgd": lambda: Gaussian(noise_multiplier=_multiplier(options), adjacency=_adjacency(mechanism, options)),
        "laplace": lambda: Laplace(noise_multiplier=_multiplier(options), adjacency=_adjacency(mechanism, options)),
        "wasserstein-gradient": lambda: WassersteinGradientStep(
            noise_std=_multiplier(options), sensitivity=1.0, adjacency=_adjacency(mechanism, options)
        ),
        "gibbs": lambda: Gibbs(
            inverse_temperature=_need(options, "inverse_temperature"),
            risk_range=_need(options, "risk_range"),
            records=_need(options, "records"),
            adjacency=_adjacency(mechanism, options),
        ),
        "dpswd": lambda: SlicedProjections(
            noise_std=_need(options, "sigma"),
            projections=_need(options, "projections"),
            dimension=_need(options, "dimension"),
            directions=cast(Directions, options.get("directions", "iid")),
            adjacency=_adjacency(mechanism, options),
            padded=not options.get("unpadded", False),
        ),
    }
    return makers[mechanism]()


def _multiplier(options: dict[str, Any]) -> float:
    if "sigma" in options:
        sensitivity = _need(options, "sensitivity", "with --sigma")
        if not sensitivity > 0:
            raise ValueError(f"sensitivity = {sensitivity!r}: must be above 0")
        return float(options["sigma"] / sensitivity)
    if "noise_multiplier" not in options:
        raise ValueError("--noise-multiplier: is missing (or --sigma with --sensitivity)")
    return float(options["noise_multiplier"])


def _sampling(mechanism: str, options: dict[str, Any]) -> str:
    if "sampling" in options:
        return str(options["sampling"])
    return _SAMPLING[mechanism] if "batch" in options and mechanism in _SAMPLING else "full"


def _adjacency(mechanism: str, options: dict[str, Any]) -> Adjacency:
    if "adjacency" in options:
        return cast(Adjacency, options["adjacency"])
    poisson = _sampling(mechanism, options) == "poisson"
    if mechanism == "dpswd":
        return "zero-out" if poisson else "replace-one"
    if mechanism in ("wasserstein-gradient", "gibbs") or _sampling(mechanism, options) == "without-replacement":
        return "replace-one"
    return "add-remove"


def _sampled(mechanism: str, options: dict[str, Any], release: Event) -> Event:
    sampling = _sampling(mechanism, options)
    if sampling == "full":
        return release
    records, batch = (_need(options, name, f"with --sampling {sampling}") for name in ("records", "batch"))
    # One check for both schemes: batch and records are whole, and batch is at most records.
    whole = SampledWithoutReplacement(event=release, records=records, batch=batch)
    return whole if sampling == "without-replacement" else PoissonSampled(event=release, rate=whole.rate)


def _need(options: dict[str, Any], name: str, why: str = "") -> Any:
    if name not in options:
        raise ValueError(f"{_flag(name)}: is missing {why}".rstrip())
    return options[name]


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
