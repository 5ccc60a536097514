"""What releases are called on the command line, and which options each takes: said by an event's own class.

Options that several releases share are declared, with their help, by `wassdp.cli.mechanism`; a release names those
that it takes and declares its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wassdp.accounting.guarantee import Adjacency, Sampling

NOISE = ("noise_multiplier", "sigma", "sensitivity")
"""Options of a noise given relative to a sensitivity, or together with one: see `multiplier`."""
BATCHES = ("records", "batch", "epochs", "steps_per_epoch", "sampling")
"""Options of a release on batches of the records."""
REPLACE: Mapping[str, Adjacency] = dict.fromkeys(("full", "poisson", "without-replacement"), "replace-one")
"""Adjacencies of what is stated for a replaced record."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A release as it is typed: ``wassdp epsilon NAME``, with ``--steps`` and ``--adjacency`` always.

    Args:
        name: what it is called.
        about: what is released, in a few words.
        shared: names of the other options that it takes of those that several releases share.
        own: options that only it takes, with the keyword arguments by which argparse knows them.
        sampling: how records enter a batch, where one is given and nothing else is said; None: no batch is given.
        adjacency: neighbouring relation by sampling, where nothing else is said.
        sought: the option that calibration seeks.
        inverse: whether more noise means less of ``sought``.
    """

    name: str
    about: str = ""
    shared: tuple[str, ...]
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sampling: Sampling | None = None
    adjacency: Mapping[str, Adjacency] = field(
        default_factory=lambda: {"full": "add-remove", "poisson": "add-remove", "without-replacement": "replace-one"}
    )
    sought: str = "noise_multiplier"
    inverse: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """Names of all options that it takes."""
        return (*self.shared, *self.own, "steps", "adjacency")


def multiplier(options: Mapping[str, Any]) -> float:
    """Noise over sensitivity, given as such or as both.

    Raises:
        ValueError: neither is given, or a sensitivity that is not above 0.
    """
    if "sigma" in options:
        sensitivity = need(options, "sensitivity", "with --sigma")
        if not sensitivity > 0:
            raise ValueError(f"sensitivity = {sensitivity!r}: must be above 0")
        return float(options["sigma"] / sensitivity)
    if "noise_multiplier" not in options:
        raise ValueError("--noise-multiplier: is missing (or --sigma with --sensitivity)")
    return float(options["noise_multiplier"])


def need(options: Mapping[str, Any], name: str, why: str = "") -> Any:
    """The option called ``name``.

    Raises:
        ValueError: it was not given.
    """
    if name not in options:
        raise ValueError(f"{flag(name)}: is missing {why}".rstrip())
    return options[name]


def flag(name: str) -> str:
    """An option as it is typed."""
    return "--" + name.replace("_", "-")
