"""WDP Basic Mechanisms: "the slopes of RDP curves with different noise scales are significantly different".

Read as: from order 1 to 10, a curve's mean slope is at least 1.5 times that of the next larger scale, of both
mechanisms. The same holds of WDP's own curves, the other way: at scale 5 they rise most, at scale 1 least.
"""

from __future__ import annotations

import itertools

from wassdp.accounting.formulas import mechanisms
from wassdp.accounting.formulas.mechanisms import Mechanism
from wassdp.claims.figure_1_orders import FIRST, LAST, SCALES
from wassdp.claims.recomputed import Entry, Recomputed

TIMES = 1.5


def _slope(mechanism: Mechanism, scale: float) -> float:
    first, last = (mechanisms.printed_renyi(mechanism, scale, order) for order in (FIRST, LAST))
    return (last - first) / (LAST - FIRST)


def _plain(mechanism: Mechanism, scale: float) -> float:
    """By quadrature of the densities."""
    first, last = (mechanisms.integrated_renyi(mechanism, scale, order) for order in (FIRST, LAST))
    return (last - first) / (LAST - FIRST)


def _entry(mechanism: Mechanism, scale: float, larger: float) -> Entry:
    return Entry(
        name=f"{mechanism}: slope at scale {scale:g} / at scale {larger:g}",
        printed=TIMES,
        found=_slope(mechanism, scale) / _slope(mechanism, larger),
        relation="at least",
        again=lambda: _plain(mechanism, scale) / _plain(mechanism, larger),
    )


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Basic Mechanisms, slopes of RDP",
    place="Experiments, Basic Mechanisms, second paragraph, Figure 1",
    statement="the slopes of RDP curves at different noise scales are significantly different",
    formula="mean slope of RDP over α from 1 to 10 at a scale ≥ 1.5 that at the next larger scale",
    entries=lambda: [
        _entry(mechanism, *pair) for mechanism in mechanisms.MECHANISMS for pair in itertools.pairwise(SCALES)
    ],
    flipped_entries=lambda: [  # scales closer to each other
        _entry(mechanism, scale, 1.1 * scale) for mechanism in mechanisms.MECHANISMS for scale in SCALES
    ],
)
