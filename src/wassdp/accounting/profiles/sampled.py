r"""A mechanism on a random batch: what sampling does to a symmetric pair (P, Q).

With rate q and base loss ℓ, let A = (1 - q) Q + q P and B = Q. The loss of A against B is
x = log(1 + q(e^ℓ - 1)), increasing in ℓ.

- ``add``: the pair (A, B), δ₊(ε) = q δ(log(1 + (e^ε - 1)/q)).
- ``remove``: the pair (B, A), δ₋(ε) = 1 - e^ε + e^ε δ₊(-ε).
- ``replace``: sampling without replacement under replace-one, whose dominating profile is δ₊ for
  ε ≥ 0 and δ₋ for ε < 0: one pair, with the loss x under A above zero, -x under B below zero, and
  an atom at zero (Zhu, Dong, Wang, AISTATS 2022, Theorem 11).
- ``revealed``: the sample is seen by the adversary; δ(ε) = q δ_base(ε) for ε ≥ 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from wassdp import checks
from wassdp.accounting.profiles.base import NOTHING, Loss, Profile, Symmetric, Vector, merged, quadrature

_FAR = 30.0
"""Sampled loss from which on its own logarithm adds to it without loss."""

Side = Literal["add", "remove", "replace", "revealed"]


@dataclass(frozen=True, eq=False)
class Sampled(Profile):
    """``base`` on a random batch, seen from one side of the neighbouring relation.

    Args:
        base: the mechanism's own pair, symmetric.
        rate: q in (0, 1), the probability that a record enters the batch.
        side: which pair; see the module's description.
    """

    base: Symmetric
    rate: float
    side: Side

    def __post_init__(self) -> None:
        checks.open_unit("rate", self.rate)
        checks.one_of("side", self.side, get_args(Side))

    def delta(self, epsilon: Vector) -> Vector:
        trivial = -np.expm1(np.minimum(epsilon, 0.0))
        if self.side == "revealed":
            # H is jointly linear when the sample is published: nothing happens with probability 1 - q.
            return np.asarray(self.rate * self.base.delta(epsilon) + (1 - self.rate) * trivial)
        if self.side == "add":
            return self._add(epsilon)
        with np.errstate(over="ignore"):
            remove = trivial + np.exp(np.minimum(epsilon, 0.0)) * self._add(np.maximum(-epsilon, 0.0))
            positive = np.exp(np.minimum(epsilon, 700.0)) * self._reversed(epsilon)
        remove = np.where(epsilon > 0, positive, remove)
        return remove if self.side == "remove" else np.where(epsilon >= 0, self._add(epsilon), remove)

    def atoms(self) -> Loss:
        base = self.base.atoms()
        if self.side == "revealed":
            return Loss(np.append(base.loss, 0.0), np.append(self.rate * base.mass, 1 - self.rate))
        under_q = _mirrored(base)
        up = Loss(self._shrunk(base.loss), self.rate * base.mass + (1 - self.rate) * under_q)
        down = Loss(-up.loss, under_q)
        if self.side == "replace":
            keep = up.loss > 0
            both = Loss(up.loss[keep], up.mass[keep]) + Loss(down.loss[keep], down.mass[keep])
            # What A above zero and B above zero leave of the total mass 1: (1 - q) times the total variation, and ties.
            tie = float(base.mass[base.loss == 0].sum())
            still = (1 - self.rate) * float(self.base.delta(np.zeros(1))[0]) + tie
            return both + Loss(np.zeros(1), np.array([still]))
        return up if self.side == "add" else down

    def continuous(self, edges: Vector, tail: float) -> Loss:
        if self.side == "revealed":
            loss = self.base.continuous(edges, tail / self.rate)
            return Loss(loss.loss, self.rate * loss.mass)
        # Under B the loss -x, i.e. the pair (B, A), meets the edges mirrored.
        wanted = edges if self.side == "add" else np.concatenate((-edges[::-1], edges))
        spread = merged(self.base.breaks(tail), np.unique(self._stretched(wanted)))
        if spread.size < 2:
            return NOTHING
        if self.side == "replace":
            spread = np.unique(np.append(spread[spread > 0], 0.0))
        # Below ℓ = 0 both x and the weights vary over a unit of ℓ, however slowly the density does.
        nodes, widths = quadrature(spread, min(self.base.scale(), 1.0))
        logarithm = self.base.log_density(nodes)
        with np.errstate(under="ignore"):
            p, q = np.exp(logarithm) * widths, np.exp(logarithm - nodes) * widths
        up = Loss(self._shrunk(nodes), self.rate * p + (1 - self.rate) * q)
        down = Loss(-up.loss, q)
        if self.side == "replace":
            return up + down
        return up if self.side == "add" else down

    def ends(self, tail: float) -> tuple[float, float]:
        if self.side == "revealed":
            low, high = self.base.ends(tail / self.rate)
            return min(low, 0.0), max(high, 0.0)
        low_p, high_p = self.base.ends(min(tail / (2 * self.rate), 0.5))
        low_q, high_q = (-end for end in reversed(self.base.ends(tail / 2)))
        ends = checks.numbers("ends", np.array([low_p, low_q, high_p, high_q]))
        ends = np.array([min(low_p, low_q), max(high_p, high_q), low_q, high_q])
        low, high, below, above = self._shrunk(ends).tolist()
        if self.side == "remove":
            return -above, -below
        return (-above, high) if self.side == "replace" else (low, high)

    def largest(self) -> float:
        # Its own rounding, upwards.
        return super().largest() * (1 + 1e-15)

    def unbounded(self) -> float:
        # An infinite base loss means disjoint supports: A is unbounded against B, B is bounded against A.
        return 0.0 if self.side == "remove" else self.rate * self.base.unbounded()

    def _add(self, epsilon: Vector) -> Vector:
        inside = epsilon > math.log1p(-self.rate)
        stretched = self._stretched(np.where(inside, epsilon, 0.0))
        return np.where(inside, self.rate * self.base.delta(stretched), -np.expm1(np.minimum(epsilon, 0.0)))

    def _reversed(self, epsilon: Vector) -> Vector:
        # δ₋(ε)/e^ε = e^{-ε} - 1 + δ₊(-ε) for ε > 0, where the terms cancel: write δ₊ by the base's own
        # reflection δ(-ℓ) = 1 - e^{-ℓ} + e^{-ℓ} δ(ℓ), after which q e^{-ℓ} δ(ℓ) alone remains.
        inside = -epsilon > math.log1p(-self.rate)
        stretched = self._stretched(np.where(inside, -epsilon, 0.0))
        with np.errstate(under="ignore", over="ignore"):
            return np.where(inside, self.rate * np.exp(stretched) * self.base.delta(-stretched), 0.0)

    def _shrunk(self, loss: Vector) -> Vector:
        """The sampled loss x of ℓ: each form where nothing cancels in it."""
        far, log_rate = loss > 50, math.log(self.rate)
        grown = self.rate * np.expm1(np.where(far, 0.0, loss))
        shrunk = np.asarray(np.log1p(grown))
        if self.rate > 0.5 and (low := grown < -0.5).any():
            shrunk[low] = np.logaddexp(math.log1p(-self.rate), log_rate + loss[low])
        if far.any():
            large = loss[far]
            with np.errstate(under="ignore", over="ignore"):
                near = np.log1p(self.rate * np.exp(np.minimum(large, 700.0)) * np.exp(np.maximum(large - 700.0, 0.0)))
                beyond = large + log_rate + np.log1p(np.exp(-large - log_rate) - np.exp(-large))
            shrunk[far] = np.where(large + log_rate > _FAR, beyond, near)
        return shrunk

    def _stretched(self, loss: Vector) -> Vector:
        """The loss ℓ of x, likewise; minus infinity where no ℓ is so small."""
        far, log_rate, log_rest = loss > 50, math.log(self.rate), math.log1p(-self.rate)
        inside = np.where(far, 0.0, np.maximum(loss, log_rest))
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            grown = np.expm1(inside) / self.rate
            stretched = np.asarray(np.log1p(np.maximum(grown, -1.0)))
            if self.rate > 0.5 and (low := grown < -0.5).any():
                # What is left of 1 - q above the least x there is.
                stretched[low] = np.log(np.expm1(inside[low] - log_rest)) + log_rest - log_rate
            if (many := np.isinf(grown)).any():
                stretched[many] = np.log(np.expm1(inside[many])) - log_rate
            if far.any():
                large = loss[far]
                stretched[far] = large - log_rate + np.log1p(-(1 - self.rate) * np.exp(-large))
        return stretched


def _mirrored(atoms: Loss) -> Vector:
    """Masses of the atoms of a symmetric pair under Q: those of their opposites under P. No e^{-ℓ} overflows."""
    order = np.argsort(atoms.loss)
    if not np.array_equal(atoms.loss[order], -atoms.loss[order[::-1]]):
        raise ValueError(f"atoms = {atoms.loss.tolist()!r}: a symmetric pair has the opposite of each")
    under_q = np.empty(order.size)
    under_q[order] = atoms.mass[order[::-1]]
    return under_q
