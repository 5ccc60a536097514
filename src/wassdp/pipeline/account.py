"""Put every budget that was asked for beside a run: from ``outcome.json`` to ``result.json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wassdp.accounting import accountant, consistency, sensitivities
from wassdp.accounting.event import EVENTS, Event, decode
from wassdp.accounting.guarantee import Guarantee
from wassdp.code import code_hash, verb_modules
from wassdp.config import AccountantChoice
from wassdp.result import Outcome, Point, Result, load_outcome, save


def account_code(choices: Sequence[AccountantChoice]) -> str:
    """Hash of the code that the budgets of a run depend on: every event's, since which one it is the run only knows."""
    accountants = (accountant.module(choice.name) for choice in choices)
    return code_hash(*verb_modules("account"), *map(EVENTS.module, EVENTS.names()), *accountants)


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
        published = event.under_published()
        claims: dict[bool, list[tuple[str, Guarantee]]] = {False: [], True: []}
        for choice in choices:
            for budget in _apply(choice, event, published, outcome):
                guarantees.append(budget.guarantee)
                points.extend(budget.course)
                claims[budget.as_published].append((choice.name, budget.guarantee))
        consistency.check(event, claims[False])
        if published is not None:
            consistency.check(published, claims[True])
    result = Result(
        run=outcome.run,
        spec=outcome.spec,
        outcome=outcome.digest,
        guarantees=tuple(guarantees),
        delta=outcome.delta,
        metrics=outcome.metrics,
        history=(*outcome.history, *points),
        pictures=outcome.pictures,
        provenance=outcome.provenance,
        accounting_code=account_code(choices),
    )
    return save(out, result)


@dataclass(frozen=True)
class _Budget:
    """One accountant's budget, its course along the run, and whether it reads the paper's sensitivity."""

    guarantee: Guarantee
    course: Sequence[Point]
    as_published: bool


def _apply(choice: AccountantChoice, event: Event, published: Event | None, outcome: Outcome) -> list[_Budget]:
    """The final budget and its course along the run, by one accountant.

    Where the paper bounds the sensitivity otherwise than this project, the final budgets under both: a proven
    accountant reads the tight one first, a published one that of the paper.
    """
    if published is None:
        return [_Budget(*_under(choice, event, outcome), as_published=False)]
    first = accountant.names()[choice.name] is not accountant.UPPER
    found = []
    for as_published in (first, not first):
        own, whose = (published, "the paper's published") if as_published else (event, "this project's tight")
        ending = sensitivities.PUBLISHED if as_published else sensitivities.TIGHT
        key = choice.key if as_published == first else f"{choice.key}{ending}"
        # Along the run, what the accountant reads first is enough.
        along = outcome if as_published == first else outcome.model_copy(update={"accounted_at": None})
        final, course = _under(choice, own, along)
        found.append(_Budget(_noted(final, key, own, whose), course, as_published))
    return found


def _noted(found: Guarantee, key: str, event: Event, whose: str) -> Guarantee:
    """``found`` under its key, saying which sensitivity it rests on."""
    notes = (*found.assumptions, sensitivities.note(event, whose))
    return found.model_copy(update={"accountant": key, "assumptions": notes})


def _under(choice: AccountantChoice, event: Event, outcome: Outcome) -> tuple[Guarantee, list[Point]]:
    """The final budget and its course along the run, by one accountant, for one reading of the event."""
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
    course = [labelled(item) for item in chosen.path(event, delta, schedule.steps)]
    points = [
        Point(metric=f"epsilon/{item.label}", axis=schedule.axis, position=position, value=item.epsilon)
        for position, item in zip(schedule.positions, course, strict=True)
    ]
    complete = schedule.steps and schedule.steps[-1] == getattr(event, "steps", None)
    final = course[-1] if complete else labelled(chosen.epsilon(event, delta))
    return final, points
