"""The tangent bound on a Gibbs draw, for the step that one replaced record makes."""

from __future__ import annotations

from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.guarantee import Guarantee


class TangentAccountant(Accountant):
    r"""2βR · ‖p̃ - p‖_{L¹}: replacing one of N records moves p by 2/N, so ε = 4βR/N to first order.

    R = max |r|, or, where the event does not say it, the risk's range (a risk from 0 on). Centring the risk would halve
    R to half the range, after which this is the exponential mechanism's own ε = 2β range/N.
    """

    source = "TDP Theorem 3.2 (norm pair L¹, L∞)"

    def supports(self, event: Event) -> str | None:
        return None if _draw(event) else f"{type(event).__name__}: the tangent bound is for one Gibbs draw"

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        self.refuse(event, delta)
        draw = _draw(event)
        assert draw is not None, "refused otherwise"
        radius = draw.risk_range if draw.largest_risk is None else draw.largest_risk
        value = 2 * draw.inverse_temperature * radius * 2 / draw.records
        notes = ["a derivative at the data's own distribution: first order in the change of p, not (epsilon, delta)-DP"]
        if draw.largest_risk is None:
            notes.append("the risk lies between 0 and its range")
        return self.guarantee(event, delta, value, notes)


def _draw(event: Event) -> Gibbs | None:
    """The one draw that an event is, perhaps with something said beside it."""
    if isinstance(event, Composed) and event.counts == (1,):
        (event,) = event.events
    return event if isinstance(event, Gibbs) else None
