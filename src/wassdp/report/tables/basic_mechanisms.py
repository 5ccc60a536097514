"""Printed and exact budgets of the Laplace and Gaussian mechanisms (WDP, Table 1)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import pandas as pd
from pydantic import Field

from wassdp.report.frames import curves, power, require
from wassdp.report.kinds import Table

FORMULAS = {
    ("laplace", "DP"): r"$1/\lambda$",
    ("gaussian", "DP"): r"$\infty$",
    ("laplace", "RDP"): r"$\frac{1}{\alpha-1}\log\{\frac{\alpha}{2\alpha-1}e^{(\alpha-1)/\lambda}"
    r"+\frac{\alpha-1}{2\alpha-1}e^{-\alpha/\lambda}\}$",
    ("gaussian", "RDP"): r"$\alpha/(2\sigma^2)$",
    ("laplace", "WDP"): r"$\frac12\Delta(\sqrt{2[1/\lambda+e^{-1/\lambda}-1]})^{1/\mu}$",
    ("gaussian", "WDP"): r"$\frac12(\Delta/\sigma)^{1/\mu}$",
}
SCALE = "parameters.scale"
BUDGETS = {"epsilon_pure_published": "printed", "epsilon_exact": "exact"}
CURVES = {"RDP": ("renyi", "divergence of the densities"), "WDP": ("wasserstein", "distance of the distributions")}
LAPLACE_AT_ONE = r"$1/\lambda+e^{-1/\lambda}-1$"


class BasicMechanismsTable(Table):
    """The table; its fields are its options."""

    caption: ClassVar[str] = """
    Budgets of the Laplace and Gaussian mechanisms at sensitivity 1, after *Wasserstein Differential Privacy* (Yang,
    Qi and Zhou 2024), Table 1: the printed formula, its value, and the exact value beside it, per noise scale.
    Exact is, for DP, the smallest ε at δ = 1e-5; for RDP, the Rényi divergence of the two densities by quadrature;
    for WDP, the Wasserstein distance of the two output distributions, which are translates. One release, no
    sampling, any neighbouring relation for which the sensitivity is 1. The RDP rows agree; the WDP rows do not.
    """

    orders: tuple[float, ...] = Field(default=(1.0, 2.0, 5.0, 10.0), min_length=1, description="orders to show")

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row per mechanism, framework and order; per noise scale the printed value and the exact one.

        Exact is: for DP, the smallest ε at the run's δ; for RDP, the divergence of the two densities by
        quadrature; for WDP, the Wasserstein distance of the two output distributions.

        Raises:
            ValueError: a column, a curve or an order is missing.
        """
        require(runs, ["run", "parameters.mechanism", SCALE, "parameters.delta", *BUDGETS])
        if runs["parameters.delta"].nunique() != 1:
            raise ValueError("runs: must share one delta")
        smallest = f"smallest ε at δ = {power(float(runs['parameters.delta'].iloc[0]))}"
        rows: list[dict[str, Any]] = []
        for mechanism in ("laplace", "gaussian"):
            known = runs[runs["parameters.mechanism"] == mechanism].sort_values(SCALE)
            if known.empty:
                raise ValueError(f"runs: has none of the {mechanism} mechanism")
            # A budget that no formula bounds is missing in the table of runs.
            budgets = known.set_index(SCALE)[list(BUDGETS)].fillna(math.inf).rename(columns=BUDGETS)
            rows.append(_row(mechanism, "DP", None, smallest) | _cells(budgets))
            for framework, (name, exact) in CURVES.items():
                pair = {
                    kind: curves(known[["run", SCALE]], history, f"{name}/{source}", "order")
                    for kind, source in (("printed", "published"), ("exact", "exact"))
                }
                for order in self.orders:
                    values = pd.DataFrame({kind: _at(points, order) for kind, points in pair.items()})
                    rows.append(_row(mechanism, framework, order, exact) | _cells(values.loc[known[SCALE]]))
        return pd.DataFrame(rows)


def _row(mechanism: str, framework: str, order: float | None, exact: str) -> dict[str, Any]:
    at_one = (mechanism, framework, order) == ("laplace", "RDP", 1.0)
    formula = LAPLACE_AT_ONE if at_one else FORMULAS[mechanism, framework]
    about = {"mechanism": mechanism.capitalize(), "framework": framework, "order": order}
    return {**about, "printed formula": formula, "exact is the": exact}


def _cells(values: pd.DataFrame) -> dict[str, float]:
    """Printed and exact values, by scale."""
    rows = values.to_dict("index")
    return {f"scale {scale:g} {kind}": float(value) for scale, row in rows.items() for kind, value in row.items()}


def _at(points: pd.DataFrame, order: float) -> pd.Series[float]:
    """The values at an order, by scale."""
    near = points[(points["order"] - order).abs() < 1e-9].set_index(SCALE)["value"]
    times = near.index.value_counts().reindex(points[SCALE].unique(), fill_value=0)
    for scale, count in times[times != 1].items():
        raise ValueError(f"orders = {order!r}: was computed {count} times at scale {scale:g}, not once")
    return near
