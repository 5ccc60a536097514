"""Budgets of basic mechanisms over the order: Figure 1 and Table 1 of *Wasserstein Differential Privacy*."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from wassdp import experiment
from wassdp.accounting.formulas import mechanisms
from wassdp.ranges import AccountedDelta, PositiveNoise
from wassdp.result import curve

PHASE = "generate"


class Parameters(experiment.Parameters):
    """One mechanism at one noise scale."""

    mechanism: mechanisms.Mechanism
    scale: Annotated[PositiveNoise, Field(description="scale of the Laplace, standard deviation of the Gaussian noise")]
    sensitivity: Annotated[float, Field(gt=0, description="L1 (Laplace) or L2 (Gaussian) sensitivity")] = 1.0
    least_order: Annotated[float, Field(ge=1)] = 1.0
    largest_order: Annotated[float, Field(ge=1)] = 10.0
    orders: Annotated[int, Field(ge=1, description="number of orders, evenly spaced")] = 100
    delta: AccountedDelta = 1e-5

    def describe(self) -> experiment.Description:
        return experiment.Description(method=f"{self.mechanism.capitalize()}, scale {self.scale:g}")

    def impossible(self) -> str | None:
        if self.largest_order < self.least_order:
            return f"largest_order {self.largest_order} is below least_order {self.least_order}"
        return None


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Evaluate the printed formulas and the exact values. Nothing is random.

    The printed Rényi formulas are for sensitivity 1, so they are read at noise scale / sensitivity.
    """
    mechanism, scale, delta = parameters.mechanism, parameters.scale, parameters.delta
    orders = np.linspace(parameters.least_order, parameters.largest_order, parameters.orders)
    reach = parameters.sensitivity
    curves = {
        "renyi/published": [mechanisms.printed_renyi(mechanism, scale / reach, order) for order in orders.tolist()],
        "renyi/exact": [mechanisms.integrated_renyi(mechanism, scale / reach, order) for order in orders.tolist()],
        "wasserstein/published": [
            mechanisms.printed_wasserstein(mechanism, scale, order, sensitivity=reach) for order in orders.tolist()
        ],
        "wasserstein/exact": [mechanisms.exact_wasserstein(reach)] * len(orders),
        "wasserstein/coupling": [
            mechanisms.coupled_wasserstein(mechanism, scale, order, sensitivity=reach) for order in orders.tolist()
        ],
    }
    metrics = {
        "epsilon_exact": mechanisms.exact_epsilon(mechanism, scale, delta, sensitivity=reach),
        "wasserstein_1_quadrature": mechanisms.first_wasserstein(mechanism, scale, sensitivity=reach),
    }
    if math.isfinite(pure := mechanisms.printed_pure(mechanism, scale / reach)):
        metrics["epsilon_pure_published"] = pure
    return experiment.Findings(
        metrics=metrics,
        history=tuple(point for name, values in curves.items() for point in curve(name, "order", orders, values)),
    )
