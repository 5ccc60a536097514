"""One parameter's gradients, an example each, in forms that need not hold them all.

Symbols: a_t and b_t are a layer's input and output gradient at position t of an example (a pixel, a
token, or the only one); n examples, T positions, I inputs, O outputs.

A form answers three questions: each example's squared norm, the sum of the gradients with given
weights, and, for the examples whose fast norm cannot be trusted, the gradients as they are, slowly.
A fast norm that cannot be trusted is NaN.

A norm that is a product of two is never too small: a factor may be so short that its square vanishes in single
precision, and the other one so long that the product is far above any clip norm. What may have vanished is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from wassdp.mechanisms.double_sums import add_product, weighted
from wassdp.mechanisms.norms import added_up

DIGITS = 1e-3
"""Share of its terms' absolute sum below which a Gram sum has lost too many digits to be trusted."""


class PerExample(Protocol):
    """Gradients of one parameter, one for each of n examples."""

    def squared_norms(self) -> Float[Tensor, " n"]:
        """Squared L2 norm of each example's gradient; NaN where it cannot be told quickly."""

    def add_weighted(self, factors: Float[Tensor, " n"], total: Float64[Tensor, " size"]) -> None:
        """Add to ``total`` the gradients' sum, each times its factor, flattened, in double precision throughout
        (`wassdp.mechanisms.double_sums`).
        """

    def row(self, example: int) -> Float[Tensor, " size"]:
        """One example's gradient, flattened, in double precision.

        Where the gradient's terms cancel, the norm of these very numbers bounds them, while that of the ideal gradient
        bounds no other way to compute it.
        """

    def scratch(self) -> int:
        """Numbers in the largest array that the norms need."""


def norm_without_overflow(rows: Float[Tensor, "k size"]) -> Float[Tensor, " k"]:
    """L2 norm of each row in double precision; NaN or infinite where an entry is.

    >>> norm_without_overflow(torch.tensor([[3e30, 4e30], [0.0, 0.0]])).float()
    tensor([5.0000e+30, 0.0000e+00])
    """
    rows = rows.double()
    peak = rows.abs().amax(dim=1, keepdim=True)
    scale = torch.where(peak == 0, torch.ones_like(peak), peak)
    norms: Tensor = torch.linalg.vector_norm(rows / scale, dim=1) * scale[:, 0]
    return norms


def trusted(squared: Float[Tensor, " n"], bound: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """``squared``, or NaN where it is so far below the sum of its terms' sizes that rounding dominates it."""
    doubtful: Bool[Tensor, " n"] = squared < DIGITS * bound
    return squared.masked_fill(doubtful, torch.nan)


def vanished(
    a: Tensor, b: Tensor, squares_a: Float[Tensor, " n"], squares_b: Float[Tensor, " n"]
) -> Float[Tensor, " n"]:
    r"""What underflow may have taken from :math:`\lVert a \rVert^2 \lVert b \rVert^2`, or from a sum that this bounds.

    A square below the least normal number t of its type may be lost. With A and B numbers in an example,
    :math:`\lVert a \rVert^2 \le \mathrm{squares}_a + A t`, and the product of the squares is at most
    :math:`A t \, \mathrm{squares}_b + B t \, \mathrm{squares}_a + A B t^2` too small. Gram matrices of T positions
    lose no more: each inner product at most A t / T, and their absolute sum is at most T times the squares.

    Args:
        a: shape (n, ...).
        b: shape (n, ...).
        squares_a: of a's examples, as computed in its type.
        squares_b: of b's examples.

    >>> a, b = torch.full((1, 1), 1e-25), torch.full((1, 1), 1e19)
    >>> float(a.square() * b.square()), float(vanished(a, b, a.square()[0], b.square()[0])) > 1e-12
    (0.0, True)
    """
    lost_a, lost_b = (values.shape[1:].numel() * torch.finfo(values.dtype).tiny for values in (a, b))
    return lost_a * squares_b + lost_b * squares_a + lost_a * lost_b


@dataclass(frozen=True)
class Materialised:
    """Each gradient as it is, shape (n, ...)."""

    gradients: Float[Tensor, " n *shape"]

    def squared_norms(self) -> Tensor:
        return squares(self.gradients)

    def add_weighted(self, factors: Tensor, total: Tensor) -> None:
        total += weighted(self.gradients.flatten(start_dim=1), factors)

    def row(self, example: int) -> Tensor:
        return self.gradients[example].double().flatten()

    def scratch(self) -> int:
        return self.gradients.numel()


@dataclass(frozen=True)
class Outer:
    r"""One outer product each: :math:`\lVert b a^\top \rVert = \lVert b \rVert \lVert a \rVert` (Goodfellow 2015).

    Args:
        inputs: a, shape (n, I).
        outputs: b, shape (n, O).
    """

    inputs: Float[Tensor, "n I"]
    outputs: Float[Tensor, "n O"]

    def squared_norms(self) -> Tensor:
        A, B = squares(self.inputs), squares(self.outputs)
        return A * B + vanished(self.inputs, self.outputs, A, B)

    def add_weighted(self, factors: Tensor, total: Tensor) -> None:
        add_product(self.outputs, factors, self.inputs, total.view(-1, self.inputs.shape[1]))

    def row(self, example: int) -> Tensor:
        return torch.outer(self.outputs[example].double(), self.inputs[example].double()).flatten()

    def scratch(self) -> int:
        return self.outputs.numel()


@dataclass(frozen=True)
class OuterSum:
    r"""A sum of outer products each, :math:`\sum_t b_t a_t^\top`, by its Gram matrices or as it is.

    .. math:: \Bigl\lVert \sum_t b_t a_t^\top \Bigr\rVert^2 = \sum_{t,t'} \langle a_t, a_{t'} \rangle
        \langle b_t, b_{t'} \rangle

    Source: Li et al. (2022), Large Language Models Can Be Strong Differentially Private Learners,
    arXiv:2110.05679, equation 2.

    Args:
        inputs: a, shape (n, T, I).
        outputs: b, shape (n, T, O).
    """

    inputs: Float[Tensor, "n T I"]
    outputs: Float[Tensor, "n T O"]

    def squared_norms(self) -> Tensor:
        A, B = self.inputs, self.outputs
        squared = ((A @ A.mT) * (B @ B.mT)).sum(dim=(1, 2))
        squares_a, squares_b = squares(A), squares(B)
        return trusted(squared, squares_a * squares_b) + vanished(A, B, squares_a, squares_b)

    def add_weighted(self, factors: Tensor, total: Tensor) -> None:
        outputs, inputs = self.outputs.flatten(end_dim=1), self.inputs.flatten(end_dim=1)
        places = factors.repeat_interleave(self.outputs.shape[1])
        add_product(outputs, places, inputs, total.view(outputs.shape[1], -1))

    def row(self, example: int) -> Tensor:
        return (self.outputs[example].double().mT @ self.inputs[example].double()).flatten()

    def scratch(self) -> int:
        return self.outputs.shape[0] * self.outputs.shape[1] ** 2


@dataclass(frozen=True)
class Lookups:
    r"""Rows of a table that were looked up: b_t is added to row r_t.

    .. math:: \Bigl\lVert \sum_t e_{r_t} b_t^\top \Bigr\rVert^2 = \sum_{t,t' : r_t = r_{t'}} \langle b_t, b_{t'} \rangle

    Args:
        rows: r, shape (n, T).
        outputs: b, shape (n, T, O); zero where the lookup does not count.
        table: rows of the table.
    """

    rows: Int64[Tensor, "n T"]
    outputs: Float[Tensor, "n T O"]
    table: int

    def squared_norms(self) -> Tensor:
        same = self.rows[:, :, None] == self.rows[:, None, :]
        products = self.outputs @ self.outputs.mT
        return trusted((products * same).sum(dim=(1, 2)), squares(self.outputs))

    def add_weighted(self, factors: Tensor, total: Tensor) -> None:
        scaled = (self.outputs.double() * factors[:, None, None]).flatten(end_dim=1)
        total.view(-1, scaled.shape[1]).index_add_(0, self.rows.flatten(), scaled)

    def row(self, example: int) -> Tensor:
        dense = self.outputs.new_zeros(self.table, self.outputs.shape[2], dtype=torch.float64)
        return dense.index_add_(0, self.rows[example], self.outputs[example].double()).flatten()

    def scratch(self) -> int:
        return self.outputs.shape[0] * self.outputs.shape[1] ** 2


def squares(values: Float[Tensor, " n *shape"]) -> Float[Tensor, " n"]:
    """Squared L2 norm of each example's numbers, in their type."""
    return added_up(values.flatten(start_dim=1)).square()
