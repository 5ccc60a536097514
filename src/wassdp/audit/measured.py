"""What an attack on a run hands over: each bound twice, as it is shown and as a run is held against it."""

from __future__ import annotations

from collections.abc import Callable

from wassdp.accounting.consistency import CERTAINTY
from wassdp.accounting.event import Event
from wassdp.audit.bound import Estimate, LowerBound
from wassdp.result import Attacked


def measured(
    estimates: Callable[[float], tuple[Estimate, ...]],
    event: Event,
    *,
    attack: str,
    attacked: str,
    pair: str,
    confidence: float,
    assumptions: tuple[str, ...] = (),
) -> tuple[Attacked, ...]:
    """Lower bounds for `wassdp.experiment.Findings`.

    Args:
        estimates: from a confidence to what each statistic gives at it.
        event: what was attacked, for its neighbouring relation and its sampling.
        attack: as `LowerBound`.
        attacked: as `LowerBound`.
        pair: as `LowerBound`.
        confidence: at which bounds are shown; a run is held against those at `CERTAINTY`, since one correct run in
            twenty lies below a bound of 95 %.
        assumptions: as `LowerBound`.
    """

    def row(shown: Estimate, certain: Estimate) -> Attacked:
        bound = LowerBound(
            estimate=shown,
            attack=attack,
            attacked=attacked,
            pair=pair,
            adjacency=event.adjacency,
            sampling=event.sampling,
            assumptions=assumptions,
        )
        return Attacked(guarantee=bound.guarantee(), certain=certain.epsilon)

    return tuple(map(row, estimates(confidence), estimates(CERTAINTY)))
