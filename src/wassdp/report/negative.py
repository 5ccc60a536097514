"""Results that came out against a method, from published sets: sentences whose figures are read, not written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wassdp.accounting.rounding import rounded, worst
from wassdp.claims.measurement import Row, labelled, mean, number, runs
from wassdp.claims.paired_seeds import CONFIDENCE, paired
from wassdp.files import RUNS, find_table

SLICED, EQUAL = "dp-sliced-wasserstein", "equal-budgets"
GRADIENT = "Wasserstein gradient, private encoder"
BUDGETS = (1, 3, 10)


def sentences(folder: Path) -> list[str]:
    """All of them that the published sets in ``folder`` bear out or not: figures stand as they are.

    Raises:
        ValueError: a set is there, and has no run of a setting that a sentence is about.
    """
    found = [
        *(_against_source_only(folder, task) for task in ("usps-mnist", "mnist-usps")),
        _noise_alone(folder),
        _adversarial(folder),
    ]
    return [text for text in found if text]


def _against_source_only(folder: Path, task: str) -> str:
    labels = ("source only, dropout in 1 epoch", "DP-SWD, as published")
    alone, private = (_of(folder, SLICED, f"adaptation-{task}", label) for label in labels)
    if not alone or not private:
        return ""
    alone, private = _same_seeds(alone, private)
    return (
        f"DP-SWD as published, {task.replace('-', ' to ')}, {_seeds(private)}: {_range(private)}; training on the "
        f"source alone, with the authors' dropout in one epoch, {_seeds(alone)}: {_range(alone)}. "
        f"{_difference(alone, private)}"
    )


def _same_seeds(first: Sequence[Row], second: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Runs of the seeds that both settings have.

    Raises:
        ValueError: they have none.
    """
    seeds = {row["seed"] for row in first} & {row["seed"] for row in second}
    if not seeds:
        raise ValueError(f"seeds: {first[0]['label']} and {second[0]['label']} have none in common")
    one, other = ([row for row in rows if row["seed"] in seeds] for rows in (first, second))
    return one, other


def _difference(before: Sequence[Row], after: Sequence[Row]) -> str:
    """Whether means over the same seeds can be told apart, in a sentence."""
    if len(before) == 1:
        return "One seed cannot tell the two apart."
    pair = paired(before, after, lambda row: number(row, "accuracy"))
    apart = abs(pair.after - pair.before) > pair.spread
    return (
        f"The two {'can' if apart else 'cannot'} be told apart: the difference is "
        f"{100 * (pair.after - pair.before):+.1f} ± {100 * pair.spread:.1f} points ({100 * CONFIDENCE:g} %, Student's, "
        f"seed by seed)."
    )


def _noise_alone(folder: Path) -> str:
    experiment = "adaptation-gradient-usps-mnist"
    own = [_of(folder, EQUAL, experiment, f"{GRADIENT}, ε = {budget}") for budget in BUDGETS]
    noise = [_of(folder, EQUAL, experiment, f"{GRADIENT}, noise alone, that of ε = {budget}") for budget in BUDGETS]
    if not all(own) or not all(noise):
        return ""
    return (
        f"The private Wasserstein gradient in an encoder that both sides share, usps to mnist, ε = {_budgets()}, mean "
        f"of {len(own[0])} seeds: {', '.join(map(_percent, own))}; its noise alone: {', '.join(map(_percent, noise))}."
    )


def _adversarial(folder: Path) -> str:
    """DP-DANN at its budgets, beside what needs none."""
    slow, fast = (
        tuple(f"DP-DANN, learning rate {rate}, ε = {budget}" for budget in (1, 10)) for rate in (0.0001, 0.001)
    )
    labels = ("DP-DANN, σ = 17", *slow, *fast, "source only, dropout in 1 epoch")
    found = [_of(folder, SLICED, "adaptation-mnist-usps", label) for label in labels]
    if not all(found):
        return ""
    published, one, ten, fast_one, fast_ten, alone = found
    proven = rounded(worst((number(row, "epsilon/upper/pld") for row in published), "upper"), "upper", digits=2)
    return (
        f"DP-DANN, mnist to usps: {_percent(published)} with σ = 17 ({_seeds(published)}), a proven ε of {proven}; "
        f"at a learning rate of .0001, {_percent(one)} at ε = 1 ({_seeds(one)}) and {_percent(ten)} at ε = 10 "
        f"({_seeds(ten)}); at .001, for which short trainings were tuned, {_percent(fast_one)} and "
        f"{_percent(fast_ten)}, mistuned and no result about DP-DANN; {_shorter(folder, fast_ten)}training on the "
        f"source alone, with the authors' dropout in one epoch, {_seeds(alone)}: {_percent(alone)}, and nothing of the "
        f"target is used."
    )


def _shorter(folder: Path, whole: Sequence[Row]) -> str:
    """The same method in fewer epochs."""
    found = [_of(folder, EQUAL, "adaptation-gradient-mnist-usps", f"DP-DANN, ε = {budget}") for budget in BUDGETS]
    if not all(found):
        return ""
    short, long = (number(row, "parameters.epochs") for row in (found[0][0], whole[0]))
    return (
        f"with it in {short:g} epochs rather than {long:g}, {', '.join(map(_percent, found))} at ε = {_budgets()} "
        f"({_seeds(found[0])}, set *{EQUAL}*; {found[0][0]['selection']}); "
    )


def _budgets() -> str:
    return ", ".join(map(str, BUDGETS))


def _of(folder: Path, published: str, experiment: str, label: str) -> list[Row]:
    """Runs of a setting; none where its set is not there, as among results of one's own."""
    found = labelled(runs(folder, published, experiment), label)
    if not found and find_table(folder / published, RUNS).is_file():
        raise ValueError(f"label = {label!r}: is of no run of {experiment} in {published}, as a negative result needs")
    return found


def _seeds(rows: Sequence[Row]) -> str:
    return f"seed {rows[0]['seed']}" if len(rows) == 1 else f"mean of {len(rows)} seeds"


def _percent(rows: Sequence[Row]) -> str:
    return f"{100 * mean(rows, 'accuracy'):.1f} %"


def _range(rows: Sequence[Row]) -> str:
    """The mean, with the least and the largest where there are several."""
    if len(rows) == 1:
        return _percent(rows)
    least, most = (100 * end(number(row, "accuracy") for row in rows) for end in (min, max))
    return f"{_percent(rows)} ({least:.1f} to {most:.1f})"
