r"""Lower bounds on δ at a given ε, and on ε at a given δ, that assume nothing: the mean of a test in [0, 1].

For every φ with values in [0, 1], fixed beforehand, (ε, δ) differential privacy of the two worlds' laws P and Q says

.. math:: E_P φ - e^ε E_Q φ ≤ δ.

With Z = φ(X) - e^ε φ(Y) of one trial of each world, and a stake λ ≥ 0 fixed on other trials with λ (e^ε + δ) < 1, the
wealth of who bets against that,

.. math:: K = \prod_i (1 + λ (Z_i - δ)),

has a mean of at most 1 if it holds, so that K ≥ 1/α has a probability of at most α (Markov). K falls in ε and in δ: the
largest one at which it is 1/α is the bound, and no error is divided between the two worlds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.audit.bound import Estimate
from wassdp.audit.scores import Scores

SOURCE = (
    "a mean of bounded variables by betting: Waudby-Smith and Ramdas (2024), arXiv:2010.09686, Section 4; the "
    "inequality: Balle, Barthe and Gaboardi (2018), arXiv:1807.01647, Section 2"
)
_STAKES, _HALVINGS = 60, 50
_LARGEST = 700.0

Vector = Float[np.ndarray, " scores"]
Test = Callable[[Vector], Vector]


def of_losses(epsilon: float) -> Test:
    """(1 - e^{ε - ℓ})_+ of scores that are losses ℓ, as an account claims them: its mean under P would be δ(ε).

    >>> of_losses(1.0)(np.array([0.0, 1.0, np.inf])).tolist()
    [0.0, 0.0, 1.0]
    """
    checks.non_negative("epsilon", epsilon)
    return lambda scores: np.asarray(0.0 - np.expm1(np.minimum(epsilon - scores, 0.0)))


def bound(scores: Scores, *, test: Test, delta: float, confidence: float = 0.95, share: float = 0.5) -> Estimate:
    """The bound on ε, 0 where nothing can be said.

    Args:
        scores: of both worlds, in the order of their independent trials; as many count as both worlds have.
        test: φ, fixed without looking at these scores, e.g. `of_losses` at an ε somewhat below the claimed one.
        delta: in [0, 1).
        confidence: one-sided, of the whole procedure, in (0, 1).
        share: of either world's trials, taken from its beginning, on which the stake is chosen.

    Raises:
        ValueError: an argument is outside its range, a world has fewer than two trials, or φ leaves [0, 1].
    """
    if not 0 <= checks.finite("delta", delta) < 1:
        raise ValueError(f"delta = {delta!r}: must be in [0, 1)")
    bets = _Bets(scores, test, confidence, share)
    stakes = [(bets.epsilon(bets.first, stake, delta, bets.ahead), stake) for stake in np.geomspace(1e-6, 1, _STAKES)]
    stake = max(stakes)[1]
    return Estimate(
        epsilon=bets.epsilon(bets.rest, stake, delta, 1.0),
        delta=delta,
        confidence=confidence,
        basis="distribution-free",
        statistic="betting on the mean of a test in [0, 1], the stake fixed on other trials",
        trials=2 * bets.rest[0].size,
        source=SOURCE,
    )


def least_delta(scores: Scores, *, test: Test, epsilon: float, confidence: float = 0.95, share: float = 0.5) -> float:
    """What δ(ε) is not below, at ``confidence``; 0 where nothing can be said.

    Args, Raises: as for `bound`; ``epsilon`` is at least 0.
    """
    checks.non_negative("epsilon", epsilon)
    bets = _Bets(scores, test, confidence, share)
    tried = np.geomspace(1e-6, 1, _STAKES) * math.exp(-epsilon) / 2
    stakes = [(bets.delta(bets.first, stake, epsilon, bets.ahead), stake) for stake in tried]
    return bets.delta(bets.rest, max(stakes)[1], epsilon, 1.0)


class _Bets:
    """Values of the test on trials that choose and on those that count, in pairs of both worlds."""

    def __init__(self, scores: Scores, test: Test, confidence: float, share: float) -> None:
        self.needed = -math.log(1 - checks.open_unit("confidence", confidence))
        choose, count = scores.split(share)
        self.first, self.rest = self._values(choose, test), self._values(count, test)
        self.ahead = self.rest[0].size / self.first[0].size

    def _values(self, scores: Scores, test: Test) -> tuple[Vector, Vector]:
        size = min(scores.present.size, scores.absent.size)
        seen, mistaken = test(scores.present[:size]), test(scores.absent[:size])
        for values in (seen, mistaken):
            if not (values.shape == (size,) and values.min() >= 0 and values.max() <= 1):
                raise ValueError("test: must give one value in [0, 1] for each score")
        return seen, mistaken

    def epsilon(self, values: tuple[Vector, Vector], stake: float, delta: float, times: float) -> float:
        """The largest ε at which so many ``times`` the logarithm of the wealth is enough."""
        return self._largest(lambda epsilon: times * self._wealth(values, stake, epsilon, delta), _LARGEST)

    def delta(self, values: tuple[Vector, Vector], stake: float, epsilon: float, times: float) -> float:
        """The largest δ at which it is."""
        return self._largest(lambda delta: times * self._wealth(values, stake, epsilon, delta), 1.0)

    def _wealth(self, values: tuple[Vector, Vector], stake: float, epsilon: float, delta: float) -> float:
        """Logarithm of K; nothing is left where a stake could lose more than there is."""
        growth = math.exp(epsilon)
        if stake * (growth + delta) >= 1:
            return -math.inf
        return float(np.log1p(stake * (values[0] - growth * values[1] - delta)).sum())

    def _largest(self, falling: Callable[[float], float], most: float) -> float:
        if falling(0.0) < self.needed:
            return 0.0
        low, high = 0.0, most
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if falling(middle) >= self.needed else (low, middle)
        return low
