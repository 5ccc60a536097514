"""Put every budget that was asked for beside a run: from ``outcome.json`` to ``result.json``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wassdp.accounting import accountant, consistency
from wassdp.accounting.event import Event, decode
from wassdp.accounting.guarantee import Guarantee
from wassdp.config import AccountantChoice
from wassdp.pipeline.code import code_hash
from wassdp.result import Outcome, Point, Result, load_outcome, save


def account_code(choices: Sequence[AccountantChoice]) -> str:
    """Hash of the code that the budgets of a run depend on."""
    return code_hash(__name__, *(accountant.module(choice.name) for choice in choices))


def account(outcome_file: Path, out: Path, choices: Sequence[AccountantChoice]) -> Result:
    """Account for the outcome in ``outcome_file`` by every accountant in ``choices`` and write the result to ``out``.

    An accountant that does not support the run's event is a bad choice in the configuration.

    Raises:
        ValueError: an accountant does not support the event; the line says why.
        ContradictionError: an upper bound lies below the exact accountant's lower one.
    """
    outcome = load_outcome(outcome_file)
    guarantees: list[Guarantee] = []
    points: list[Point] = []
    event = None if outcome.event is None else decode(outcome.event)
    if event is not None:
        for choice in choices:
            found, along = _apply(choice, event, outcome)
            guarantees.append(found)
            points.extend(along)
        consistency.check(event, [(choice.name, found) for choice, found in zip(choices, guarantees, strict=True)])
    result = Result(
        run=outcome.run,
        spec=outcome.spec,
        guarantees=tuple(guarantees),
        delta=outcome.delta,
        metrics=outcome.metrics,
        history=(*outcome.history, *points),
        pictures=outcome.pictures,
        provenance=outcome.provenance,
        accounting_code=account_code(choices),
    )
    save(out, result)
    return result


def _apply(choice: AccountantChoice, event: Event, outcome: Outcome) -> tuple[Guarantee, list[Point]]:
    """The final budget and its course along the run, by one accountant."""
    delta = choice.delta or outcome.delta
    if delta is None:
        raise ValueError(f"run {outcome.run}: released something but names no delta")
    chosen = accountant.load(choice.name, **choice.options)
    refusal = chosen.supports(event)
    if refusal is not None:
        raise ValueError(f"accountant = {choice.name!r}: does not support this run ({refusal})")

    def labelled(guarantee: Guarantee) -> Guarantee:
        return guarantee.model_copy(update={"accountant": choice.key})

    schedule = outcome.accounted_at
    if schedule is None:
        return labelled(chosen.epsilon(event, delta)), []
    course = [labelled(item) for item in accountant.path(chosen, event, delta, schedule.steps)]
    points = [
        Point(metric=f"epsilon/{item.label}", axis=schedule.axis, position=position, value=item.epsilon)
        for position, item in zip(schedule.positions, course, strict=True)
    ]
    complete = schedule.steps and schedule.steps[-1] == getattr(event, "steps", None)
    final = course[-1] if complete else labelled(chosen.epsilon(event, delta))
    return final, points
