"""Put every budget that was asked for beside a run: from ``outcome.json`` to ``result.json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wassdp.accounting import accountant, consistency, sensitivities
from wassdp.accounting.event import Event, decode
from wassdp.accounting.guarantee import Guarantee
from wassdp.audit import noise_scale
from wassdp.config import AccountantChoice
from wassdp.experiment import Parameters
from wassdp.pipeline.run_codes import account_code
from wassdp.result import Outcome, Point, Result, load_outcome, save
from wassdp.runs import parse
from wassdp.training.budget import says_nothing


def account(outcome_file: Path, out: Path, choices: Sequence[AccountantChoice]) -> Result:
    """Account for the outcome in ``outcome_file`` by every accountant in ``choices`` and write the result to ``out``.

    Beside them stands what attacks found: a lower bound, where there is one.

    An accountant that does not support the run's event is a bad choice in the configuration.

    Raises:
        ValueError: an accountant does not support the event, or its own delta says nothing about so many records; the
            line says why.
        ContradictionError: an upper bound lies below the exact accountant's lower one, or below an attack's.
    """
    outcome = load_outcome(outcome_file)
    try:
        kind, parameters, _ = parse(outcome.spec)
    except ValueError as error:
        raise ValueError(f"{outcome_file}: {error}") from None
    guarantees: list[Guarantee] = []
    points: list[Point] = []
    event = None if outcome.event is None else decode(outcome.event)
    if event is not None:
        published = event.under_published()
        claims: dict[bool, list[tuple[str, Guarantee]]] = {False: [], True: []}
        for choice in choices:
            if reason := says_nothing(choice.delta, parameters.private_records()):
                raise ValueError(f"accountants.{choice.key}.delta: {reason}")
            for budget in _apply(choice, event, published, outcome):
                guarantees.append(budget.guarantee)
                points.extend(budget.course)
                claims[budget.as_published].append((choice.name, budget.guarantee))
        consistency.refuse_contradictions(event, claims[False])
        if published is not None:
            consistency.refuse_contradictions(published, claims[True])
        attacked = _attacked(event, outcome, parameters)
        consistency.refuse_contradicted(attacked, guarantees)
        consistency.refuse_contradicted(*_certainly(event, outcome, guarantees))
        guarantees = _of_one_attempt(guarantees, outcome.provenance.attempts)
        guarantees += [*attacked, *(attack.guarantee for attack in outcome.attacks)]
    result = Result(
        run=outcome.run,
        spec=outcome.spec,
        outcome=outcome.digest,
        guarantees=tuple(guarantees),
        accountants=tuple(choice.model_dump() for choice in choices),
        delta=outcome.delta,
        metrics=outcome.metrics,
        history=(*outcome.history, *points),
        pictures=outcome.pictures,
        notes=outcome.notes,
        provenance=outcome.provenance,
        accounting_code=account_code(kind, parameters, choices),
    )
    return save(out, result)


def _of_one_attempt(budgets: Sequence[Guarantee], attempts: int | None) -> list[Guarantee]:
    """These budgets, with a note where earlier attempts at the run drew noise of their own."""
    if attempts is None or attempts < 2:
        return list(budgets)
    note = (
        f"{attempts} attempts at this run drew noise of their own, this is the last: the budget is that of one, "
        "whoever saw files of others too has as many releases"
    )
    return [budget.model_copy(update={"assumptions": (*budget.assumptions, note)}) for budget in budgets]


def _attacked(event: Event, outcome: Outcome, parameters: Parameters) -> tuple[Guarantee, ...]:
    """Lower bounds that attacks give on the run's own releases."""
    if outcome.delta is None:
        return ()
    return (noise_scale.guarantee(parameters.in_reach(event), outcome.delta, parameters.reach()),)


def _certainly(event: Event, outcome: Outcome, budgets: Sequence[Guarantee]) -> tuple[list[Guarantee], list[Guarantee]]:
    """What the run's own attacks measured, at the confidence `consistency.CERTAINTY`, and what it is held against.

    Where no proven budget was asked for at their delta, that is the exact accountant's.
    """
    attacked = [attack.guarantee.model_copy(update={"epsilon": attack.certain}) for attack in outcome.attacks]
    exact, against = accountant.load(consistency.EXACT), list(budgets)
    for delta in dict.fromkeys(lower.delta for lower in attacked):
        if not any(budget.kind == "upper" and budget.delta <= delta for budget in budgets):
            against += [] if exact.supports(event) else [exact.epsilon(event, delta)]
    return attacked, against


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
    budgets = []
    for as_published in (first, not first):
        read, whose = (published, "the paper's published") if as_published else (event, "this project's tight")
        ending = sensitivities.PUBLISHED if as_published else sensitivities.TIGHT
        key = choice.key if as_published == first else f"{choice.key}{ending}"
        # Along the run, what the accountant reads first is enough.
        along = outcome if as_published == first else outcome.model_copy(update={"accounted_at": None})
        final, course = _under(choice, read, along)
        notes = (*final.assumptions, sensitivities.sensitivity_note(read, whose))
        final = final.model_copy(update={"accountant": key, "assumptions": notes})
        budgets.append(_Budget(final, course, as_published))
    return budgets


def _under(choice: AccountantChoice, event: Event, outcome: Outcome) -> tuple[Guarantee, list[Point]]:
    """The final budget and its course along the run, by one accountant, for one reading of the event."""
    delta = choice.delta or outcome.delta
    if delta is None:
        raise ValueError(f"run {outcome.run}: released something but names no delta")
    applied = accountant.load(choice.name, **choice.options)
    refusal = applied.reason(event)
    if refusal is not None:
        raise ValueError(f"accountant = {choice.name!r}: does not support this run ({refusal})")

    def labelled(guarantee: Guarantee) -> Guarantee:
        return guarantee.model_copy(update={"accountant": choice.key})

    schedule = outcome.accounted_at
    if schedule is None:
        return labelled(applied.answer(event, delta)), []
    course = [labelled(item) for item in applied.path(event, delta, schedule.steps)]
    points = [
        Point(metric=f"epsilon/{item.label}", axis=schedule.axis, position=position, value=item.epsilon)
        for position, item in zip(schedule.positions, course, strict=True)
    ]
    complete = schedule.steps and schedule.steps[-1] == getattr(event, "steps", None)
    final = course[-1] if complete else labelled(applied.answer(event, delta))
    return final, points
