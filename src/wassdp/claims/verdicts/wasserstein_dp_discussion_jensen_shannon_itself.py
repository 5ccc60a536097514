"""WDP Discussion, other possibility: the Jensen-Shannon divergence without a root breaks the triangle inequality."""

from __future__ import annotations

from wassdp.claims.existence import Existence
from wassdp.claims.jensen_shannon import ratio
from wassdp.claims.masses import draw

CLAIM = Existence(
    paper="wasserstein-dp",
    item="Discussion, other possibility",
    place="Additional Specifications, 'JSD does not satisfy the triangle inequality unless we take its square root'",
    statement="the Jensen-Shannon divergence itself does not satisfy the triangle inequality",
    formula="JSD(P, R) > JSD(P, Q) + JSD(Q, R) for some laws P, Q, R",
    draw=lambda generator: draw(generator, laws=3),
    ratio=lambda found: ratio(found, power=1.0),
    corrupted=lambda found: ratio(found, power=0.5),
)
