"""SWD Section 6.1: "the order relation between distributions as evaluated using SWD is preserved by DP-SWD".

The paper says that Figure 2 suggests it. For translates of one distribution, as there, it holds: smoothing changes no
distance between them. In general smoothing shrinks differences of spread more than differences of place.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.smoothing import Mixtures, draw, plain_power, power, simpler


def _draw(generator: np.random.Generator) -> Mixtures:
    """Half of the time a translate against a spread about the same centre, which is further away without noise."""
    case = draw(generator)
    if generator.random() < 0.5:
        return case
    near = float(generator.uniform(0.5, 2))
    far = near * float(generator.uniform(1.05, 2))
    return replace(
        case,
        first=((0.0, 0.0),),
        second=((near, 0.0),),
        third=((far, 0.0), (-far, 0.0)),
        width=float(generator.uniform(0.1, 0.5)),
        noise=float(generator.uniform(1, 3)),
    )


def _ratio(case: Mixtures) -> float:
    """Of the mixture that is nearer without the noise, its distance with the noise over the other's."""
    sides = (case.second, case.third)
    without = replace(case, noise=0.0)
    plain = [power(case.first, side, without) for side in sides]
    noisy = [power(case.first, side, case) for side in sides]
    if abs(plain[0] - plain[1]) <= 0.01 * max(plain) or max(noisy) < 1e-9:
        return 0.0
    nearer = plain.index(min(plain))
    return noisy[nearer] / max(noisy[1 - nearer], 1e-300)


def _plain(case: Mixtures) -> float:
    without = [plain_power(case.first, side, replace(case, noise=0.0)) for side in (case.second, case.third)]
    noisy = [plain_power(case.first, side, case) for side in (case.second, case.third)]
    if without[0] > without[1]:
        noisy.reverse()
    return noisy[0] / noisy[1] if noisy[1] > 1e-9 and abs(without[0] - without[1]) > 0.011 * max(without) else 0.0


def _translates(case: Mixtures) -> float:
    return _ratio(replace(case, first=case.first[:1], second=case.second[:1], third=case.third[:1]))


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Section 6.1, order",
    place="Section 6.1, on Figure 2",
    statement="of two distributions the one that is nearer by SWD is nearer by DP-SWD",
    formula="SWD(μ, ν₁) ≤ SWD(μ, ν₂) ⇒ D_σ(μ, ν₁) ≤ D_σ(μ, ν₂)",
    compared="D^q(μ, ν₁) / D^q(μ, ν₂)",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_translates,
    simpler=simpler,
    usual=60,
    few=30,
)
