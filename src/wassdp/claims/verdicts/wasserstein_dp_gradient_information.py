"""WDP Deep Learning, advantage (1): "the information of gradient distribution is included in d_t and Z_t".

At the settings of Figure 4: q = 1/1000, noise of .2 times the clip norm, orders 1 to 16. Clipped gradients differ by
at most twice the clip norm. Between gradients that are equal and such that are as different as possible, the printed
loss moves by far less than a hundredth: the curve is that of the noise; gradients enter through the clip norm alone.
With the noise of Table 2 in the authors' code, twenty times less, and its larger batches they do enter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Step, quadrature, simpler

PART = 0.01  # of the loss: the least dependence that is called one


def _drawn(generator: np.random.Generator) -> Step:
    return Step(rate=1e-3, distance=2.0, noise_std=0.2, order=float(generator.choice([1.0, 2.0, 4.0, 8.0, 16.0])))


def _simpler(found: Step) -> Iterator[Step]:
    return (other for other in simpler(found) if replace(other, order=found.order) == found)


def _ratio(found: Step) -> float:
    """A hundredth of the loss over what it moves by."""
    equal = replace(found, distance=0.0).printed()
    return PART * equal / (found.printed() - equal)


def _verified(found: Step) -> float:
    equal = quadrature(replace(found, distance=0.0))
    return float(PART * equal / (quadrature(found) - equal))


def _less_noise(found: Step) -> float:
    """With the noise and the batch of Table 2, MNIST."""
    return _ratio(replace(found, noise_std=0.01, rate=1024 / 60000))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Deep Learning, advantage (1)",
    place="Experiments, Deep Learning, last paragraph, at the settings of Figure 4",
    statement="the Wasserstein accountant uses the distribution of gradients through their distances d_t",
    formula="loss at d_t = 2C − loss at d_t = 0 ≥ 1/100 loss at d_t = 0, q = 1/1000, σ = 0.2 C",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_less_noise,
    simpler=_simpler,
    usual=20,
    few=10,
    compared="1/100 of the loss / what it moves by",
)
