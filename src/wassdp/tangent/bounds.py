"""The tangent bound as a statement: which norms, at which distribution, to first order; Remark 2.1 on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from wassdp import checks

InputNorm = Literal["total variation", "wasserstein"]
OutputNorm = Literal["L1", "log"]


@dataclass(frozen=True)
class TangentBound:
    """A is Lipschitz (output L1) or log-Lipschitz (output log) at one distribution p, with this constant.

    Not (epsilon, delta)-DP: it says nothing about data far from p, and neglects second-order terms even near it.

    Args:
        constant: C_p, at least 0.
        data: norm on changes of p.
        output: norm on changes of q, or of log q.
    Source: TDP Definitions 2.1 and 2.2.
    """

    constant: float
    data: InputNorm
    output: OutputNorm

    def __post_init__(self) -> None:
        checks.non_negative("constant", self.constant)
        checks.one_of("data", self.data, ("total variation", "wasserstein"))
        checks.one_of("output", self.output, ("L1", "log"))

    def at(self, distance: float) -> float:
        """C_p · ‖p̃ - p‖: the change of q or log q for a small distance, to first order."""
        return self.constant * checks.non_negative("distance", distance)

    def with_other(self, other: TangentBound) -> TangentBound:
        """The bound for releasing both outputs, drawn independently (TDP Remark 2.1(d)): constants add.

        Raises:
            ValueError: the two are about different norms.

        >>> TangentBound(1.0, "wasserstein", "log").with_other(TangentBound(2.0, "wasserstein", "log")).constant
        3.0
        """
        if (self.data, self.output) != (other.data, other.output):
            raise ValueError(f"other = {other}: must be for {self.data} and {self.output} too")
        return TangentBound(self.constant + other.constant, self.data, self.output)


def gibbs_bound(radius: float, inverse_temperature: float, *, data: InputNorm, output: OutputNorm) -> TangentBound:
    """2βR, the bound of TDP Theorems 3.1 to 3.4 as printed; what R is depends on the norms.

    Theorem 3.3 (Wasserstein, L1) is refuted as printed: gradients of different w cancel inside its norm, so that R can
    be 0 while q moves. It holds with R = ∫ q ‖r(w, ·)‖ dw: see the claims ``tangent-theorem-3-3`` and ``-repaired``.
    """
    checks.positive("inverse_temperature", inverse_temperature)
    return TangentBound(2 * inverse_temperature * checks.non_negative("radius", radius), data, output)


def deletion_distance(records: int) -> float:
    """‖p̃ - p‖ in L¹ when one of N equal records is deleted or replaced: 2/N."""
    return 2 / checks.whole("records", records, least=2)


def move_distance(displacement: float, records: int) -> float:
    """‖p̃ - p‖ in Ḣ^{-1}(p), to first order, when one of N equal records moves by a displacement: |v|/√N."""
    return checks.non_negative("displacement", displacement) / math.sqrt(checks.whole("records", records, least=1))


def processed(
    kernel: Float[np.ndarray, "outputs hypotheses"], tangent: Float[np.ndarray, "hypotheses records"]
) -> Float[np.ndarray, "outputs records"]:
    """The differential after a randomised map of the output: K · DA_p (TDP Remark 2.1(c)).

    Args:
        kernel: K, one distribution over the new outputs in each column.
        tangent: DA_p, from `wassdp.tangent.gibbs.differential`.

    Raises:
        ValueError: a column of the kernel is no distribution.
    """
    if (kernel < 0).any() or not np.allclose(kernel.sum(axis=0), 1.0):
        raise ValueError("kernel: every column must be a distribution")
    return np.asarray(kernel @ tangent)
