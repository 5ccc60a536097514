"""What every experiment kind shares: its parameter model, its surroundings and what it returns."""

from __future__ import annotations

import fnmatch
import json
import logging
import math
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pydantic import Field, model_validator

from wassdp import checks, data
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.qualified import Qualified, qualified
from wassdp.accounting.reach import UNKNOWN, Reach
from wassdp.data import SETS, descriptor, held_out
from wassdp.data.base import Splits
from wassdp.data.held_out import JudgedOn
from wassdp.files import read_object, write_json
from wassdp.result import Attacked, Point, Schedule
from wassdp.sections import Section, sections

logger = logging.getLogger(__name__)

HISTORY = "history.jsonl"
"""Name of the file, in a run's folder, with what it records on its way."""
ATTEMPTS = "attempts.json"
"""Name of the file, in a run's folder, with how many attempts at a run without a seed began to draw noise."""
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


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Whether a metric is among those that a kind declares.

    >>> fits("predicted/3", ["accuracy", "predicted/*"])
    True
    """
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


class Parameters(Section):
    """Parameters of one run. Unknown keys, NaN and infinity are refused.

    Attributes:
        headline: the metric that says in one number how good a run is, shown where there is room for one; None if there
            is no such metric.
        other_figures: further metrics that a comparison may go by, with patterns as of `fnmatch`.
    """

    headline: ClassVar[str | None] = None
    other_figures: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def declared(cls) -> tuple[str, ...]:
        """Metrics that its runs may have, as patterns; nothing where the kind declares none."""
        return (*filter(None, [cls.headline]), *cls.other_figures)

    def measured_headline(self) -> str | None:
        """The headline of this run, where its settings leave the usual one out."""
        return self.headline

    def describe(self) -> Description:
        """What people call such a run; its seed is not in it."""
        return Description()

    def impossible(self) -> str | None:
        """Why this combination cannot be run, or None; such a run leaves the run table with this reason."""
        return None

    def datasets(self, *, drawn: bool = False) -> tuple[str, ...]:
        """Names of the datasets that a run reads: those that its parameters name, and that are not drawn.

        Args:
            drawn: name those too that are.
        """
        plugins = (named for section in sections(self) for named in section.plugins())
        names = dict.fromkeys(name for folder, name in plugins if folder.package == SETS.package)
        return tuple(name for name in names if drawn or descriptor(name).origin != "synthetic")

    def private_records(self) -> tuple[int, str] | None:
        """How many records a delta has to be small beside, and whose they are; None: the kind has no such rule.

        At a delta of 1 in so many, publishing a record outright would keep the budget (`wassdp.training.budget`).
        """
        return None

    def expected_event(self) -> Event | None:
        """An event of the form that a run releases (`wassdp.accounting.expected`).

        Accountants that cannot account for it are refused before anything is computed. None: nothing private is
        released, or only the run can tell its form.
        """
        return None

    def reach(self) -> Reach:
        """The neighbouring records by which a run's own noise is attacked (`wassdp.audit.noise_scale`)."""
        return UNKNOWN

    def in_reach(self, event: Event) -> Event:
        """The releases of a run that `reach` is about: all of them. What some of them do not keep, all do not."""
        return event

    def released(self, metrics: Mapping[str, float]) -> Event | None:
        """What a finished run released, from its metrics: a result keeps no event. None where these do not tell.

        What came later than a result, an attack for instance, is put beside it by this (`wassdp.publish.attacked`),
        and only where the exact accountant gives its proven budget for it.
        """
        return None


class PrivateParameters(Parameters):
    """Parameters of a run that may release something of private records, and measures more than it releases.

    Such a run takes no seed, too (None): its bits then come from the operating system.

    What may be kept of a run to be released is declared by name, metrics, curves and what a checkpoint holds alike,
    with patterns as of `fnmatch`. Whatever matches neither of the two is left out, or refused.

    Attributes:
        public_figures: those that describe the release; no private record moves them.
        evaluation_figures: those that are computed from what was released and from other records, such as a test set.
        no_canaries: why runs of the kind cannot be attacked by canaries, where they have no key ``audit``.
    """

    public_figures: ClassVar[tuple[str, ...]] = ()
    evaluation_figures: ClassVar[tuple[str, ...]] = ()
    no_canaries: ClassVar[str] = "no canaries are known whose part in what leaves is known"

    release: bool = Field(
        default=False,
        exclude_if=lambda value: not value,
        description="leave every figure that is computed from private training records without noise out of result, "
        "log, history and checkpoint: what is left may be published within the run's budget. A checkpoint still holds "
        "the state of the noise, and is private until the run ends and removes it",
    )

    @model_validator(mode="before")
    @classmethod
    def _attackable(cls, value: Any) -> Any:
        """Say why a kind has no canaries, where its key for them is asked for."""
        if isinstance(value, Mapping) and "audit" in value and "audit" not in cls.model_fields:
            raise ValueError(
                f"audit: {cls.no_canaries}; what stands beside every private run is lower/noise_scale_family"
            )
        return value

    @classmethod
    def declared(cls) -> tuple[str, ...]:
        return (*super().declared(), *cls.public_figures, *cls.evaluation_figures)

    @classmethod
    def publishable(cls, name: str) -> bool:
        """Whether a run to be released may keep the figure of this name.

        >>> PrivateParameters.publishable("accuracy")
        False
        """
        return fits(name, (*cls.public_figures, *cls.evaluation_figures))

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


class JudgedParameters(PrivateParameters):
    """Parameters of a run whose settings may be chosen: it can be judged without a look at any test record."""

    judged_on: JudgedOn = Field(
        default="test",
        exclude_if=lambda value: value == "test",
        description="validation: a sixth of the training records, held out by a public rule and not trained on, stands "
        "for the test records, and no test record is read (`wassdp.data.held_out`)",
    )

    def nothing_to_release(self) -> str | None:
        if self.release and self.judged_on == "validation":
            return (
                "release true, judged_on validation: training records that are held out are judged without noise, and "
                "no budget covers them"
            )
        return super().nothing_to_release()

    def training_records(self, dataset: str) -> int:
        """Records of a dataset's training split that are trained on."""
        return held_out.trained_on(dataset, descriptor(dataset).counts["train"], self.judged_on)

    def splits(self, dataset: str) -> Splits:
        """Records of a dataset, those that judge the run as its test split.

        Raises:
            DatasetUnavailable: the dataset cannot be had.
        """
        return held_out.judged(data.load(dataset), dataset, self.judged_on)


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

    def begin(self) -> None:
        """Forget what an earlier attempt recorded: the run goes from its beginning, and these are no lines of it."""
        (self.folder / HISTORY).unlink(missing_ok=True)

    def count_attempt(self) -> None:
        """Count one more attempt that draws noise of its own; the count outlives the attempt, and its outcome too."""
        write_json(self.folder / ATTEMPTS, {"drew_noise": self.attempts + 1})

    @property
    def attempts(self) -> int:
        """How many attempts at this run, counted by `count_attempt`, began to draw noise.

        Raises:
            ValueError: the file is damaged.
        """
        path = self.folder / ATTEMPTS
        if not path.exists():
            return 0
        return checks.whole(f"{path}: drew_noise", read_object(path).get("drew_noise", 0), least=1)

    def record(self, axis: str, position: float, metrics: Mapping[str, float]) -> None:
        """Log progress, and append it to ``history.jsonl``, which trackers may read while the run goes on.

        The outcome's history is what counts; a line cut short by a kill stays by itself, and is dropped when read.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"time": time.time(), "axis": axis, "position": position, "metrics": dict(metrics)}) + "\n"
        with (self.folder / HISTORY).open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(line.encode())
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
        attacks: lower bounds that attacks on the run measured.
        notes: what was found in words, by name, beside the figures; of a run to be released there are none.
    """

    metrics: dict[str, float]
    history: tuple[Point, ...] = ()
    event: Event | None = None
    delta: float | None = None
    device: str = "cpu"
    earlier_seconds: float = 0.0
    accounted_at: Schedule | None = None
    pictures: Mapping[str, str] = field(default_factory=dict)
    attacks: tuple[Attacked, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    def check(self, kind: str, parameters: Parameters) -> None:
        """Refuse what could not be accounted for, shown or released.

        A private run without an event, an event without a delta, metrics that are no finite numbers or lack the
        headline, figures of a release that are not declared.

        Raises:
            ValueError: one line naming the kind, the figure and what is allowed.
        """
        metrics: Mapping[str, Any] = self.metrics
        for name, value in metrics.items():
            if not isinstance(value, Real) or not math.isfinite(value):
                shown = " ".join(repr(value).split())
                shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
                raise ValueError(f"kind {kind}: metric {name} = {shown}: must be a finite number, e.g. float(...)")
        if self.event is None and parameters.expected_event() is not None:
            raise ValueError(f"kind {kind}: event = None: must say what was released, as expected_event() announces")
        if self.event is not None and self.delta is None:
            raise ValueError(f"kind {kind}: delta = None: must be the delta at which the event is accounted for")
        headline = parameters.measured_headline()
        released = isinstance(parameters, PrivateParameters) and parameters.release
        # A run to be released leaves out its headline where that reads private records.
        if headline is not None and headline not in metrics and not released:
            raise ValueError(
                f"kind {kind}: headline = {headline!r}: must be one of the metrics that the run returns "
                f"({', '.join(metrics) or 'it returns none'})"
            )
        if isinstance(parameters, PrivateParameters) and parameters.release:
            if self.notes:
                raise ValueError(f"kind {kind}: release true keeps notes ({', '.join(self.notes)}); leave them out")
            for name in (*self.metrics, *(point.metric for point in self.history)):
                if not parameters.publishable(name):
                    raise ValueError(
                        f"kind {kind}: release true keeps {name}; leave it out, or declare it in public_figures or "
                        "evaluation_figures of Parameters if no private record enters it without noise"
                    )
