"""A claim that matters, as data: what a paper says, and which published runs show what it is worth.

It holds no figure of its own. What the paper prints stands in `wassdp.claims.printed`; all else is read from the runs
that are named here, by the set that they are published in, their experiment and their setting's label.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A value that a paper prints: where in `wassdp.claims.printed` it stands."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, kw_only=True)
class Shown:
    """All seeds of one setting of a published set.

    Args:
        set: folder of ``docs/results``.
        experiment: its name.
        setting: its label.
        accuracy: column of ``runs.csv`` that says how good a run is, a share in [0, 1]; None where nothing does.
    """

    set: str
    experiment: str
    setting: str
    accuracy: str | None = None


@dataclass(frozen=True, kw_only=True)
class Pick:
    """One column of the runs of one setting, for a sentence: the mean over its seeds, of proven budgets the largest."""

    runs: Shown
    column: str


@dataclass(frozen=True)
class Picks:
    """Picks of one published set, by experiment, setting and column.

    >>> Picks("attacks")("final-model-mnist", "linear", "records").runs.set
    'attacks'
    """

    set: str

    def __call__(self, experiment: str, setting: str, column: str = "accuracy") -> Pick:
        return Pick(runs=Shown(set=self.set, experiment=experiment, setting=setting), column=column)


@dataclass(frozen=True, kw_only=True)
class Below:
    """That one figure is less than another: of seeds the mean, of budgets the worst, as the text shows them.

    Args:
        low: name of a figure, or a number.
        high: likewise.
        times: so many times ``low`` is still less than ``high``.
    """

    low: str | float
    high: str | float
    times: float = 1.0


@dataclass(frozen=True, kw_only=True)
class NotAbove:
    """That ``first`` is above ``second`` by no more than their seeds alone may make of it.

    It is judged by `wassdp.claims.paired_seeds.paired`: differences seed by seed, Student's interval at 95 %.

    Args:
        first: name of a pick.
        second: name of a pick of the same seeds.
    """

    first: str
    second: str


@dataclass(frozen=True, kw_only=True)
class Above:
    """That ``first`` is above ``second`` by more than their seeds alone may make of it, as `NotAbove` judges it.

    Args:
        first: name of a pick.
        second: name of a pick of the same seeds.
    """

    first: str
    second: str


Comparison = Below | NotAbove | Above


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What was found in a published set, in a sentence.

    Args:
        text: a Jinja template over ``picks`` and ``seeds``; it holds no figure of its own but the paper's.
        picks: the figures that it names, of runs of that set.
        seeds: by names of the template, picks that have equally many seeds (none named: all), shown as "three seeds";
            a page of runs that have not is refused.
        says: what its words say of them without a figure; a page that would say it of runs that do not show it is
            refused.
    """

    text: str
    picks: Mapping[str, Pick]
    seeds: Mapping[str, Collection[str]] = field(default_factory=dict)
    says: tuple[Comparison, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SelectedClaim:
    """A claim with the runs beside it.

    Templates are Jinja's, over ``claimed``, ``attacked``, ``proven``, ``honest`` (ε as text, rounded as its kind asks),
    ``printed_accuracy``, ``accuracy`` and ``honest_accuracy`` (percent), ``settings`` and the names in ``picks``.

    Args:
        place: among all, from 1.
        paper: its folder's name in `wassdp.claims.printed`.
        where: table, figure or section.
        title: what it is about, in a line; a template.
        words: the paper's own.
        claimed: the printed ε, or the published accountant whose figure for these runs it is.
        accuracy: the printed accuracy, in percent; None where none is.
        same: the runs that do as the paper says, and as its authors' code does where the paper leaves something open.
        unattacked: why no attack stands beside them, where none does.
        honest: runs at a proven budget that show what it buys, or why there are none.
        finding: what follows, in a few sentences; a template.
        picks: other figures that the templates name.
        seeds: numbers of seeds that they name, as in `Finding`.
        says: what ``finding`` says of figures in words, as in `Finding`; other names are ``claimed``, ``attacked``,
            ``attacked_family``, ``proven``, ``honest``, ``accuracy`` and ``honest_accuracy``.
    """

    place: int
    paper: str
    where: str
    title: str
    words: str
    claimed: Printed | str
    same: Shown
    honest: Shown | str
    finding: str
    accuracy: Printed | None = None
    unattacked: str = ""
    picks: Mapping[str, Pick] = field(default_factory=dict)
    seeds: Mapping[str, Collection[str]] = field(default_factory=dict)
    says: tuple[Comparison, ...] = ()
