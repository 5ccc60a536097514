r"""Potentials of Gibbs posteriors over continuous parameters: U(w) = β mean_x r(w, x) + ‖w‖² / (2τ²).

The Gaussian base measure of deviation τ takes the place of TDP (3.1)'s uniform one, which has no
normalisation for a bounded risk on an unbounded W.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float, Int

from wassdp import checks
from wassdp.tangent.losses import MarginLoss
from wassdp.tangent.risks import check_examples, record_blocks

Chains = Float[np.ndarray, "chains parameters"]


class PotentialScores(Protocol):
    """A family of real-valued classifiers x ↦ f_w(x)."""

    def parameters(self, dimension: int) -> int:
        """Length of w for records of that dimension."""

    def forward(
        self, chains: Chains, features: Float[np.ndarray, "records dimension"]
    ) -> tuple[Float[np.ndarray, "chains records"], Any]:
        """Scores f_w(x), and what the two pullbacks need."""

    def pullback(
        self, memory: Any, weights: Float[np.ndarray, "chains records"], features: Float[np.ndarray, "records dim"]
    ) -> Chains:
        """Σ_x weights · ∇_w f_w(x)."""

    def input_gradients(
        self, chains: Chains, features: Float[np.ndarray, "records dimension"]
    ) -> Float[np.ndarray, "chains records dimension"]:
        """∇_x f_w(x)."""


@dataclass(frozen=True)
class LinearScores:
    """f_w(x) = ⟨w, x⟩, with a last parameter added as intercept if asked for."""

    intercept: bool = False

    def parameters(self, dimension: int) -> int:
        return dimension + self.intercept

    def forward(
        self, chains: Chains, features: Float[np.ndarray, "records dimension"]
    ) -> tuple[Float[np.ndarray, "chains records"], None]:
        scores = chains[:, : features.shape[1]] @ features.T
        return (scores + chains[:, -1:] if self.intercept else scores), None

    def pullback(
        self, memory: None, weights: Float[np.ndarray, "chains records"], features: Float[np.ndarray, "records dim"]
    ) -> Chains:
        pulled = weights @ features
        return np.hstack([pulled, weights.sum(axis=1, keepdims=True)]) if self.intercept else pulled

    def input_gradients(
        self, chains: Chains, features: Float[np.ndarray, "records dimension"]
    ) -> Float[np.ndarray, "chains records dimension"]:
        records, dimension = features.shape
        return np.broadcast_to(chains[:, None, :dimension], (len(chains), records, dimension))


@dataclass(frozen=True)
class NetworkScores:
    """f_w(x) = ⟨b, tanh(A x + a)⟩ + b₀, one hidden layer; w is A row by row, then a, b, b₀."""

    hidden: int

    def __post_init__(self) -> None:
        checks.whole("hidden", self.hidden, least=1)

    def parameters(self, dimension: int) -> int:
        return self.hidden * (dimension + 2) + 1

    def _parts(self, chains: Chains, dimension: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        split = np.cumsum([self.hidden * dimension, self.hidden, self.hidden])
        inner, shift, outer, last = np.split(chains, split, axis=1)
        return inner.reshape(len(chains), self.hidden, dimension), shift, outer, last

    def forward(
        self, chains: Chains, features: Float[np.ndarray, "records dimension"]
    ) -> tuple[Float[np.ndarray, "chains records"], Any]:
        inner, shift, outer, last = self._parts(chains, features.shape[1])
        units = np.tanh(features @ inner.swapaxes(1, 2) + shift[:, None, :])
        return (units @ outer[:, :, None])[:, :, 0] + last, (units, outer)

    def pullback(
        self, memory: Any, weights: Float[np.ndarray, "chains records"], features: Float[np.ndarray, "records dim"]
    ) -> Chains:
        units, outer = memory
        back = weights[:, :, None] * outer[:, None, :] * (1 - units**2)
        inner = (back.swapaxes(1, 2) @ features).reshape(len(outer), -1)
        outward = (weights[:, None, :] @ units)[:, 0]
        return np.hstack([inner, back.sum(axis=1), outward, weights.sum(axis=1, keepdims=True)])

    def input_gradients(
        self, chains: Chains, features: Float[np.ndarray, "records dimension"]
    ) -> Float[np.ndarray, "chains records dimension"]:
        inner = self._parts(chains, features.shape[1])[0]
        units, outer = self.forward(chains, features)[1]
        return np.asarray((outer[:, None, :] * (1 - units**2)) @ inner)


@dataclass(frozen=True, eq=False)
class Potential:
    """U of one family of classifiers on one set of records, for several chains at once.

    Args:
        scores: the family.
        features: x, shape (records, dimension), norm at most ``feature_norm``.
        labels: y, -1 or 1.
        loss: φ of the margin y f_w(x).
        inverse_temperature: β > 0.
        base_std: τ > 0.
        feature_norm: public bound on ‖x‖.

    Raises:
        ValueError: an argument is out of its range.
    """

    scores: PotentialScores
    features: Float[np.ndarray, "records dimension"]
    labels: Float[np.ndarray, " records"]
    loss: MarginLoss
    inverse_temperature: float
    base_std: float
    feature_norm: float = 1.0

    def __post_init__(self) -> None:
        check_examples(self.features, self.labels, self.feature_norm)
        checks.positive("inverse_temperature", self.inverse_temperature)
        checks.positive("base_std", self.base_std)

    @property
    def records(self) -> int:
        """N."""
        return len(self.labels)

    @property
    def parameters(self) -> int:
        """Length of w."""
        return self.scores.parameters(self.features.shape[1])

    def value(self, chains: Chains) -> Float[np.ndarray, " chains"]:
        """U of each chain."""
        return self._value(chains, self.risks(chains).mean(axis=1))

    def value_and_gradient(
        self, chains: Chains, batch: Int[np.ndarray, " batch"] | None = None
    ) -> tuple[Float[np.ndarray, " chains"], Chains]:
        """U and its gradient, of all records or estimated from a batch of them; jumps of the loss count as slope 0."""
        features, labels = (self.features, self.labels) if batch is None else (self.features[batch], self.labels[batch])
        scores, memory = self.scores.forward(chains, features)
        margins = scores * labels
        value = self._value(chains, self.loss.value(margins).mean(axis=1))
        gradient = chains / self.base_std**2
        if self.loss.slope is not None:
            weights = self.loss.slope(margins) * labels * (self.inverse_temperature / len(labels))
            gradient = gradient + self.scores.pullback(memory, weights, features)
        return value, gradient

    def margins(self, chains: Chains, records: slice = slice(None)) -> Float[np.ndarray, "chains records"]:
        """The margins y f_w(x)."""
        return np.asarray(self.scores.forward(chains, self.features[records])[0] * self.labels[records])

    def risks(self, chains: Chains) -> Float[np.ndarray, "chains records"]:
        """r(w, x) = φ(y f_w(x))."""
        return self.loss.value(self.margins(chains))

    def risk_gradients(self, chains: Chains) -> Iterator[tuple[slice, Float[np.ndarray, "chains block dimension"]]]:
        """∇_x r(w, x), block of records by block of records.

        Raises:
            ValueError: the loss has jumps.
        """
        if self.loss.slope is None:
            raise ValueError("loss: has jumps; Wasserstein quantities need gradients in the record")
        for first, last in record_blocks(self.records, chains.shape[0] * self.features.shape[1]):
            part = slice(first, last)
            slopes = self.loss.slope(self.margins(chains, part)) * self.labels[part]
            yield part, slopes[:, :, None] * self.scores.input_gradients(chains, self.features[part])

    def _value(self, chains: Chains, mean_risk: Float[np.ndarray, " chains"]) -> Float[np.ndarray, " chains"]:
        return np.asarray(self.inverse_temperature * mean_risk + (chains**2).sum(axis=1) / (2 * self.base_std**2))
