"""What every experiment kind shares: its parameter model, its surroundings and what it returns."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.qualified import Qualified, qualified
from wassdp.data import SETS, descriptor
from wassdp.result import Point, Schedule
from wassdp.sections import Section, sections

logger = logging.getLogger(__name__)

LEFT_OUT = (
    "every figure computed from private training records without noise is left out of this result, evaluation on other "
    "records is not covered"
)


class Description(NamedTuple):
    """A setting in words (`Parameters.describe`).

    Args:
        problem: what is learnt, of which data; it is in a label only where an experiment has several.
        method: how, without its noise; what is empty here is said by the parameters that vary.
        privacy: the budget or the noise that is asked for (`asked`).
    """

    problem: str = ""
    method: str = ""
    privacy: str = ""


def asked(*, epsilon: float | None = None, noise: float | None = None) -> str:
    """The budget or the noise of a setting in words.

    >>> asked(epsilon=1), asked(noise=2.5), asked()
    ('ε = 1', 'σ = 2.5', 'no privacy')
    """
    parts = [f"{symbol} = {value:g}" for symbol, value in (("σ", noise), ("ε", epsilon)) if value is not None]
    return " until ".join(parts) or "no privacy"


class Parameters(Section):
    """Parameters of one run. Unknown keys, NaN and infinity are refused."""

    def describe(self) -> Description:
        """What people call such a run; its seed is not in it."""
        return Description()

    def impossible(self) -> str | None:
        """Why this combination cannot be run, or None; such a run leaves the run table with this reason."""
        return None

    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets that a run reads: those that its parameters name, and that are not drawn."""
        plugins = (named for section in sections(self) for named in section.plugins())
        names = dict.fromkeys(name for folder, name in plugins if folder.package == SETS.package)
        return tuple(name for name in names if descriptor(name).origin != "synthetic")

    def expected_event(self) -> Event | None:
        """An event of the form that a run releases (`wassdp.accounting.expected`).

        Accountants that cannot account for it are refused before anything is computed. None: nothing private is
        released, or only the run can tell its form.
        """
        return None


class PrivateParameters(Parameters):
    """Parameters of a run that may release something of private records, and measures more than it releases.

    Such a run takes no seed, too (None): its bits then come from the operating system.
    """

    release: bool = Field(
        default=False,
        exclude_if=lambda value: not value,
        description="leave every figure that is computed from private training records without noise out of result, "
        "log, history and checkpoint: what is left may be published within the run's budget. A checkpoint still holds "
        "the state of the noise, and is private until the run ends and removes it",
    )

    def nothing_to_release(self) -> str | None:
        """The reason why ``release`` cannot be asked for: the run is not expected to release anything privately."""
        if not self.release or self.expected_event() is not None:
            return None
        return "release true: the run is not private, all that it finds is computed without noise"

    def notes(self, unnoised: str) -> tuple[str, ...]:
        """What to say beside the run's budget.

        Args:
            unnoised: in words, in the plural, which figures it measures without noise; empty if none.

        >>> PrivateParameters(release=True).notes("training losses") == (LEFT_OUT,)
        True
        """
        if self.release:
            return (LEFT_OUT,)
        if not unnoised:
            return ()
        return (
            f"{unnoised} in this result are computed from private records without noise, the budget is that of the "
            "noisy releases alone",
        )

    def noted(self, releases: Composed, unnoised: str) -> Qualified:
        """``releases`` with these `notes`."""
        return qualified(releases, notes=self.notes(unnoised))


@dataclass(frozen=True)
class Context:
    """Where a run works.

    Args:
        folder: the run's own folder, for checkpoints; it survives a killed job.
        code: hash of the run's code; a checkpoint written by other code must not be resumed.
        device: ``auto``, ``cpu`` or ``cuda``.
        run: digest of the run's specification; no two runs share a stream of noise.
    """

    folder: Path
    code: str
    device: str = "auto"
    run: str = ""

    def record(self, axis: str, position: float, metrics: Mapping[str, float]) -> None:
        """Log progress, and append it to ``history.jsonl``, which trackers may read while the run goes on.

        The outcome's history is what counts; a line cut short by a kill is dropped when read.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"time": time.time(), "axis": axis, "position": position, "metrics": dict(metrics)})
        with (self.folder / "history.jsonl").open("a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        figures = ", ".join(f"{name} {value:.4g}" for name, value in metrics.items())
        logger.info("%s %.12g: %s", axis, position, figures)


@dataclass(frozen=True)
class Findings:
    """What a run found.

    Args:
        metrics: final figures by name, e.g. ``accuracy`` in [0, 1].
        history: curves.
        event: what was released; None if nothing private was.
        delta: the delta at which the release is to be accounted.
        device: device used.
        earlier_seconds: time already spent before the run was resumed.
        accounted_at: where along the run the budget is to be accounted too.
        pictures: sheets of pictures by name, each the base64 text of a PNG.
    """

    metrics: dict[str, float]
    history: tuple[Point, ...] = ()
    event: Event | None = None
    delta: float | None = None
    device: str = "cpu"
    earlier_seconds: float = 0.0
    accounted_at: Schedule | None = None
    pictures: Mapping[str, str] = field(default_factory=dict)
