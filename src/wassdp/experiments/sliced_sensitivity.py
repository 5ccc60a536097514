"""The squared sensitivity of random projections: drawn, computed and bounded. Figures 1 and 7 of *DP-SWD*."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from jaxtyping import Float
from pydantic import Field
from scipy import stats

from wassdp import experiment
from wassdp.accounting.formulas import projected_norm, sliced_tails
from wassdp.result import Point, curve

PHASE = "generate"

# Directions in memory at a time.
CHUNK = 4_000_000
BINS = 60
AXIS = "squared sensitivity"


class Parameters(experiment.Parameters):
    """H = ‖Uᵀz‖² for a fixed unit vector z and k directions, independent and uniform on the sphere."""

    projections: Annotated[int, Field(ge=1, description="k")] = 200
    dimension: Annotated[int, Field(ge=2, description="d")] = 784
    draws: Annotated[int, Field(ge=100, description="draws of all k directions")] = 10_000
    tails: Annotated[
        tuple[Annotated[float, Field(ge=10 * projected_norm.LEAST_TAIL, lt=1)], ...],
        Field(min_length=1, description="probabilities with which a bound may be exceeded"),
    ] = (1e-2, 1e-3, 1e-5)


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Draw H, compute its law, and compare the bounds printed for it.

    Curves over the squared sensitivity: ``density/drawn``, ``density/exact``, ``density/normal`` (the normal law of
    equal mean and deviation). Curves over the tail probability: ``bound/bernstein``, ``bound/clt``, and the exact
    quantile between ``quantile/lower`` and ``quantile/upper``; ``exceeded/<bound>/lower`` and ``/upper``, how probable
    it really is that H passes the bound; ``exceeded/<bound>/drawn``, the share of the draws that did.

    Metrics: ``mean_drawn``, ``mean_exact``, ``deviation_drawn``, ``deviation_exact``, and ``kolmogorov``, the largest
    gap between the drawn and the computed distribution function.
    """
    k, d = parameters.projections, parameters.dimension
    drawn = np.sort(_draw(parameters, np.random.default_rng(seed)))
    law = projected_norm.law(k, d)
    mean, deviation = k / d, float(np.sqrt(k * 2 * (d - 1) / (d**2 * (d + 2))))
    edges = np.linspace(0.0 if k == 1 else drawn[0], drawn[-1], BINS + 1)
    width = float(edges[1] - edges[0])
    centres = edges[:-1] + width / 2
    history: list[Point] = []
    for name, values in (
        ("drawn", np.histogram(drawn, bins=edges)[0] / (len(drawn) * width)),
        ("exact", law.density(centres, width)),
        ("normal", np.asarray(stats.norm(mean, deviation).pdf(centres))),
    ):
        history += curve(f"density/{name}", AXIS, centres, values)
    for tail in parameters.tails:
        low, high = law.quantile(tail)
        curves = {"quantile/lower": low, "quantile/upper": high}
        for name, bound in (("bernstein", sliced_tails.bernstein), ("clt", sliced_tails.central_limit)):
            value = bound(k, d, tail)
            least, most = law.exceeded(value)
            curves |= {
                f"bound/{name}": value,
                f"exceeded/{name}/lower": least,
                f"exceeded/{name}/upper": most,
                f"exceeded/{name}/drawn": float(np.mean(drawn > value)),
            }
        for name, value in curves.items():
            history += curve(name, "tail", [tail], [value])
    shares = np.arange(1, len(drawn) + 1) / len(drawn)
    middle = np.array([1 - np.mean(law.exceeded(float(value))) for value in drawn[:: max(1, len(drawn) // 500)]])
    return experiment.Findings(
        metrics={
            "mean_drawn": float(drawn.mean()),
            "mean_exact": mean,
            "deviation_drawn": float(drawn.std(ddof=1)),
            "deviation_exact": deviation,
            "kolmogorov": float(np.abs(middle - shares[:: max(1, len(drawn) // 500)]).max()),
        },
        history=tuple(history),
    )


def _draw(parameters: Parameters, generator: np.random.Generator) -> Float[np.ndarray, " draws"]:
    """H for an arbitrary fixed z: whole directions are drawn, nothing about their law is used."""
    k, d = parameters.projections, parameters.dimension
    z = generator.standard_normal(d)
    z /= np.linalg.norm(z)
    at_once = max(1, CHUNK // (k * d))
    drawn = []
    for first in range(0, parameters.draws, at_once):
        count = min(at_once, parameters.draws - first)
        normal = generator.standard_normal((count * k, d), dtype=np.float32)
        squares = (normal @ z.astype(np.float32)) ** 2 / np.einsum("ij,ij->i", normal, normal)
        drawn.append(squares.reshape(count, k).sum(axis=1, dtype=np.float64))
    return np.concatenate(drawn)
