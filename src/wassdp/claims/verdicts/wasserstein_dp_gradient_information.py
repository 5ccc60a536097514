"""WDP Deep Learning, advantage (1): "the information of gradient distribution is included in d_t and Z_t".

At the settings of Table 2 in the authors' code, where the sentence stands. Clipped gradients differ by at most twice
the clip norm; between gradients that are equal and such that are as different as possible, the printed loss moves by
more than half of itself. At those of Figure 4, q = 1/1000 and twenty times the noise, it moves by 3 parts in 100,000:
the curve there is that of the noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Step, quadrature, simpler

PART = 0.01  # of the loss: the least dependence that is called one
# Rate and noise in clip norms: MNIST and Fashion-MNIST, CIFAR-10, SVHN.
SETTINGS = ((1024 / 60000, 0.01), (512 / 50000, 0.0005), (512 / 73257, 0.0005))


def _drawn(generator: np.random.Generator) -> Step:
    rate, noise = SETTINGS[int(generator.integers(len(SETTINGS)))]
    return Step(rate=rate, distance=2.0, noise_std=noise, order=float(generator.choice([1.0, 2.0, 4.0, 8.0, 16.0])))


def _simpler(found: Step) -> Iterator[Step]:
    return (other for other in simpler(found) if replace(other, order=found.order) == found)


def _ratio(found: Step) -> float:
    """A hundredth of the loss over what it moves by."""
    equal = replace(found, distance=0.0).printed()
    return PART * equal / (found.printed() - equal)


def _verified(found: Step) -> float:
    equal = quadrature(replace(found, distance=0.0))
    return float(PART * equal / (quadrature(found) - equal))


def _of_figure_4(found: Step) -> float:
    return _ratio(replace(found, noise_std=0.2, rate=1e-3))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Deep Learning, advantage (1)",
    place="Experiments, Deep Learning, last paragraph, at the settings of Table 2 in the authors' code",
    statement="the Wasserstein accountant uses the distribution of gradients through their distances d_t",
    formula="loss at d_t = 2C − loss at d_t = 0 ≥ 1/100 loss at d_t = 0, at q and σ of the code for each data set",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_of_figure_4,
    simpler=_simpler,
    usual=20,
    few=10,
    compared="1/100 of the loss / what it moves by",
)
