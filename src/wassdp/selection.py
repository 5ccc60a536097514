"""How settings come about: a declared search on validation records, and the fact that stands beside every headline."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from wassdp import checks
from wassdp.files import canonical_json
from wassdp.metric_words import metric_words
from wassdp.sections import Section

NONE, NOT_RECORDED, READ = "none", "not recorded", "test accuracies were read"
KNOWN = "test accuracies were known when the search was set up"
"""Said of a search on validation records whose space, fixed settings or objective test accuracies had a part in."""
VALIDATION = re.compile(f"validation, ([1-9][0-9]*) trials?(; {KNOWN})?")
STATED = "the number of trials is stated, with no frozen file"
"""What is said of a search on validation records that `wassdp tune` and `wassdp freeze` did not make."""
Selection = Annotated[
    str,
    Field(
        pattern=rf"^({NONE}|{NOT_RECORDED}|{VALIDATION.pattern}|{READ})$",
        description=f"what settings were chosen by: {NONE}, {NOT_RECORDED}, validation, N trials (; {KNOWN}), or "
        f"{READ}; beside a space the last one says that {KNOWN}",
    ),
]


def by_validation(trials: int, *, known: bool = False) -> str:
    """The fact that a setting was chosen by so many results on validation records.

    Args:
        trials: how many.
        known: whether test accuracies had a part in what was not searched.

    >>> by_validation(8), by_validation(1)
    ('validation, 8 trials', 'validation, 1 trial')
    """
    number = checks.whole("trials", trials, least=1)
    return f"validation, {number} trial{'s' * (number > 1)}" + f"; {KNOWN}" * known


def informed(selection: object) -> bool:
    """Whether test accuracies are known to have had a part in a setting.

    Args:
        selection: one fact or several in a text; anything else, as what a table has in place of none, says nothing.

    >>> informed(READ), informed(by_validation(8, known=True)), informed(by_validation(8)), informed(NOT_RECORDED)
    (True, True, False, False)
    """
    return isinstance(selection, str) and (READ in selection or KNOWN in selection)


def optimistic(selection: object) -> bool:
    """Whether test accuracies had a part in a setting, or nobody can tell: its own test accuracy may be too good.

    Args:
        selection: as of `informed`.

    >>> optimistic(READ), optimistic(NOT_RECORDED), optimistic(by_validation(8)), optimistic(NONE), optimistic(None)
    (True, True, False, False, False)
    """
    return informed(selection) or (isinstance(selection, str) and NOT_RECORDED in selection)


class Range(Section):
    """Numbers between two bounds, both included."""

    low: float
    high: float
    log: bool = Field(default=False, description="uniform on a logarithmic scale")
    integer: bool = Field(default=False, description="whole numbers alone")

    @model_validator(mode="after")
    def _ordered(self) -> Range:
        if not self.low < self.high:
            raise ValueError(f"low = {self.low:g}: must be below high = {self.high:g}")
        if self.log and self.low <= 0:
            raise ValueError(f"low = {self.low:g}: must be above 0 on a logarithmic scale")
        if self.integer and not (self.low.is_integer() and self.high.is_integer()):
            raise ValueError(f"low = {self.low:g}, high = {self.high:g}: must be whole, since integer is true")
        return self


class Values(Section):
    """A few values of any form."""

    values: list[Any] = Field(min_length=2)


Space = dict[str, Range | Values]


class Objective(Section):
    """One number that says how good a run is: larger is better.

    A metric, less what others lack to what they have to reach: accuracy, less what disparate impact lacks to four
    fifths, for instance. Of two groups' rates, either may be the larger: a ratio counts as itself or its inverse,
    whichever is smaller.
    """

    metric: str = Field(min_length=1, description="of the run, e.g. accuracy")
    at_least: dict[str, float] = Field(default_factory=dict, description="metric to what it has to reach")
    ratio_at_least: dict[str, Annotated[float, Field(gt=0, le=1)]] = Field(
        default_factory=dict,
        exclude_if=lambda value: not value,
        description="metric that is a ratio, 1 at best, to what it and its inverse have to reach",
    )

    def value(self, metrics: Mapping[str, float]) -> float:
        """The number of a run; a metric that is not defined for it lacks everything.

        >>> fair = Objective(metric="accuracy", ratio_at_least={"disparate_impact": 0.8})
        >>> [round(fair.value({"accuracy": 0.8, "disparate_impact": ratio}), 3) for ratio in (0.7, 1.2, 2.0)]
        [0.7, 0.8, 0.5]

        Raises:
            ValueError: the run has no such metric.
        """
        if self.metric not in metrics:
            raise ValueError(f"metric = {self.metric!r}: must be one of {', '.join(sorted(metrics))}")
        reached = [(least, metrics.get(name, 0.0)) for name, least in self.at_least.items()]
        reached += [(least, evened(metrics.get(name, 0.0))) for name, least in self.ratio_at_least.items()]
        return metrics[self.metric] - sum(max(0.0, least - value) for least, value in reached)

    def describe(self) -> str:
        """The number in words."""
        lacks = [f", less what {name} lacks to {least:g}" for name, least in self.at_least.items()]
        lacks += [
            f", less what {name} or its inverse lacks to {least:g}" for name, least in self.ratio_at_least.items()
        ]
        return metric_words(self.metric) + "".join(lacks).replace("_", " ")


def evened(value: float) -> float:
    """The smaller of a ratio of two rates and its inverse: 1 where they are alike, whichever is larger.

    >>> evened(0.8), evened(1.25), evened(0.0)
    (0.8, 0.8, 0.0)
    """
    return min(value, 1 / value) if value > 0 else 0.0


class Compared(Section):
    """Where an experiment's runs stand in a comparison of methods at equal proven budgets."""

    task: str = Field(pattern="^[a-z0-9][a-z0-9-]*$", description="methods of one task share figure and table")
    problem: str = Field(min_length=1, description="methods of one problem are ranked against each other")
    method: str = Field(min_length=1, description="what people call it")
    objective: Objective
    epsilon: str | None = Field(
        default=None, description="dotted name of the parameter that is the budget; null: the method has none"
    )
    releases_nothing: bool = Field(
        default=False, description="nothing of private records enters it: it is ranked at every budget"
    )
    public: str = Field(default="none", min_length=1, description="public data that it uses")


class Protocol(Section):
    """A search for the settings of every experiment that declares a ``space``: for each point of its grid by itself."""

    trials: int = Field(ge=1, le=10_000, description="of every method at every budget")
    seed: int = Field(default=0, ge=0, lt=2**63, description="of the search and of every trial")


class Frozen(Section):
    """What stands in a configuration whose settings were chosen: it counts as long as nothing in it changes."""

    configuration: str = Field(description="SHA-256 of the configuration that declared the search")
    protocol: Protocol
    commit: str | None = Field(description="of the code that froze it")
    trials: dict[str, str] = Field(description="file of trials, beside this one, to its SHA-256")
    digest: str = Field(description="SHA-256 of everything else in this file, as canonical JSON")
    source: str | None = Field(
        default=None,
        description="the configuration's file, relative to this one, whose folder has the record of readings; null: "
        "this one's folder has it",
    )
    follows: str | None = Field(
        default=None,
        description="digest of the configuration that test records were read for, whose unchanged experiments it keeps",
    )


def digest(configuration: Mapping[str, Any]) -> str:
    """SHA-256 of a frozen configuration, without its own digest.

    >>> digest({"preset": "a", "frozen": {"digest": "b"}}) == digest({"frozen": {"digest": "c"}, "preset": "a"})
    True
    """
    rest = {key: value for key, value in configuration["frozen"].items() if key != "digest"}
    return sha256({**configuration, "frozen": rest})


def sha256(value: Any) -> str:
    """SHA-256 (64 hex digits) of a JSON value."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def check_frozen(configuration: Mapping[str, Any]) -> None:
    """Refuse a frozen configuration that is not as it was frozen.

    Raises:
        ValueError: it is not.
    """
    frozen = configuration.get("frozen")
    if isinstance(frozen, Mapping) and frozen.get("digest") != digest(configuration):
        raise ValueError("frozen: the configuration was changed after it was frozen (its digest is of another content)")
