r"""A penalty on dependence of decisions and protected attribute that is a mean over records: DP-SGD serves for it.

Symbols: F_i(j) probability that the model gives example i the decision j, s_i its group, p_s a group's share of all
records, W a 2 x 2 matrix that is trained beside the model, upwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from wassdp import checks
from wassdp.training.engines import Loss


class Adversary(nn.Module):
    r"""A model of scores together with W, which maximises what the model minimises.

    Gives the scores and, for every example, W: so one clipped gradient is that of both, and its noise covers both. In
    the backward pass W's slope is turned round, so that whatever follows the released gradient downhill lets W climb.

    W starts where decisions and attribute are independent, at :math:`W_{js} = \sqrt{p_s}`, and is that plus ``scale``
    times the parameters that are trained: relative to the model's, its steps are as long as the scale's square, and
    its noise as the scale.

    Args:
        model: inputs to scores in [0, 1], shape (n,).
        shares: p, of the groups 0 and 1, public.
        scale: above 0.

    Raises:
        ValueError: an argument is outside its range.
    """

    def __init__(self, model: nn.Module, *, shares: Sequence[float], scale: float) -> None:
        super().__init__()
        self.model, self.scale = model, checks.positive("scale", scale)
        self.start = torch.tensor([[math.sqrt(checks.positive("shares", share)) for share in shares]] * 2)
        self.moved = nn.Linear(2, 2, bias=False)
        nn.init.zeros_(self.moved.weight)

    def forward(self, inputs: Tensor) -> tuple[Float[Tensor, " n"], Float[Tensor, "n 2 2"]]:
        scores = self.model(inputs)
        moved = self.moved(torch.eye(2).to(scores).expand(len(scores), 2, 2))
        return scores, self.start.to(scores) + self.scale * (2 * moved.detach() - moved)


def dependence_terms(
    scores: Float[Tensor, " n"], matrices: Float[Tensor, "n 2 2"], groups: Int64[Tensor, " n"], shares: Sequence[float]
) -> Float[Tensor, " n"]:
    r"""Each example's part of the penalty, whose mean is at most `dependence` and equal to it at the best W.

    .. math:: ψ_i = -\sum_j F_i(j) \sum_s W_{js}^2 + 2 \sum_j F_i(j) W_{j s_i} / \sqrt{p_{s_i}} - 1

    Args:
        scores: F_i(1).
        matrices: W of every example, decision first.
        groups: s_i, 0 or 1.
        shares: p.

    Source: Lowy, Gupta and Razaviyayn (2023), "Stochastic Differentially Private and Fair Learning", arXiv:2210.08781,
    the min-max form of the exponential Rényi mutual information, for two decisions and two groups.
    """
    chances = torch.stack([1 - scores, scores], dim=1)
    own = matrices.gather(2, groups[:, None, None].expand(-1, 2, 1))[:, :, 0]
    roots = torch.tensor(shares).to(scores).sqrt()[groups]
    terms: Tensor = (chances * (2 * own / roots[:, None] - matrices.square().sum(dim=2))).sum(dim=1) - 1
    return terms


def dependence(scores: Float[Tensor, " n"], groups: Int64[Tensor, " n"]) -> float:
    r"""Exponential Rényi mutual information of decision and group, :math:`\sum_{j,s} P(j, s)^2 / (P(j) P(s)) - 1`.

    At least 0, and 0 for independent ones; at most 1. Decisions are drawn with the scores as their probabilities. Reads
    data without noise.

    >>> dependence(torch.tensor([1.0, 1.0, 0.0, 0.0]), torch.tensor([0, 0, 1, 1]))
    1.0
    """
    members = torch.stack([groups == value for value in (0, 1)], dim=1).double()
    joint = torch.stack([1 - scores, scores]).double() @ members / len(scores)
    product = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0, keepdim=True)
    return float((joint.square() / product.clamp(min=1e-300)).sum()) - 1


def with_penalty(loss: Loss, *, alpha: float, shares: Sequence[float]) -> Loss:
    r"""The loss :math:`(1 - α) ℓ_i + α ψ_i` of what an `Adversary` gives and of `marked` targets.

    Raises:
        ValueError: alpha is not in [0, 1].
    """
    checks.probability("alpha", alpha)

    def penalised(output: Any, targets: Tensor) -> Tensor:
        scores, matrices = output
        terms = dependence_terms(scores, matrices, targets[:, 1].long(), shares)
        return (1 - alpha) * loss(scores, targets[:, 0]) + alpha * terms

    return penalised


def marked(targets: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Targets of the groups ``"0"`` and ``"1"``, shape (n,), each beside its group: shape (n, 2)."""
    return {name: torch.stack([aims, torch.full_like(aims, int(name))], dim=1) for name, aims in targets.items()}
