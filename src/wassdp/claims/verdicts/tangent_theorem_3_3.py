r"""TDP Theorem 3.3.

The proof bounds ∫ q |∫ r ε dx| dw by the Ḣ¹ norm of ∫ q r dw "by non-negativity of q r"; but that norm sees gradients,
which have signs and may cancel: entirely, and then R is 0 while q moves. What the step proves has ∫ q(w) ‖r(w, ·)‖ dw
in place of R: the repaired statement beside it.
"""

from __future__ import annotations

import numpy as np

from wassdp.claims.tangent import case, quotient
from wassdp.claims.verdict import Claim
from wassdp.tangent import radii


def _ratio(generator: np.random.Generator) -> float:
    drawn = case(generator)
    radius = radii.radius_wasserstein_averaged(drawn.posterior, drawn.risks)
    norm = radii.norm_wasserstein_to_l1(drawn.posterior, drawn.risks).lower
    return quotient(norm, drawn.stated(radius, data="wasserstein", output="L1"))


CLAIM = Claim(
    paper="tangent-dp",
    where="TDP Theorem 3.3",
    statement="the norm of DA from Ḣ⁻¹(p) to L¹ is at most 2βR, R = ‖∫ q r(w, ·) dw‖ in Ḣ¹(p)",
    ratio=_ratio,
)
