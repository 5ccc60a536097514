"""DP-SWD: noisy random projections, as the Gaussian mechanism with a random, published sensitivity (THEORY 2.3)."""

from __future__ import annotations

from functools import lru_cache

from wassdp.accounting.event import SlicedProjections
from wassdp.accounting.profiles import squared_sensitivity
from wassdp.accounting.profiles.gaussian import GaussianMixture


@lru_cache(maxsize=64)
def sliced(event: SlicedProjections, *, upper: bool, tail: float, detail: int) -> GaussianMixture:
    r"""The profile δ(ε) = E_H[δ_Gauss(ε; √H Δ/σ)], from above or from below.

    Args:
        event: the release, with noise.
        upper: whether δ is never below, or never above, the exact profile.
        tail: probability up to which a large H may be treated as unbounded (or be cut off).
        detail: each doubling quarters the error.
    """
    noise = event.noise_std / event.distance
    law = squared_sensitivity.iid if event.directions == "iid" else squared_sensitivity.orthogonal
    found = law(event.projections, event.dimension, noise, upper=upper, tail=tail, detail=detail)
    return GaussianMixture(found.value / noise**2, found.weight, found.infinite)
