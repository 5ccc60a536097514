"""WDP Discussion, other possibility: the square root of the Jensen-Shannon divergence obeys the triangle inequality."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import jensenshannon

from wassdp.claims.inequality import Inequality
from wassdp.claims.jensen_shannon import ratio
from wassdp.claims.masses import Masses, draw, simpler


def _verified(found: Masses) -> float:
    first, second, third = np.asarray(found.weights)
    sides = jensenshannon(first, second) + jensenshannon(second, third)
    return float(jensenshannon(first, third) / sides) if sides > 1e-7 else 0.0


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Discussion, other possibility",
    place="Additional Specifications",
    statement="the square root of the Jensen-Shannon divergence satisfies the triangle inequality",
    formula="√JSD(P, R) ≤ √JSD(P, Q) + √JSD(Q, R)",
    draw=lambda generator: draw(generator, laws=3),
    ratio=lambda found: ratio(found, power=0.5),
    verified=_verified,
    corrupted=lambda found: ratio(found, power=1.0),
    simpler=simpler,
)
