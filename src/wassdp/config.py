"""The configuration: what to compute, never where or how fast. Typed, and strict about every key.

Imports no torch: every workflow job reads the configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from wassdp import checks, complaints, yaml_files
from wassdp.accounting import accountant
from wassdp.experiments import KINDS, PHASES
from wassdp.explained import NAME, SLUG, explain
from wassdp.ranges import AccountedDelta
from wassdp.report.figures import FIGURES
from wassdp.report.kinds import Figure, Output, Table
from wassdp.report.tables import TABLES
from wassdp.sections import Section, Text
from wassdp.selection import Compared, Frozen, Protocol, Selection, Space, check_frozen

# Names of files and folders; a file system takes 255 bytes with the suffix.
Slug = Annotated[str, Field(pattern=SLUG, max_length=100, description="lower-case words joined by hyphens")]


Name = Annotated[str, Field(pattern=NAME, description="letters, digits, dots, hyphens, underscores")]

Seed = Annotated[int, Field(ge=0, lt=2**63)]

SECTIONS = {"figures": FIGURES, "tables": TABLES}
MADE: dict[str, type[Output]] = {"figures": Figure, "tables": Table}
"""What the files of each section define."""


Where = Annotated[
    dict[str, Any], Field(description="dotted parameter name to the value that a run must have for it; empty: all")
]


def concerns(where: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    """Whether a run with these parameters has those that ``where`` names.

    >>> concerns({"method.name": "sliced"}, {"method": {"name": "sliced", "labels": "outer"}})
    True
    """
    return all(parameter(parameters, name) == value for name, value in where.items())


def parameter(parameters: Any, dotted: str) -> Any:
    """The parameter of that name; None where there is none."""
    for part in dotted.split("."):
        parameters = parameters.get(part) if isinstance(parameters, Mapping) else None
    return parameters


class AccountantChoice(Section):
    """An accountant to apply, by the name of its file."""

    name: str = Field(max_length=100, description="file of wassdp.accounting.accountants.upper or .published")
    label: Name | None = Field(default=None, description="name in results; needed if one accountant is used twice")
    options: dict[str, Any] = Field(default_factory=dict, description="keyword arguments of the accountant")
    delta: AccountedDelta | None = Field(default=None, description="in place of the run's own delta")
    where: Where = Field(default_factory=dict, exclude_if=lambda where: not where)

    @property
    def key(self) -> str:
        """The accountant's name in results."""
        return self.label or self.name

    @field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        return checks.one_of("accountant", name, accountant.names().keys())

    @model_validator(mode="after")
    def _own_label(self) -> AccountantChoice:
        others = {name.casefold() for name in accountant.names()} - {self.name.casefold()}
        if self.label is not None and self.label.casefold() in others:
            raise ValueError(f"label = {self.label!r}: is the name of another accountant than {self.name}")
        return self

    @model_validator(mode="after")
    def _constructible(self) -> AccountantChoice:
        if self.options:  # importing an accountant costs time: only where there is something to check
            try:
                accountant.load(self.name, **self.options)
            except TypeError as error:
                allowed = ", ".join(accountant.options(self.name)) or "none"
                reason = complaints.readable(str(error))
                raise ValueError(f"options of accountant {self.name}: {reason}; allowed: {allowed}") from error
        return self


def _by_name(value: Any) -> Any:
    """Accountants, of which one without options may be its name alone."""
    if isinstance(value, str):
        raise ValueError(f"must be a list, such as [{complaints.shown(value)}]")
    return [{"name": item} if isinstance(item, str) else item for item in value] if isinstance(value, list) else value


Accountants = Annotated[list[AccountantChoice], BeforeValidator(_by_name)]


class AskedAccountants(Section):
    """Accountants by themselves, as an experiment has them."""

    accountants: Accountants


class FigureChoice(Section):
    """A figure or table to make from an experiment's runs."""

    name: Slug = Field(description="file name of the figure, e.g. figure-2")
    kind: str = Field(description="file of wassdp.report.figures or wassdp.report.tables")
    options: dict[str, Any] = Field(default_factory=dict, description="options of the kind")


class Remark(Section):
    """What a reader of some runs' budgets or accuracies has to know, beside their rows in the ledger."""

    text: Text = Field(description="what is to be said")
    where: Where = Field(default_factory=dict)


class Experiment(Section):
    """A grid of runs of one kind, with the budgets and figures to make of them."""

    name: Slug
    paper: Slug = Field(description="the paper whose claim this examines; folder of the figures")
    kind: str = Field(description="file of wassdp.experiments")
    parameters: dict[str, Any] = Field(default_factory=dict, description="parameters that all runs share")
    grid: dict[str, list[Any]] = Field(
        default_factory=dict,
        description="dotted parameter name to the values that it takes; all combinations run; * in a plug-in's name "
        "stands for any letters",
    )
    settings: list[dict[str, Any]] = Field(
        default_factory=list,
        description="dotted parameter names to values that belong together; each is run with all of the grid",
    )
    space: Space = Field(
        default_factory=dict, description="dotted parameter name to what a search may choose (`wassdp tune`)"
    )
    compared: Compared | None = Field(default=None, description="its place in a comparison of methods")
    label: Text | None = Field(
        default=None,
        description="what people call a setting, with {dotted.name} for a parameter's value; null: as its kind says",
    )
    seeds: list[Seed | None] = Field(
        default=[0],
        min_length=1,
        description="one run each; null: the bits of sampling and noise come from the operating system and are kept "
        "nowhere, for releases about real people",
    )
    accountants: Accountants = Field(default_factory=list)
    figures: list[FigureChoice] = Field(default_factory=list)
    tables: list[FigureChoice] = Field(default_factory=list)
    search: Text | None = Field(
        default=None,
        description="how settings were chosen and what was read for it, which is in no epsilon; none: not at all",
    )
    selection: Selection | None = Field(default=None, description="the same as one of a few facts; null: not recorded")
    remarks: list[Remark] = Field(default_factory=list, description="what the ledger says beside some of the runs")
    claim: str | None = Field(
        default=None,
        description="the published accountant, by its name in results, whose figure is what the paper claims; "
        "null: the first of them",
    )

    def accountants_of(self, parameters: Mapping[str, Any]) -> list[AccountantChoice]:
        """The accountants of a run with these parameters, without what chose them."""
        chosen = [choice for choice in self.accountants if concerns(choice.where, parameters)]
        return [choice.model_copy(update={"where": {}}) for choice in chosen]

    @field_validator("kind")
    @classmethod
    def _known_kind(cls, kind: str) -> str:
        return KINDS.known(kind)

    @field_validator("grid")
    @classmethod
    def _values(cls, grid: dict[str, list[Any]]) -> dict[str, list[Any]]:
        for key, values in grid.items():
            if not values:
                raise ValueError(f"grid.{key} = []: must have at least one value")
        return grid

    @field_validator("seeds")
    @classmethod
    def _once(cls, seeds: list[int | None]) -> list[int | None]:
        if len(set(seeds)) != len(seeds):
            raise ValueError(f"seeds = {seeds}: must differ from each other")
        return seeds

    @model_validator(mode="after")
    def _consistent(self) -> Experiment:
        keys = [choice.key for choice in self.accountants]
        for key in keys:
            if keys.count(key) > 1:
                raise ValueError(f"accountants: {key} stands there twice; give each a label of its own")
        if self.claim is not None:
            folders = accountant.names()
            published = [item.key for item in self.accountants if folders[item.name] is accountant.PUBLISHED]
            if not published:
                none = f"none of this experiment's accountants is published ({', '.join(keys) or 'it has none'})"
                raise ValueError(f"claim = {complaints.shown(self.claim)}: {none}")
            checks.one_of("claim", self.claim, published)
        for section, choices in (("figures", self.figures), ("tables", self.tables)):
            for choice in choices:
                checks.one_of(f"{section}.{choice.name}.kind", choice.kind, SECTIONS[section].names())
        return self


class Config(Section):
    """A set of experiments under a name."""

    preset: Slug = Field(description="name of this set; published results go to docs/results/<preset>")
    experiments: list[Experiment] = Field(min_length=1)
    protocol: Protocol | None = Field(
        default=None, description="how settings are searched for; such a set is tuned, frozen, and only then tested"
    )
    frozen: Frozen | None = Field(default=None, description="written by `wassdp freeze`")

    @model_validator(mode="before")
    @classmethod
    def _as_frozen(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            check_frozen(value)
        return value

    @model_validator(mode="after")
    def _searched(self) -> Config:
        spaces = [experiment.name for experiment in self.experiments if experiment.space]
        if spaces and self.protocol is None:
            raise ValueError(f"experiments.{spaces[0]}.space: needs protocol, the number of trials of every method")
        if self.protocol is not None and not spaces:
            raise ValueError("protocol: no experiment has a space to search")
        if self.protocol is not None and self.frozen is not None:
            raise ValueError("protocol: a frozen configuration is not searched again")
        return self

    @model_validator(mode="after")
    def _unique(self) -> Config:
        names = [experiment.name for experiment in self.experiments]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"experiments: the name {name} stands there twice")
        seen: set[tuple[str, ...]] = set()
        for experiment in self.experiments:
            for choice in experiment.figures:
                target: tuple[str, ...] = (experiment.paper, choice.name)
                if target in seen:
                    raise ValueError(f"figures: {experiment.paper}/{choice.name} is made twice")
                seen.add(target)
            for choice in experiment.tables:
                if (choice.name,) in seen:
                    raise ValueError(f"tables: {choice.name} is made twice")
                seen.add((choice.name,))
        return self


def kind_module(kind: str) -> ModuleType:
    """The module of an experiment kind.

    Raises:
        ValueError: its file lacks something that `wassdp.experiments` asks for.
    """
    KINDS.offer(kind, "PHASE", "Parameters", "run")
    module = KINDS.load(kind)
    if module.PHASE not in PHASES:
        raise ValueError(f"kind {kind}: PHASE = {module.PHASE!r}: must be one of {', '.join(PHASES)}")
    return module


def figure_choice(value: Any) -> FigureChoice:
    """The choice of a figure or table by itself.

    Raises:
        ValueError: one line naming the key, the value and what is allowed.
    """
    try:
        return FigureChoice.model_validate(value)
    except ValidationError as error:
        raise ValueError(explain(error, value, FigureChoice)) from None


def output(section: str, choice: FigureChoice) -> Output:
    """The figure (``section`` figures) or table (tables) that was asked for, its options checked.

    Not part of `validate`, since it imports the drawing code: planning asks for it.

    Raises:
        ValueError: one line naming the option, the value and what is allowed.
    """
    kind = SECTIONS[section].choice(choice.kind, MADE[section])
    try:
        return kind.model_validate(choice.options)
    except ValidationError as error:
        raise ValueError(f"{section}.{choice.name}.options.{explain(error, choice.options, kind)}") from None


def construct(config: Config) -> None:
    """Construct every accountant and every figure's and table's options that a configuration names.

    Raises:
        ValueError: one of them cannot be.
    """
    for experiment in config.experiments:
        for accounting in experiment.accountants:
            accountant.load(accounting.name, **accounting.options)
        for section, choices in (("figures", experiment.figures), ("tables", experiment.tables)):
            for choice in choices:
                output(section, choice)


def validate(value: Any, *, source: str = "configuration") -> Config:
    """The configuration in ``value``.

    Raises:
        ValueError: one line naming the key, the value and what is allowed.
    """
    try:
        return Config.model_validate(value)
    except ValidationError as error:
        raise ValueError(f"{source}: {explain(error, value, Config)}") from None


def read(path: Path) -> Config:
    """The configuration in a YAML file.

    Raises:
        ValueError: the file does not parse or breaks the schema; one line.
        OSError: the file cannot be read.
    """
    if (value := yaml_files.read(path)) is None:
        raise ValueError(f"{path}: is empty; preset and experiments are needed")
    return validate(value, source=str(path))
