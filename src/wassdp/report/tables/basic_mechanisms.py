"""Printed and exact budgets of the Laplace and Gaussian mechanisms (WDP, Table 1)."""

from __future__ import annotations

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
        keys = [
            "parameters.mechanism",
            "parameters.scale",
            "parameters.delta",
            "epsilon_exact",
            "epsilon_pure_published",
        ]
        require(runs, ["run", *keys])
        if runs["parameters.delta"].nunique() != 1:
            raise ValueError("runs: must share one delta")
        delta = float(runs["parameters.delta"].iloc[0])
        rows: list[dict[str, Any]] = []
        for mechanism in ("laplace", "gaussian"):
            own = runs[runs["parameters.mechanism"] == mechanism].sort_values("parameters.scale")
            if own.empty:
                raise ValueError(f"runs: has none of the {mechanism} mechanism")
            row = _row(mechanism, "DP", None, f"smallest ε at δ = {power(delta)}")
            for _, run in own.iterrows():
                printed = run["epsilon_pure_published"]
                row |= _cells(
                    run["parameters.scale"], float("inf") if pd.isna(printed) else printed, run["epsilon_exact"]
                )
            rows.append(row)
            for framework, name in (("RDP", "renyi"), ("WDP", "wasserstein")):
                exact = "divergence of the densities" if name == "renyi" else "distance of the distributions"
                pair = [
                    curves(own[["run", "parameters.scale"]], history, f"{name}/{source}", "order")
                    for source in ("published", "exact")
                ]
                for order in self.orders:
                    row = _row(mechanism, framework, order, exact)
                    for scale in own["parameters.scale"]:
                        row |= _cells(scale, *(_at(points, scale, order) for points in pair))
                    rows.append(row)
        return pd.DataFrame(rows)


def _row(mechanism: str, framework: str, order: float | None, exact: str) -> dict[str, Any]:
    formula = FORMULAS[mechanism, framework]
    if (mechanism, framework, order) == ("laplace", "RDP", 1.0):
        formula = LAPLACE_AT_ONE
    return {
        "mechanism": mechanism.capitalize(),
        "framework": framework,
        "order": order,
        "printed formula": formula,
        "exact is the": exact,
    }


def _cells(scale: float, printed: float, exact: float) -> dict[str, float]:
    return {f"scale {scale:g} printed": float(printed), f"scale {scale:g} exact": float(exact)}


def _at(points: pd.DataFrame, scale: float, order: float) -> float:
    found = points[(points["parameters.scale"] == scale) & ((points["position"] - order).abs() < 1e-9)]
    if len(found) != 1:
        raise ValueError(f"orders = {order!r}: was computed {len(found)} times at scale {scale:g}, not once")
    return float(found["value"].iloc[0])
