"""WDP Theorem 2 against Proposition 12: adding noise to an output is a randomised mapping of it.

So a loss has to fall, or stay, when the noise grows from σ to 2σ. The printed one grows, in the end like σ; the true
one does fall.
"""

from __future__ import annotations

from dataclasses import replace

from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Step, draw, quadrature, simpler


def _ratio(found: Step) -> float:
    return _noisier(found).printed() / found.printed()


def _noisier(found: Step) -> Step:
    return replace(found, noise_std=2 * found.noise_std)


def _verified(found: Step) -> float:
    return float(quadrature(replace(found, noise_std=2 * found.noise_std)) / quadrature(found))


def _exact(found: Step) -> float:
    return _noisier(found).exact() / found.exact()


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Theorem 2",
    place="Theorem 2 with Proposition 12, as Table 2 is accounted",
    statement="the printed privacy loss does not grow when more noise is added to the same gradients",
    formula="[Σ_i E|Z_ti|^μ]^(1/μ) at 2σ ≤ the same at σ",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_exact,
    simpler=simpler,
    compared="at twice the noise / at the noise",
    usual=2000,
)
