r"""Random small problems, built to be hard for TDP Theorems 3.1 to 3.4 and Remark 2.1, and what claims do with them.

The exact operator norm of a Gibbs posterior's differential is set beside the printed bound 2βR. Problems are finite:
any risks r >= 0 and any gradients at the records, but none where the risk is 0 and so least (a smooth function may
have them). Some have a rare hypothesis unlike the others, some have gradients that cancel in the mean, some have
records that only one hypothesis feels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from wassdp.claims.words import in_words
from wassdp.tangent import bounds, gibbs
from wassdp.tangent.bounds import InputNorm, OutputNorm
from wassdp.tangent.risks import MatrixRisks

Numbers = Float[np.ndarray, "..."]


@dataclass(frozen=True, eq=False)
class Case:
    """A small problem.

    Args:
        matrix: r, shape (hypotheses, records), in [0, 1].
        slopes: its gradients in the record, shape (hypotheses, records, dimension).
        beta: β.
    """

    matrix: Float[np.ndarray, "hypotheses records"]
    slopes: Float[np.ndarray, "hypotheses records dimension"]
    beta: float

    def __str__(self) -> str:
        return f"β = {self.beta:.6g}, r = {in_words(self.matrix)}, gradients of r = {in_words(self.slopes)}"

    @property
    def records(self) -> int:
        """N."""
        return int(self.matrix.shape[1])

    @cached_property
    def risks(self) -> MatrixRisks:
        """Risks r and their gradients, as the library takes them."""
        return MatrixRisks(self.matrix, slopes=self.slopes)

    @cached_property
    def posterior(self) -> gibbs.Posterior:
        """The posterior q."""
        return gibbs.posterior(self.risks, self.beta)

    @property
    def tangent(self) -> Float[np.ndarray, "hypotheses records"]:
        """DA_p."""
        return gibbs.differential(self.posterior, self.matrix)

    @property
    def log_tangent(self) -> Float[np.ndarray, "hypotheses records"]:
        """D(log ∘ A)_p."""
        return gibbs.log_differential(self.posterior, self.matrix)

    def stated(self, radius: float, *, data: InputNorm, output: OutputNorm) -> float:
        """2βR."""
        return bounds.gibbs_bound(radius, self.beta, data=data, output=output).constant


def case(generator: np.random.Generator, *, records: int | None = None) -> Case:
    """A random problem of 2 to 6 hypotheses and 2 to 6 records with 1 or 2 coordinates."""
    hypotheses, dimension = int(generator.integers(2, 7)), int(generator.integers(1, 3))
    records = int(generator.integers(2, 7)) if records is None else records
    matrix = generator.random((hypotheses, records))
    if generator.random() < 0.3:  # a risk of 0 or 1, each felt by few
        matrix = (matrix < generator.random()).astype(np.float64)
    slopes = generator.normal(size=(hypotheses, records, dimension))
    if generator.random() < 0.3:  # gradients of pairs of hypotheses that cancel up to a tenth
        half = hypotheses // 2
        slopes[half : 2 * half] = -0.9 * slopes[:half]
        matrix[half : 2 * half] = matrix[:half]
    if generator.random() < 0.3:  # a rare hypothesis, against the others
        matrix[0] = np.maximum(matrix[0], matrix.max() - 0.1 * generator.random(records))
        slopes[1:] = slopes[1] * (1 + 0.01 * generator.normal(size=(hypotheses - 1, 1, 1)))
        slopes[0] = -slopes[1]
    return _possible(matrix, slopes, float(10 ** generator.uniform(-2, 2)))


def simpler(found: Case) -> Iterator[Case]:
    """With a hypothesis, a record or a coordinate less, or with numbers of fewer digits."""
    hypotheses, records, dimension = found.slopes.shape
    for axis, (size, least) in enumerate(((hypotheses, 2), (records, 2), (dimension, 1))):
        for place in range(size if size > least else 0):
            matrix = found.matrix if axis == 2 else np.delete(found.matrix, place, axis=axis)
            yield _possible(matrix, np.delete(found.slopes, place, axis=axis), found.beta)
    if found.beta != 1.0:
        yield _possible(found.matrix, found.slopes, 1.0)
    for digits in (0, 1):
        for part in ("matrix", "slopes", "beta"):
            plain = {name: getattr(found, name) for name in ("matrix", "slopes", "beta")}
            plain[part] = np.round(plain[part], digits)
            if plain["beta"] > 0 and not np.array_equal(plain[part], getattr(found, part)):
                yield _possible(plain["matrix"], plain["slopes"], float(plain["beta"]))


def _possible(matrix: Numbers, slopes: Numbers, beta: float) -> Case:
    return Case(matrix, np.where(matrix[..., None] == 0, 0.0, slopes), beta)


def quotient(actual: float, stated: float) -> float:
    """``actual`` / ``stated``; 0 where nothing changes, which contradicts nothing."""
    if actual <= 1e-12:
        return 0.0
    return actual / stated if stated > 0 else float("inf")


def l1_norm(tangent: Float[np.ndarray, "outputs records"]) -> float:
    """Norm of DA from L¹ to L¹."""
    return float(np.abs(_differences(tangent)).sum(axis=0).max())


def log_norm(tangent: Float[np.ndarray, "outputs records"]) -> float:
    """Norm of D log A from L¹ to L^∞."""
    return float(np.abs(_differences(tangent)).max())


def _differences(tangent: Float[np.ndarray, "outputs records"]) -> Float[np.ndarray, "outputs pairs"]:
    """Images of (δ_x - δ_x')/2, the extreme points of the measures of mass 0 and L¹ norm 1."""
    first, second = np.triu_indices(tangent.shape[1], k=1)
    return np.asarray((tangent[:, first] - tangent[:, second]) / 2)
