"""Where two sets of results differ beyond their seeds' spread.

Runs that differ in nothing but their seed form a group, a setting. Where no group of the other set has the very same
parameters, since one was computed before a parameter was there or had its name, the one that its plan calls by the same
name is it, if no parameter that both have differs. For each figure of a group, the means of both
sets are compared: where there is spread between seeds by Student's two-sample t test with pooled
variance, else (single seeds, or no spread) by their relative difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.special import stdtrit

from wassdp import checks
from wassdp.accounting.rounding import kind_of, rounded
from wassdp.files import canonical_json
from wassdp.labels import flat, title
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.pipeline.plan import PlannedRun
from wassdp.result import Result

# Two-sided level of a Gaussian's three standard errors.
LEVEL = 0.0027
TOLERANCE = 1e-6

Groups = dict[str, dict[Any, Result]]
"""All runs but for their seed, as text, to seed to result."""
Verdict = Literal["equal", "within spread", "differs"]


@dataclass(frozen=True)
class Difference:
    """One figure of one group, compared.

    Args:
        group: readable name of the group.
        figure: metric, ``epsilon/<kind>/<accountant>``, or what else was compared.
        verdict: ``equal`` means bit for bit, seed by seed.
        reason: one line.
        tested: whether chance decided, i.e. Student's test was used.
    """

    group: str
    figure: str
    verdict: Verdict
    reason: str
    tested: bool = False


@dataclass
class Differences:
    """Everything that was compared.

    Args:
        groups: number of groups that both sets have.
        runs: numbers of runs in either set.
        undigested: how many of them have no digest, so that nothing tells whether they were changed by hand.
        differences: one entry per figure and group.
        only_first, only_second: names of groups that only one set has.
        seeds_first, seeds_second: runs whose group both have, but whose seed only one has.
        by_setting: names of groups that both sets have under other parameters, by what their plans call them.
        unattacked: whether a set, the first and the second, is older than attacks; then no lower bound is compared.
        level: of each test.
    """

    level: float
    groups: int = 0
    runs: tuple[int, int] = (0, 0)
    undigested: tuple[int, int] = (0, 0)
    differences: list[Difference] = field(default_factory=list)
    only_first: list[str] = field(default_factory=list)
    only_second: list[str] = field(default_factory=list)
    seeds_first: list[str] = field(default_factory=list)
    seeds_second: list[str] = field(default_factory=list)
    by_setting: list[str] = field(default_factory=list)
    unattacked: tuple[bool, bool] = (False, False)

    def with_verdict(self, verdict: Verdict) -> list[Difference]:
        """The figures with one verdict."""
        return [item for item in self.differences if item.verdict == verdict]

    @property
    def identical(self) -> bool:
        """Whether both sets have the same runs with the same figures, bit for bit; not where none was compared."""
        unmatched = (self.only_first, self.only_second, self.seeds_first, self.seeds_second)
        equal = len(self.with_verdict("equal"))
        return not any(unmatched) and 0 < equal == len(self.differences)

    @property
    def differ(self) -> bool:
        """Whether the sets differ: in a figure beyond the spread, or in what was run."""
        return bool(self.with_verdict("differs") or self.only_first or self.only_second)

    @property
    def expected_false_alarms(self) -> float:
        """How many figures chance alone is expected to flag, if nothing differs (seeds independent and Gaussian)."""
        return self.level * sum(item.tested for item in self.differences)


def load(folder: Path) -> list[Result]:
    """All results in a results folder or a published folder; with a plan in it, only that plan's.

    Raises:
        ValueError: there is none, or one breaks the schema or was changed after it was written. Results that were
            published before there were digests have none; `Differences.undigested` counts them.
    """
    if not folder.is_dir():
        raise ValueError(f"{str(folder)!r}: must be a results folder or a published folder")
    found = stored.load(folder, list(settings(folder)) or None, undigested=True)
    if not found:
        raise ValueError(f"{str(folder)!r}: holds no runs/<id>/result.json, nor archives of them")
    return list(found.values())


def settings(folder: Path) -> dict[str, PlannedRun]:
    """Run to its row in the plan of ``folder``; none without a plan."""
    path = plans.find(folder)
    return {row.run: row for row in reversed(plans.read(path).runs)} if path.is_file() else {}


def differences(
    first: Sequence[Result],
    second: Sequence[Result],
    *,
    level: float = LEVEL,
    tolerance: float = TOLERANCE,
    curves: bool = False,
    ignore: Sequence[str] = (),
    planned: Mapping[str, PlannedRun] | None = None,
) -> Differences:
    """Compare two sets of results; provenance is ignored.

    Args:
        first: one set.
        second: the other.
        level: two-sided level of each test, in (0, 1).
        tolerance: relative difference up to which figures count as the same, at least 0.
        curves: compare each point of each curve too.
        ignore: patterns of figures to leave out, e.g. ``job/*``.
        planned: run to its row in a plan (`settings`), of both sets.
    """
    planned = {} if planned is None else planned
    checks.open_unit("level", level)
    checks.non_negative("tolerance", tolerance)
    one, two = _grouped(first), _grouped(second)
    found = Differences(level=level, runs=(len(first), len(second)))
    found.undigested = (_undigested(first), _undigested(second))
    found.unattacked = (_unattacked(first), _unattacked(second))
    if any(found.unattacked):
        ignore = (*ignore, "*/lower/*")
    pairs = {key: key for key in one if key in two} | _matched(one, two, planned)
    alone = (
        [_any(runs) for key, runs in one.items() if key not in pairs],
        [_any(runs) for key, runs in two.items() if key not in pairs.values()],
    )
    found.only_first = [_name(result, planned, alone[1]) for result in alone[0]]
    found.only_second = [_name(result, planned, alone[0]) for result in alone[1]]
    for key, left in one.items():
        if key not in pairs:
            continue
        right = two[pairs[key]]
        if pairs[key] != key:
            names = (_name(_any(runs), planned) for runs in (left, right))
            found.by_setting.append(" as ".join(dict.fromkeys(names)))
        found.groups += 1
        name = _name(_any(left), planned)
        found.seeds_first += [f"{name} seed={seed}" for seed in left if seed not in right]
        found.seeds_second += [f"{name} seed={seed}" for seed in right if seed not in left]
        figures_left = {seed: _figures(run, curves) for seed, run in left.items()}
        figures_right = {seed: _figures(run, curves) for seed, run in right.items()}
        for figure in _keys(figures_left, figures_right):
            if any(fnmatch(figure, pattern) for pattern in ignore):
                continue
            sides = [
                {seed: figures[figure] for seed, figures in side.items() if figure in figures}
                for side in (figures_left, figures_right)
            ]
            lone = [seed for seed in left.keys() & right.keys() if (seed in sides[0]) != (seed in sides[1])]
            if lone and all(sides):
                reason = f"only one set has it for seed {', '.join(map(str, sorted(lone)))}"
                found.differences.append(Difference(name, figure, "differs", reason))
            else:
                found.differences.append(_judge(name, figure, sides[0], sides[1], level, tolerance))
    return found


def _grouped(results: Sequence[Result]) -> Groups:
    groups: Groups = {}
    for result in results:
        rest = {key: value for key, value in result.spec.items() if key != "seed"}
        groups.setdefault(canonical_json(rest), {})[result.spec.get("seed")] = result
    return groups


def _matched(one: Groups, two: Groups, planned: Mapping[str, PlannedRun]) -> dict[str, str]:
    """Of the groups that only one set has, those that are one setting: key in the first set to key in the second."""
    named = {run: f"{row.experiment}: {row.name.rsplit('seed=', 1)[0].strip()}" for run, row in planned.items()}
    by_name: dict[str | None, list[str]] = {}
    for key in two.keys() - one:
        by_name.setdefault(named.get(_any(two[key]).run), []).append(key)
    pairs: dict[str, str] = {}
    for key in one.keys() - two:
        name = named.get(_any(one[key]).run)
        alike = [other for other in by_name.get(name, []) if _agree(_any(one[key]).spec, _any(two[other]).spec)]
        if name is not None and len(alike) == 1 and alike[0] not in pairs.values():
            pairs[key] = alike[0]
    return pairs


def _any(runs: dict[Any, Result]) -> Result:
    return next(iter(runs.values()))


def _agree(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Whether two specifications are equal in kind and in every parameter that both have."""
    first, second = (flat(spec.get("parameters", {}), "parameters.") for spec in (left, right))
    return left.get("kind") == right.get("kind") and all(first[key] == second[key] for key in first.keys() & second)


def _undigested(results: Sequence[Result]) -> int:
    return sum(item.digest is None for item in results)


def _unattacked(results: Sequence[Result]) -> bool:
    """Whether budgets stand there, and beside none of them a lower bound: such results are older than attacks."""
    kinds = {item.kind for result in results for item in result.guarantees}
    return bool(kinds) and "lower" not in kinds


def _name(result: Result, planned: Mapping[str, PlannedRun], others: Sequence[Result] = ()) -> str:
    """What people call the group of ``result``: by its label, else by kind and parameters, as far as they fit a line.

    With the parameters in which it differs from one of ``others`` that is called the same.
    """
    row = planned.get(result.run)
    if row is None:
        parameters = canonical_json(result.spec.get("parameters", {}))
        return f"{result.spec.get('kind')} {parameters if len(parameters) <= 160 else parameters[:159] + '…'}"
    name = title(row.experiment, row.label)
    for other in others:
        if other.run in planned and _name(other, planned) == name:
            values, theirs = (flat(item.spec.get("parameters", {})) for item in (result, other))
            own = [f"{key} = {value}" for key, value in values.items() if theirs.get(key) != value or key not in theirs]
            return f"{name} ({', '.join(own) or 'without ' + ', '.join(theirs.keys() - values)})"
    return name


def _figures(result: Result, curves: bool) -> dict[str, float | str | None]:
    """All figures of a run: numbers, None where unbounded, and text for what a budget is about."""
    found: dict[str, float | str | None] = dict(result.metrics)
    found["delta"] = result.delta if result.delta is not None else "none"
    for item in result.guarantees:
        found[f"epsilon/{item.label}"] = item.epsilon
        about = [f"delta = {item.delta!r}", item.adjacency, item.sampling, *item.assumptions]
        found[f"statement/{item.label}"] = "; ".join(about)
    if curves:
        for point in result.history:
            found[f"{point.metric} at {point.axis} {point.position:g}"] = point.value
    return found


def _keys(*sides: dict[Any, dict[str, float | str | None]]) -> list[str]:
    return list(dict.fromkeys(key for side in sides for figures in side.values() for key in figures))


def _judge(
    group: str,
    figure: str,
    left: dict[Any, float | str | None],
    right: dict[Any, float | str | None],
    level: float,
    tolerance: float,
) -> Difference:
    """Compare one figure of one group; keys are seeds."""
    if not left or not right:
        return Difference(group, figure, "differs", f"only the {'first' if left else 'second'} set has it")
    if left == right:
        return Difference(group, figure, "equal", f"the same for {len(left)} seeds")
    if any(isinstance(value, str) for value in (*left.values(), *right.values())):
        return _judge_texts(group, figure, left, right)
    missing = [sum(value is None for value in side.values()) for side in (left, right)]
    if missing[0] * len(right) != missing[1] * len(left) or any(
        (left[seed] is None) != (right[seed] is None) for seed in left.keys() & right.keys()
    ):
        counts = [f"{count} of {len(side)}" for count, side in zip(missing, (left, right), strict=True)]
        return Difference(group, figure, "differs", f"unbounded for {counts[0]} seeds against {counts[1]}")
    values = [
        np.array([value for value in side.values() if isinstance(value, int | float)], dtype=float)
        for side in (left, right)
    ]
    if not all(len(side) for side in values):
        return Difference(group, figure, "equal", "unbounded in both")
    return _judge_numbers(group, figure, values[0], values[1], level, tolerance)


def _judge_texts(
    group: str, figure: str, left: dict[Any, float | str | None], right: dict[Any, float | str | None]
) -> Difference:
    """Compare texts, which have no spread: seed by seed, and those of seeds that only one side has as sets."""
    first, second = set(left.values()), set(right.values())
    if first != second:
        texts = (" | ".join(sorted(map(str, side))) for side in (first, second))
        return Difference(group, figure, "differs", " against ".join(texts))
    for seed, text in left.items():
        if seed in right and right[seed] != text:
            return Difference(group, figure, "differs", f"of seed {seed}: {text} against {right[seed]}")
    if len(first) == 1:
        return Difference(group, figure, "equal", "the same text")
    return Difference(group, figure, "within spread", "the same texts, of other seeds")


def _judge_numbers(
    group: str, figure: str, left: np.ndarray, right: np.ndarray, level: float, tolerance: float
) -> Difference:
    r"""Compare two samples of numbers.

    .. math:: t = \frac{|\bar a - \bar b|}{s \sqrt{1/n_a + 1/n_b}}, \quad
        s^2 = \frac{\sum (a - \bar a)^2 + \sum (b - \bar b)^2}{n_a + n_b - 2}

    against the quantile of Student's t with n_a + n_b - 2 degrees of freedom.
    Source: Student (1908), Biometrika 6, "The probable error of a mean".
    """
    means = float(left.mean()), float(right.mean())
    gap = abs(means[0] - means[1])
    relative = gap / max(abs(means[0]), abs(means[1])) if gap else 0.0
    texts = [rounded(mean, kind_of(figure), digits=6) for mean in means]
    shown = f"{texts[0]} against {texts[1]} ({len(left)} and {len(right)} seeds)"
    freedom = len(left) + len(right) - 2
    scatter = float(((left - means[0]) ** 2).sum() + ((right - means[1]) ** 2).sum())
    error = math.sqrt(scatter / freedom * (1 / len(left) + 1 / len(right))) if freedom > 0 else 0.0
    if relative <= tolerance:
        return Difference(group, figure, "within spread", f"{shown}: relative difference {relative:.1e}")
    if error <= tolerance * max(abs(means[0]), abs(means[1])):
        reason = f"{shown}: relative difference {relative:.1e} without spread, above {tolerance:g}"
        return Difference(group, figure, "differs", reason)
    most = float(stdtrit(freedom, 1 - level / 2))
    reason = f"{shown}: {gap / error:.1f} standard errors of {error:.2g}, {most:.1f} allowed"
    return Difference(group, figure, "differs" if gap > most * error else "within spread", reason, tested=True)
