r"""The noise that is really drawn, against the noise that the account counts: an attack on any release with such noise.

Whoever knows all other records subtracts them; what is left of a release is the record's own part plus noise. How well
the two worlds can be told apart is then decided by the noise alone. So this attack draws releases of nothing at the
run's own scale, by the code that draws it in the run, takes from them the largest deviation s that they allow,

.. math:: s^2 = \sum_i x_i^2 / χ^2_{n, 1 - c}, \qquad c \text{ the confidence},

and states the ε of the run's own event with its noise rescaled to s, from below, for neighbouring records that really
move every release so far, in the one order in which they are (`wassdp.audit.one_way`). Of shuffled passes a record
moves one step each, and which one is hidden: there the ε is that of as many simulated runs (`wassdp.audit.passes`).
"""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float
from scipy import special, stats

from wassdp import checks, noise
from wassdp.accounting.consistency import CERTAINTY
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.numerics import exact
from wassdp.accounting.reach import Reach
from wassdp.audit.bound import Estimate, LowerBound
from wassdp.audit.one_way import one_way
from wassdp.audit.passes import Passes
from wassdp.audit.rescaled import rescaled
from wassdp.audit.statistics import simulated
from wassdp.audit.statistics.inverse import around

NAME = "noise_scale"
NUMBERS = 1_000_000
RUNS = 200_000
"""Simulated runs in shuffled passes."""
ACCURACY = 1e-3
"""Relative width of the bracket whose lower end is stated."""
_BINS = 100
_MARGIN, _ROUNDING = 1e-9, 1e-7
"""Relative: by how much a sum of squares is rounded down, and the error of its law's values at most."""
SCALES = ("noise_multiplier", "noise_std")
SOURCE = "chi-squared limit of the drawn noise's variance; Doroshenko et al. (2022), arXiv:2207.04380, from below"
ATTACKED = "noise of a release at the run's own scale, drawn by the run's own code"
BLIND = "what is wrong elsewhere than in the noise, for instance in clipping or in batches, this attack cannot see"


@dataclasses.dataclass(frozen=True)
class Drawn:
    """What was found out about noise of a stated deviation.

    Args:
        ratio: the largest deviation that the numbers allow, over the stated one.
        fit: p-value of the test whether the numbers are Gaussian, by their counts in bins of equal probability.
        numbers: how many.
    """

    ratio: float
    fit: float
    numbers: int


@lru_cache(maxsize=256)
def drawn(std: float, *, numbers: int = NUMBERS, confidence: float = CERTAINTY, seed: int = 0) -> Drawn:
    """Noise of deviation ``std``, as every mechanism of this project draws it, measured.

    Raises:
        ValueError: an argument is outside its range.

    >>> found = drawn(3.0, numbers=10_000)
    >>> 0.98 < found.ratio < 1.06, found.fit > 1e-3
    (True, True)
    """
    checks.positive("std", std)
    checks.whole("numbers", numbers, least=_BINS)
    checks.open_unit("confidence", confidence)
    nothing = torch.zeros(numbers, dtype=torch.float64)
    values = noise.rounded(nothing, std=std, generator=noise.seeded(seed, NAME)).numpy() / std
    squares = float(np.square(values).sum())
    counts = np.histogram(stats.norm.cdf(values / math.sqrt(squares / numbers)), bins=_BINS, range=(0, 1))[0]
    return Drawn(
        ratio=math.sqrt(squares / _least_sum(1 - confidence, numbers)),
        # The deviation was taken from the same numbers.
        fit=float(stats.chisquare(counts, ddof=1).pvalue),
        numbers=numbers,
    )


def _least_sum(level: float, numbers: int) -> float:
    """What the sum of so many squares of standard normal numbers is below with probability ``level``, from below."""

    def short(value: Float[np.ndarray, ...]) -> Float[np.ndarray, ...]:
        return np.asarray(level - special.chdtr(numbers, value) * (1 + _ROUNDING))

    guess = np.asarray(stats.chi2.ppf(level, numbers))
    return float(around(short, guess, margin=_MARGIN, most=math.inf)[0])


def bound(
    event: Event, delta: float, reach: Reach, *, confidence: float = CERTAINTY, seed: int = 0
) -> LowerBound | str:
    """The lower bound on the ε of a run's event, or the reason why this attack has none.

    Args:
        event: everything that the run released.
        delta: in (0, 1).
        reach: neighbouring records of the run.
        confidence: one-sided, of the noise's deviation.
        seed: of the noise that is drawn for the attack.

    Raises:
        ValueError: an argument is outside its range.
    """
    if reason := _impossible(event, reach):
        return reason
    if isinstance(event, MeasuredGradients) and event.sampling == "shuffled":
        estimate = _shuffled(event, delta, reach, confidence, seed)
    else:
        estimate = _in_one_order(event, delta, reach, confidence, seed)
    return LowerBound(
        estimate=estimate,
        attack=NAME,
        attacked=ATTACKED,
        pair=reach.how,
        adjacency=event.adjacency,
        sampling=event.sampling,
        assumptions=(BLIND,),
    )


def guarantee(event: Event, delta: float, reach: Reach) -> Guarantee:
    """The row of a run's ledger: `bound`, or 0 with the reason why this attack has none.

    Raises:
        ValueError: delta is not in (0, 1).
    """
    found = bound(event, delta, reach)
    if isinstance(found, LowerBound):
        return found.guarantee()
    return Guarantee(
        accountant=f"{NAME}_family",
        kind="lower",
        epsilon=0.0,
        bounded=True,
        delta=delta,
        adjacency=event.adjacency,
        sampling=event.sampling,
        assumptions=(f"no lower bound by this attack: {found}",),
        source=SOURCE,
    )


def _in_one_order(event: Event, delta: float, reach: Reach, confidence: float, seed: int) -> Estimate:
    """The ε of the event at its worst neighbours, with the noise that is drawn."""
    found = drawn(_scale(event), confidence=confidence, seed=seed)
    attacked = rescaled(one_way(event), found.ratio / reach.share)
    return Estimate(
        epsilon=exact.epsilon(attacked, delta, accuracy=ACCURACY).lower,
        delta=delta,
        confidence=confidence,
        basis="family-based",
        statistic="largest deviation that the drawn noise allows, the family being the run's event at any noise",
        trials=found.numbers,
        source=SOURCE,
        fit=found.fit,
    )


def _shuffled(event: MeasuredGradients, delta: float, reach: Reach, confidence: float, seed: int) -> Estimate:
    """The ε of simulated runs, half of the permitted error for the noise and half for their number."""
    each = (1 + confidence) / 2
    found = drawn(_scale(event), confidence=each, seed=seed)
    generator = np.random.default_rng(seed)
    losses = Passes.of(event, reach, ratio=found.ratio).losses(RUNS, generator=generator)
    return Estimate(
        epsilon=simulated.epsilon(losses, delta=delta, confidence=each, generator=generator),
        delta=delta,
        confidence=confidence,
        basis="family-based",
        statistic=f"largest deviation that the drawn noise allows, and the privacy losses of {RUNS:,} simulated runs "
        "with it, whose steps in each shuffled pass are not told apart",
        trials=found.numbers,
        source=f"{SOURCE}; {simulated.SOURCE}",
        fit=found.fit,
    )


def _impossible(event: Event, reach: Reach) -> str | None:
    """Why there is no such bound."""
    if event.unbounded():
        exposed = "; ".join(dict.fromkeys(what for part in event.within() for what in part.exposed))
        return f"no noise covers all that was released{f' ({exposed})' if exposed else ''}"
    if reach.share == 0:
        return reach.how
    if not any(scale for part in event.within() for scale in _scales(part)):
        return "nothing was released with noise of a stated deviation"
    if reason := event.refusal():
        return reason
    if isinstance(event, MeasuredGradients) and event.sampling == "shuffled":
        try:
            Passes.of(event, reach)
        except ValueError as error:
            return str(error)
    elif event.sampling == "shuffled" or reach.kept < 1:
        return "only of gradient steps it is known which are those of one shuffled pass"
    return None


def _scale(event: Event) -> float:
    """A deviation of the noise, by which it is drawn."""
    return next(value for part in event.within() for value in _scales(part))


def _scales(event: Event) -> list[float]:
    """The deviations that an event states, above 0."""
    stated = (getattr(event, field.name) for field in dataclasses.fields(event) if field.name in SCALES)
    return [float(np.max(value)) for value in stated if np.size(value) and np.max(value) > 0]
