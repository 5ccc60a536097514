r"""TDP Theorems 3.1 to 3.4 and Remark 2.1, on random small problems built to be hard for them.

The exact operator norm of a Gibbs posterior's differential is set beside the printed bound 2βR. Problems are finite:
any risks r >= 0 and any gradients at the records, but none where the risk is 0 and so least (a smooth function may
have them). Some have a rare hypothesis unlike
the others, some have gradients that cancel in the mean, some have records that only one hypothesis feels.

Theorem 3.3's proof bounds ∫ q |∫ r ε dx| dw by the Ḣ¹ norm of ∫ q r dw "by non-negativity of q r"; but that norm sees
gradients, which have signs and may cancel: entirely, and then R is 0 while q moves. What the step proves has
∫ q(w) ‖r(w, ·)‖ dw in place of R: the repaired statement beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims.verdict import Claim
from wassdp.tangent import bounds, gibbs, radii
from wassdp.tangent.bounds import InputNorm, OutputNorm
from wassdp.tangent.risks import MatrixRisks


@dataclass(frozen=True, eq=False)
class Case:
    """A small problem and its posterior."""

    risks: MatrixRisks
    posterior: gibbs.Posterior

    @property
    def tangent(self) -> Float[np.ndarray, "hypotheses records"]:
        """DA_p."""
        return gibbs.differential(self.posterior, self.risks.matrix)

    def stated(self, radius: float, *, data: InputNorm, output: OutputNorm) -> float:
        """2βR."""
        return bounds.gibbs_bound(radius, self.posterior.inverse_temperature, data=data, output=output).constant


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
    slopes[matrix == 0] = 0.0
    risks = MatrixRisks(matrix, slopes=slopes)
    return Case(risks, gibbs.posterior(risks, float(10 ** generator.uniform(-2, 2))))


def _quotient(actual: float, stated: float) -> float:
    if actual <= 1e-12:  # nothing changes: nothing can be contradicted
        return 0.0
    return actual / stated if stated > 0 else float("inf")


def _theorem_3_1(generator: np.random.Generator) -> float:
    drawn = case(generator)
    radius = float(radii.averaged_risks(drawn.posterior, drawn.risks).max())
    return _quotient(
        radii.norm_l1_to_l1(drawn.posterior, drawn.risks), drawn.stated(radius, data="total variation", output="L1")
    )


def _theorem_3_2(generator: np.random.Generator) -> float:
    drawn = case(generator)
    return _quotient(
        radii.norm_l1_to_log(drawn.posterior, drawn.risks),
        drawn.stated(radii.largest_risk(drawn.risks), data="total variation", output="log"),
    )


def _theorem_3_3(generator: np.random.Generator) -> float:
    drawn = case(generator)
    radius = radii.radius_wasserstein_averaged(drawn.posterior, drawn.risks)
    norm = radii.norm_wasserstein_to_l1(drawn.posterior, drawn.risks).lower
    return _quotient(norm, drawn.stated(radius, data="wasserstein", output="L1"))


def _theorem_3_3_repaired(generator: np.random.Generator) -> float:
    drawn = case(generator)
    norms = radii.smooth(drawn.posterior, drawn.risks)
    radius = float(drawn.posterior.probabilities @ norms.risk_norms)
    norm = radii.norm_wasserstein_to_l1(drawn.posterior, drawn.risks).upper
    return _quotient(norm, drawn.stated(radius, data="wasserstein", output="L1"))


def _theorem_3_4(generator: np.random.Generator) -> float:
    drawn = case(generator)
    norms = radii.smooth(drawn.posterior, drawn.risks)
    norm = radii.norm_wasserstein_to_log(drawn.posterior, norms)
    return _quotient(norm, drawn.stated(float(norms.risk_norms.max()), data="wasserstein", output="log"))


def _processing(generator: np.random.Generator) -> float:
    """The larger of both norms' ratios after and before a random map of the output."""
    drawn = case(generator)
    q = drawn.posterior.probabilities
    kernel = generator.dirichlet(np.full(int(generator.integers(2, 7)), 0.3), size=len(q)).T
    after, mass = bounds.processed(kernel, drawn.tangent), kernel @ q
    kept = mass > 1e-200  # outputs that cannot occur have no log-ratio
    log_before = gibbs.log_differential(drawn.posterior, drawn.risks.matrix)
    return max(
        _quotient(_l1_norm(after), _l1_norm(drawn.tangent)),
        _quotient(_log_norm(after[kept] / mass[kept, None]), _log_norm(log_before)),
    )


def _composition(generator: np.random.Generator) -> float:
    """The larger of both norms' ratios, of a pair of independent outputs to the sum of the two constants."""
    first = case(generator)
    second = case(generator, records=first.risks.records)
    p, q = first.posterior.probabilities, second.posterior.probabilities
    joint = np.einsum("wx,v->wvx", first.tangent, q) + np.einsum("w,vx->wvx", p, second.tangent)
    logs = [gibbs.log_differential(part.posterior, part.risks.matrix) for part in (first, second)]
    joint_log = logs[0][:, None, :] + logs[1][None, :, :]
    flat = (len(p) * len(q), first.risks.records)
    return max(
        _quotient(_l1_norm(joint.reshape(flat)), _sum("L1", _l1_norm(first.tangent), _l1_norm(second.tangent))),
        _quotient(_log_norm(joint_log.reshape(flat)), _sum("log", _log_norm(logs[0]), _log_norm(logs[1]))),
    )


def _sum(output: OutputNorm, one: float, other: float) -> float:
    """The constant that the library's own composition states."""
    first, second = (bounds.TangentBound(constant, "total variation", output) for constant in (one, other))
    return first.with_other(second).constant


def _differences(tangent: Float[np.ndarray, "outputs records"]) -> Float[np.ndarray, "outputs pairs"]:
    """Images of (δ_x - δ_x')/2, the extreme points of the measures of mass 0 and L¹ norm 1."""
    first, second = np.triu_indices(tangent.shape[1], k=1)
    return np.asarray((tangent[:, first] - tangent[:, second]) / 2)


def _l1_norm(tangent: Float[np.ndarray, "outputs records"]) -> float:
    return float(np.abs(_differences(tangent)).sum(axis=0).max())


def _log_norm(tangent: Float[np.ndarray, "outputs records"]) -> float:
    return float(np.abs(_differences(tangent)).max())


def _claim(where: str, statement: str, ratio: Callable[[np.random.Generator], float]) -> Claim:
    return Claim(paper="tangent-dp", where=f"TDP {where}", statement=statement, ratio=ratio)


CLAIMS = {
    "tangent-theorem-3-1": _claim(
        "Theorem 3.1", "the norm of DA from L¹ to L¹ is at most 2βR, R = max_x ∫ q r dw", _theorem_3_1
    ),
    "tangent-theorem-3-2": _claim(
        "Theorem 3.2", "the norm of D log A from L¹ to L^∞ is at most 2βR, R = max |r|", _theorem_3_2
    ),
    "tangent-theorem-3-3": _claim(
        "Theorem 3.3", "the norm of DA from Ḣ⁻¹(p) to L¹ is at most 2βR, R = ‖∫ q r(w, ·) dw‖ in Ḣ¹(p)", _theorem_3_3
    ),
    "tangent-theorem-3-3-repaired": _claim(
        "Theorem 3.3, repaired here",
        "the norm of DA from Ḣ⁻¹(p) to L¹ is at most 2βR, R = ∫ q ‖r(w, ·)‖ dw, norms in Ḣ¹(p)",
        _theorem_3_3_repaired,
    ),
    "tangent-theorem-3-4": _claim(
        "Theorem 3.4",
        "the norm of D log A from Ḣ⁻¹(p) to L^∞ is at most 2βR, R = max_w ‖r(w, ·)‖ in Ḣ¹(p)",
        _theorem_3_4,
    ),
    "tangent-remark-2-1-c": _claim(
        "Remark 2.1(c)", "after a map of the output, neither norm (L¹ to L¹, L¹ to L^∞ of log) is larger", _processing
    ),
    "tangent-remark-2-1-d": _claim(
        "Remark 2.1(d)",
        "the constants of a pair of independent outputs are at most the sums, in both norms",
        _composition,
    ),
}
