"""TDP Definition 2.2 and (2.6) for the pair of the Wasserstein distance: every set of outputs, where records move."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from wassdp.claims import tangent_moved_points as moved_points
from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import quotient
from wassdp.claims.tangent_moved_points import MovedPoints
from wassdp.tangent import radii


def _ratio(found: MovedPoints) -> float:
    posterior = found.problem.posterior
    before, after = (_of_sets(each.probabilities) for each in (posterior, moved_points.after(found)))
    constant = radii.norm_wasserstein_to_log(posterior, radii.smooth(posterior, found.problem.risks))
    return quotient(float(np.abs(np.log(after / before)).max()), found.slack * found.size * constant + 1e-12)


def _of_sets(probabilities: Float[np.ndarray, " outputs"]) -> Float[np.ndarray, " sets"]:
    """Of every set of outputs but the empty one."""
    outputs = len(probabilities)
    members = (np.arange(1, 1 << outputs)[:, None] >> np.arange(outputs)) & 1
    return np.asarray(np.maximum(members @ probabilities, 1e-300))


def _verified(found: MovedPoints) -> float:
    """Of single outputs: no set has a larger quotient than the largest of its members."""
    before, after = moved_points.plain_logs(found)
    stated = moved_points.plain_slack(found) * moved_points.plain_size(found)
    largest = max(abs(a - b) for a, b in zip(before, after, strict=True))
    return largest / (stated * plain.euclidean_log(plain.by_moves(found.problem)) + 1e-12)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Definition 2.2, Wasserstein distance",
    place="Section 2, (2.6), with Example 2.2",
    statement="where records move a little tangent privacy bounds the change of every set's probability",
    formula="e^{-(C_p + o(1)) h} ≤ (Ap)(S) / (Ap̃)(S) ≤ e^{(C_p + o(1)) h} for all S, h = W₂(p, p̃)",
    draw=moved_points.draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 4 * _ratio(found),  # a quarter of C_p
    simpler=moved_points.simpler,
)
