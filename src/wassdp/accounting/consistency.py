"""No proven upper value of ε lies below a proven lower one: two proofs are held against each other at run time.

The lower value is the exact accountant's own (`numerics.exact.epsilon`), or, where its lattice is too coarse to tell
much, that of the central limit theorem with its error (`numerics.normal.berry_esseen_epsilon`): a closed form, a
theorem that was misread or a number that lost its digits cannot become a row. Nor does an upper value lie below what an
attack measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import ContradictionError, Guarantee
from wassdp.accounting.numerics import exact, normal
from wassdp.accounting.profiles import dominating

EXACT = "pld"
"""The accountant whose upper value and ``epsilon_error`` are such a bracket."""
ACCURACY = 1e-2
"""Relative width of the bracket that is computed where that accountant was not asked: enough, at a low price."""
CERTAINTY = 1 - 1e-6
"""Confidence of the lower bounds that an upper one is held against: so often does correct code pass, at least."""


def refuse_contradictions(event: Event, answers: Sequence[tuple[str, Guarantee]]) -> None:
    """Refuse ``answers`` if one of its upper values contradicts the exact accountant's lower one at the same delta.

    That accountant's own guarantee is used where it is among them; else its bracket is computed, at most once for
    each delta. Where it cannot account for the event nothing is said.

    Args:
        event: what was released.
        answers: accountants' names, as `wassdp.accounting.accountant.load` takes them, and their guarantees.

    Raises:
        ContradictionError: an upper value lies below the lower value by more than rounding.
    """
    claims = [(name, guarantee) for name, guarantee in answers if guarantee.kind == "upper" and name != EXACT]
    for delta in dict.fromkeys(guarantee.delta for _, guarantee in claims):
        known = [guarantee for name, guarantee in answers if name == EXACT and guarantee.delta == delta]
        bracket = _bracket(event, delta, known)
        if bracket is None:
            continue
        lower = bracket.lower
        if lower < bracket.upper / 2:
            lower = max(lower, normal.berry_esseen_epsilon(event, delta))
        for name, guarantee in claims:
            if guarantee.delta == delta and lower > exact.highest_equal(guarantee.value):
                raise ContradictionError(
                    f"accounting contradicts itself: {name} proves an epsilon of at most {guarantee.value!r} at delta "
                    f"= {delta!r}, {EXACT} one of at least {lower!r}; neither is given out: please report the event"
                )


def refuse_contradicted(attacked: Sequence[Guarantee], found: Sequence[Guarantee]) -> None:
    """Refuse upper bounds that an attack on the same run exceeds, at the same delta or a smaller one of theirs.

    Args:
        attacked: lower bounds.
        found: budgets of any kind; published ones may be exceeded, that is a finding.

    Raises:
        ContradictionError: a proven bound lies below a measured one.
    """
    for lower in attacked:
        for upper in found:
            # A bound at a smaller delta holds at the attack's as well.
            if upper.kind == "upper" and upper.delta <= lower.delta and lower.value > exact.highest_equal(upper.value):
                raise ContradictionError(
                    f"an attack contradicts a proof: {upper.label} proves an epsilon of at most {upper.value!r} at "
                    f"delta = {upper.delta!r}, {lower.label} measured one of at least {lower.value!r} at delta = "
                    f"{lower.delta!r} ({lower.adjacency}); neither is given out: please report the run"
                )


def _bracket(event: Event, delta: float, known: Sequence[Guarantee]) -> exact.Bracket | None:
    """Between what the exact accountant says that ε lies; None where it has no answer."""
    if event.refusal() is not None:
        return None
    for guarantee in known:
        if guarantee.epsilon is not None and guarantee.epsilon_error is not None:
            return exact.Bracket(max(0.0, guarantee.epsilon - guarantee.epsilon_error), guarantee.epsilon)
    if dominating.directions(event) is None:
        return exact.UNBOUNDED
    if any(not guarantee.bounded for guarantee in known):
        return None
    try:
        return exact.epsilon(event, delta, accuracy=ACCURACY)
    except ValueError:  # outside the range that a composition is computed for: its own rows say so
        return None
