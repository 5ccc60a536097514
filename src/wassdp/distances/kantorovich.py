r"""Wasserstein distances between discrete laws in any dimension, by linear programming: the primal and its dual.

Exact to the solver's tolerance and slow beyond a few hundred points: for checks and small problems. On the line,
`wassdp.distances.one_d` sorts instead. Symbols: P and Q, laws on points x_i and y_j with weights p_i and q_j;
ρ, the Euclidean distance; W_μ, the Wasserstein distance of order μ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy import sparse
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from wassdp import checks

First = Float[np.ndarray, "n dimension"]
Second = Float[np.ndarray, "m dimension"]
FirstWeights = Float[np.ndarray, " n"]
SecondWeights = Float[np.ndarray, " m"]


@dataclass(frozen=True, eq=False)
class Potential:
    """A Kantorovich potential.

    Args:
        value: E_P φ − E_Q φ, unit of the points: the distance, where φ is the best one.
        at_first: φ at the points of P, up to a common constant.
        at_second: φ at the points of Q, up to the same constant.
    """

    value: float
    at_first: FirstWeights
    at_second: SecondWeights


def transport(
    x: First, y: Second, *, order: float, x_weights: FirstWeights | None = None, y_weights: SecondWeights | None = None
) -> float:
    r"""W_μ by its primal: the cheapest plan.

    .. math:: W_\mu(P, Q) = \Big( \min_{\gamma \ge 0} \sum_{ij} \gamma_{ij} \rho(x_i, y_j)^\mu \Big)^{1/\mu},
              \quad \sum_j \gamma_{ij} = p_i, \; \sum_i \gamma_{ij} = q_j

    The solver does not tell costs :math:`\rho^\mu` below 1e-10 of the largest from 0: at high orders, short ways are
    not optimised, and the value may be too large by up to :math:`10^{-10/\mu}` of the largest distance.

    Args:
        x: points of P, shape (n, dimension).
        y: points of Q, shape (m, dimension).
        order: μ, at least 1.
        x_weights: p, shape (n,), scaled to sum to 1; uniform if None.
        y_weights: q, shape (m,), likewise.

    Raises:
        ValueError: an argument is out of range, or the solver fails.
    Source: Yang, Qi and Zhou (2024), AAAI, Definition 1 (equation 1).

    >>> transport(np.array([[0.0], [1.0]]), np.array([[5.0]]), order=1.0)
    4.5
    """
    checks.at_least("order", order, 1)
    p, q, distances = _prepared(x, y, x_weights, y_weights)
    scale = float(distances.max())
    if scale == 0:
        return 0.0
    rows = sparse.kron(sparse.eye(len(p)), np.ones((1, len(q))))
    columns = sparse.kron(np.ones((1, len(p))), sparse.eye(len(q)))
    costs = ((distances / scale) ** order).ravel()
    _, plan = _solved(costs, A_eq=sparse.vstack([rows, columns]), b_eq=np.concatenate([p, q]))
    moved = np.where(plan > 1e-12, plan, 0.0)  # a rounding error has a large root
    return scale * float((costs @ moved) ** (1 / order))


def potential(
    x: First, y: Second, *, x_weights: FirstWeights | None = None, y_weights: SecondWeights | None = None
) -> Potential:
    r"""W_1 by its dual: the function of Lipschitz constant 1 whose means differ most.

    .. math:: K(P, Q) = \max_\varphi E_P \varphi - E_Q \varphi,
              \quad |\varphi(z) - \varphi(z')| \le \rho(z, z')

    over all pairs of points of P and Q. A function on these points extends to the whole space with the same constant
    (McShane 1934), so nothing is lost.

    Args, Raises: as for `transport`.
    Source: Yang, Qi and Zhou (2024), AAAI, Definitions 2 and 4 (equations 2 and 5).

    >>> best = potential(np.array([[0.0], [1.0]]), np.array([[5.0]]))
    >>> round(best.value, 12), bool(np.isclose(best.at_first[0] - best.at_second[0], 5.0))
    (4.5, True)
    """
    p, q, _ = _prepared(x, y, x_weights, y_weights)
    points = np.concatenate([x, y])
    distances = cdist(points, points)
    scale = float(distances.max())
    if scale == 0:
        return Potential(0.0, np.zeros(len(p)), np.zeros(len(q)))
    first, second = np.nonzero(~np.eye(len(points), dtype=bool))
    each, signs = np.arange(len(first)), np.ones(len(first))
    slopes = sparse.csr_array((np.concatenate([signs, -signs]), (np.tile(each, 2), np.concatenate([first, second]))))
    value, found = _solved(
        np.concatenate([-p, q]), A_ub=slopes, b_ub=distances[first, second] / scale, bounds=(-1.0, 1.0)
    )
    return Potential(-value * scale, found[: len(p)] * scale, found[len(p) :] * scale)


def _prepared(
    x: First, y: Second, x_weights: FirstWeights | None, y_weights: SecondWeights | None
) -> tuple[FirstWeights, SecondWeights, Float[np.ndarray, "n m"]]:
    """Weights that sum to 1, and all distances."""
    scaled = []
    for name, points, given in zip(("x", "y"), (x, y), (x_weights, y_weights), strict=True):
        if points.ndim != 2 or len(points) == 0 or not np.isfinite(points).all():
            raise ValueError(f"{name} has shape {points.shape}: must be (points, dimension), not empty, all finite")
        each = np.ones(len(points)) if given is None else given
        if each.shape != points.shape[:1] or not (np.isfinite(each).all() and (each >= 0).all() and each.sum() > 0):
            raise ValueError(f"{name}_weights: must be {len(points)} finite numbers of at least 0, not all 0")
        scaled.append(each / each.sum())
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"y has {y.shape[1]} coordinates: must have those of x, {x.shape[1]}")
    return scaled[0], scaled[1], cdist(x, y)


def _solved(
    costs: Float[np.ndarray, " variables"], **constraints: Any
) -> tuple[float, Float[np.ndarray, " variables"]]:
    """The least value, and where it is reached."""
    exact: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found: Any = linprog(costs, **constraints, method="highs", options=exact)
    if not found.success:
        raise ValueError(f"no solution: {found.message}")
    return float(found.fun), np.asarray(found.x)
