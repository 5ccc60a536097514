"""Lower bounds on ε beside the truth, from canaries of one simulated run: sixty settings of a published comparison.

The settings are those of the comparison that comes with the code of Xiang et al. (2025), arXiv:2509.08704: five pairs,
three numbers of canaries, four shares of them that are guessed. Their own mean share of the true ε is 67.4 % with 1,000
canaries, 89.3 % with 10,000 and 96.5 % with 100,000, 84.4 % in all; 82.0 % and 73.2 % for the two sampled pairs. Bounds
that use all canaries know no share of guesses: they stand once for each pair and number of canaries. `above` is how
many of the runs gave more than the truth, which at confidence 95 % one in twenty may.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.numerics import exact
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import family, one_run_ranks, sampled_gaussian
from wassdp.audit.statistics.guesses import surest

DELTA = 1e-5
PAIRS = ((0.5, 1.0), (1.0, 1.0), (2.0, 1.0), (1.0, 0.5), (2.0, 0.2))
"""Distance of the two means in deviations of the noise, and the probability that a canary enters."""
SIZES = (1000, 10_000, 100_000)
SHARES = (0.1, 0.25, 0.5, 1.0)
RUNS = {1000: 40, 10_000: 40, 100_000: 5}


def main() -> list[dict[str, Any]]:
    """Rows: statistic, canaries, pair, mean share of the true ε over the runs, runs that gave more than the truth."""
    rows = []
    for size in SIZES:
        for mean, rate in PAIRS:
            truth = exact.epsilon(_event(mean, rate), DELTA).lower
            for name, bound in _statistics(mean, rate).items():
                found = np.array([bound(_seen(mean, rate, size, seed)) for seed in range(RUNS[size])])
                rows.append(
                    {
                        "statistic": name,
                        "canaries": size,
                        "mean": mean,
                        "rate": rate,
                        "epsilon": truth,
                        "share": float(found.mean()) / truth,
                        "runs": found.size,
                        "above": int((found > truth).sum()),
                    }
                )
    return rows + _means(rows)


def _means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Over all pairs, for each statistic and number of canaries."""
    found = []
    for name, size in dict.fromkeys((row["statistic"], row["canaries"]) for row in rows):
        those = [row for row in rows if (row["statistic"], row["canaries"]) == (name, size)]
        share, runs, above = (
            float(np.mean([row["share"] for row in those])),
            sum(row["runs"] for row in those),
            sum(row["above"] for row in those),
        )
        found.append({"statistic": f"{name}, mean", "canaries": size, "share": share, "runs": runs, "above": above})
    return found


def _statistics(mean: float, rate: float) -> dict[str, Callable[[Scores], float]]:
    event = _event(1.0, rate)

    def ranks(guessed: float) -> Callable[[Scores], float]:
        def bound(seen: Scores) -> float:
            losses = Scores(_loss(seen.present, mean, rate), _loss(seen.absent, mean, rate))
            return _epsilon(one_run_ranks.least_noise(surest(losses, guessed), event, 0.95), rate)

        return bound

    return {
        **{f"order statistics, {share:g} guessed": ranks(share) for share in SHARES},
        "all thresholds": lambda seen: family.bound(seen, event=event, delta=DELTA).epsilon,
        "likelihood": lambda seen: sampled_gaussian.bound(seen, rate=rate, delta=DELTA).epsilon,
        "likelihood, known centre": lambda seen: (
            sampled_gaussian.bound(seen, rate=rate, delta=DELTA, centre=0.0).epsilon
        ),
    }


def _epsilon(noise: float | None, rate: float) -> float:
    return 0.0 if noise is None else exact.epsilon(_event(1 / noise, rate), DELTA).lower


def _event(mean: float, rate: float) -> Event:
    release = Gaussian(noise_multiplier=1 / mean, adjacency="add-remove")
    return release if rate == 1 else repeated(PoissonSampled(event=release, rate=rate), 1)


def _seen(mean: float, rate: float, size: int, seed: int) -> Scores:
    """Canaries, each seen once through the pair, independently, and scored by what was seen."""
    generator = np.random.default_rng((seed, size, round(100 * mean), round(100 * rate)))
    included = generator.random(size) < 0.5
    entered = included & (generator.random(size) < rate)
    seen = generator.normal(size=size) + mean * entered
    return Scores(seen[included], seen[~included])


def _loss(seen: np.ndarray, mean: float, rate: float) -> np.ndarray:
    """Logarithm of the likelihood ratio."""
    base = mean * seen - mean * mean / 2
    return base if rate == 1 else np.logaddexp(np.log1p(-rate), np.log(rate) + base)
