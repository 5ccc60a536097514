"""The constant that the steps of WG's proof of Theorem 4.1 give when they are taken together.

It is at most the published one, equal to it for L₁ = 0, and half of it for L₁ = L₂; here it is searched for neighbours
that exceed it. Its proof stands at `wassdp.mechanisms.wasserstein_objective.Objective.sensitivity_of`.
"""

from __future__ import annotations

from wassdp.claims.inequality import Inequality
from wassdp.claims.moved_gradients import Neighbours, draw, moved, nearby, plain_moved, simpler


def _ratio(case: Neighbours) -> float:
    return moved(case) * len(case.left) / (4 * case.bound * (case.norms[0] + max(case.norms)))


def _larger_norm_alone(case: Neighbours) -> float:
    return moved(case) * len(case.left) / (4 * case.bound * max(case.norms))


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Section 1.1, a tight analysis",
    place="Section 1.1, first contribution; Theorem 4.1",
    statement=(
        "replacing one record of X in its place"
        " moves the gradient of W₂² by at most 4M (L₁ + max{L₁, L₂})/n, some by as much"
    ),
    formula="sup ‖Φ_θ(X) - Φ_θ(X̃)‖ = 4M (L₁ + max{L₁, L₂})/n",
    repairs="dp-wasserstein-gradients-tight-sensitivity",
    draw=lambda generator: draw(generator, dimensions=(1, 1, 2)),
    nearby=nearby,
    ratio=_ratio,
    verified=lambda case: (
        plain_moved(case) / (4 * case.bound * (case.norms[0] + max(case.norms[0], case.norms[1])) / len(case.left))
    ),
    corrupted=_larger_norm_alone,
    simpler=simpler,
    usual=8000,
    few=300,
)
