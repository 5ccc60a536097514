"""TDP Definition 2.2 and (2.6): what tangent privacy bounds for every set of outputs, not for single ones alone."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from wassdp.claims import tangent_moves
from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import log_norm, quotient
from wassdp.claims.tangent_moves import Moved


def _ratio(found: Moved) -> float:
    before, after = (_of_sets(each.probabilities) for each in (found.problem.posterior, tangent_moves.after(found)))
    stated = found.slack * found.size * log_norm(found.problem.log_tangent)
    return quotient(float(np.abs(np.log(after / before)).max()), stated + 1e-12)


def _of_sets(probabilities: Float[np.ndarray, " outputs"]) -> Float[np.ndarray, " sets"]:
    """Of every set of outputs but the empty one."""
    outputs = len(probabilities)
    members = (np.arange(1, 1 << outputs)[:, None] >> np.arange(outputs)) & 1
    return np.asarray(np.maximum(members @ probabilities, 1e-300))


def _verified(found: Moved) -> float:
    """Of single outputs: no set has a larger quotient than the largest of its members."""
    largest = max(abs(a - b) for a, b in zip(*plain.both(found), strict=True))
    stated = found.slack * found.size * plain.largest_log(plain.by_weights(found.problem))
    return largest / (stated + 1e-12)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Definition 2.2",
    place="Section 2, (2.6)",
    statement="tangent privacy bounds how far the probability of every set of outputs changes, up to second order",
    formula="e^{-(C_p + o(1)) h} ≤ (Ap)(S) / (Ap̃)(S) ≤ e^{(C_p + o(1)) h} for all S, h = ‖p̃ − p‖",
    draw=tangent_moves.draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=lambda found: 4 * _ratio(found),  # a quarter of C_p
    simpler=tangent_moves.simpler,
)
