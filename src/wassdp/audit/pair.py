"""A release of this project with its worst neighbouring records, ready to be attacked: one file of `pairs` each."""

from __future__ import annotations

import abc
import functools
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from scipy import optimize
from torch import Tensor

from wassdp import checks
from wassdp.accounting import calibrate
from wassdp.accounting.accountant import Accountant
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee
from wassdp.audit.game import Game, in_blocks
from wassdp.audit.one_way import one_way
from wassdp.noise import Bits
from wassdp.plugins import Plugins

PAIRS = Plugins("wassdp.audit.pairs", "mechanism")
RATE = 0.1
"""Share of the records that enters a release, where a pair samples."""
BLOCK = 1 << 18
"""Trials that are released at a time."""
LEAST, MOST = 1e-6, 1e6
"""Noises between which a published figure is searched."""


@dataclass(frozen=True, kw_only=True)
class Pair(Game):
    """One trial is one release, at its worst neighbours; trials are independent, and made many at a time.

    Numbers of a release on which the noise is independent, and which differ between the two worlds alike, are trials of
    their own: a sum of a million coordinates is a million sums of one. Who enters is drawn by the mechanism's own
    ``sample``, from as many records as there are trials. Without replacement the share that enters is then the same in
    both worlds and fixed, so that scores above a threshold are counted over independent trials of unequal
    probabilities: their number is spread no further than a binomial one of the same mean, and limits made for that hold
    (Hoeffding 1956, Theorem 4).

    Args:
        noise: how much, in the unit that `noise_unit` names; above 0.

    Attributes:
        attacks: the class whose release is attacked.
        attacked: what is called, in words.
        noise_unit: what ``noise`` is.
        accountant: whose figure is put to the test.
    """

    noise: float

    attacks: ClassVar[type]
    attacked: ClassVar[str]
    noise_unit: ClassVar[str] = "noise multiplier"
    accountant: ClassVar[Accountant] = PLDAccountant()
    block: ClassVar[int] = BLOCK

    def __post_init__(self) -> None:
        checks.positive("noise", self.noise)

    @classmethod
    def at(cls, epsilon: float, delta: float, **options: Any) -> Self:
        """The pair with the noise at which the accountant's figure is ``epsilon``.

        An upper bound is then at most ``epsilon``, and close to it; a published figure is met from either side.

        Raises:
            ValueError: ``epsilon`` or ``delta`` is out of range, or no noise gives that figure.
        """
        made = functools.partial(cls, **options)
        checks.positive("epsilon", epsilon)
        checks.open_unit("delta", delta)
        if cls.accountant.kind == "upper":
            return made(
                noise=calibrate.noise_multiplier(
                    lambda noise: made(noise=noise).event(), epsilon=epsilon, delta=delta, accountant=cls.accountant
                )
            )

        def beyond(log_noise: float) -> float:
            # Bounded, so that the search may begin where a figure is infinite.
            return math.atan(made(noise=math.exp(log_noise)).claim(delta).value - epsilon)

        ends = math.log(LEAST), math.log(MOST)
        if beyond(ends[0]) * beyond(ends[1]) > 0:
            raise ValueError(f"epsilon = {epsilon!r}: no noise gives that published figure at delta = {delta:g}")
        return made(noise=math.exp(float(optimize.brentq(beyond, *ends, xtol=1e-10))))

    def claim(self, delta: float) -> Guarantee:
        """The figure that is put to the test: proven, or published."""
        return self.accountant.epsilon(self.event(), delta)

    def alone(self) -> Event | None:
        """What is proven at these neighbours alone, whose own trade-off curve the scores follow; None if nothing is."""
        return None if self.accountant.kind == "published" else one_way(self.event())

    def scores(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        return in_blocks(
            trials, self.block, lambda some: self.at_once(present=present, trials=some, generator=generator)
        )

    @abc.abstractmethod
    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        """`scores` of at most ``block`` trials."""


def load(name: str) -> type[Pair]:
    """The pair called ``name``.

    Raises:
        ValueError: there is none.
    """
    return PAIRS.choice(name, Pair)  # type: ignore[type-abstract]  # whatever derives from it


def tenths(trials: int) -> tuple[int, int]:
    """Numbers of records, at least ``trials``, and of those that enter: exactly `RATE` of them.

    >>> tenths(11)
    (20, 2)
    """
    batch = math.ceil(trials * RATE)
    return round(batch / RATE), batch


def mask(drawn: Int64[Tensor, " drawn"], trials: int) -> Bool[Tensor, " trials"]:
    """Whether each of the first ``trials`` records is among those drawn."""
    found = torch.zeros(max(trials, int(drawn.max()) + 1 if len(drawn) else 0), dtype=torch.bool)
    found[drawn] = True
    return found[:trials]


def log_ratio(
    released: Float[Tensor, "trials ..."],
    with_it: Tensor | float,
    without: Tensor | float,
    *,
    std: float,
    rate: float = 1.0,
) -> Float[np.ndarray, " trials"]:
    r"""Logarithm of the two worlds' densities' ratio, of Gaussian noise around either world's mean.

    .. math:: \log(1 - q + q e^L), \qquad L = \frac{1}{σ^2} \sum_i (a_i - b_i) \bigl( y_i - \tfrac{a_i + b_i}2 \bigr)

    Args:
        released: y, each row one trial.
        with_it: a, what the release is around where the record entered; of a shape that broadcasts.
        without: b, where it did not.
        std: σ.
        rate: q in (0, 1], with which the record enters.
    """
    terms = (released - (with_it + without) / 2) * ((with_it - without) / std**2)
    ratios = np.asarray(terms.reshape(len(released), -1).sum(dim=1).double())
    if rate == 1:
        return ratios
    return np.asarray(np.logaddexp(math.log1p(-rate), math.log(rate) + ratios))
