"""The worst deletion of a finite W of 10^4 hypotheses and 10^5 records, exactly, against NumPy on the whole matrix.

The peer computes the same with whole matrices, which fit into memory for few records only; both are timed on so many,
in turns, and must agree. The larger sizes have no peer. Two threads.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np
from scipy.special import logsumexp

from wassdp.tangent import gibbs, log_ratios
from wassdp.tangent.losses import named
from wassdp.tangent.risks import MarginRisks

HYPOTHESES = 10_000
DIMENSION = 10
WORKERS = 2
SIZES = (
    # records, inverse temperature, loss
    (5_000, 1e4, "savage"),
    (100_000, 1e4, "savage"),
    (100_000, 1e6, "savage"),
    (100_000, 1e6, "zero_one"),
    (100_000, 1e6, "tangent"),
)


def main() -> list[dict[str, Any]]:
    """Rows: size, seconds for posterior and worst deletion together, memory of a fresh process, and the peer's."""
    return [_row(*size) for size in SIZES]


def problem(records: int, loss: str) -> Any:
    """Linear classifiers on random records of norm 1."""

    generator = np.random.default_rng(0)
    weights = 3 * generator.normal(size=(HYPOTHESES, DIMENSION))
    features = generator.normal(size=(records, DIMENSION))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.where(features[:, 0] + 0.1 * generator.normal(size=records) > 0, 1.0, -1.0)
    return MarginRisks(weights, features, labels, named(loss), feature_norm=1.0)


def ours(risks: Any, beta: float) -> float:

    posterior = gibbs.posterior(risks, beta, workers=WORKERS)
    return log_ratios.worst_deletion(posterior, risks, workers=WORKERS).log_ratio


def naive(risks: Any, beta: float) -> float:
    """The definition with whole matrices: log q̃ - log q for every deletion."""

    records = risks.records
    matrix = risks.block(0, records)
    mean = matrix.mean(axis=0)
    log_q = -beta * mean - logsumexp(-beta * mean)
    left = -beta * (records * mean - matrix) / (records - 1)
    return float(np.abs(left - logsumexp(left, axis=1, keepdims=True) - log_q).max())


def _row(records: int, beta: float, loss: str) -> dict[str, Any]:
    risks = problem(records, loss)
    mine, value = _timed(ours, risks, beta)
    row = {"hypotheses": HYPOTHESES, "records": records, "beta": beta, "loss": loss, "workers": WORKERS}
    row |= {"seconds": mine, "largest_log_ratio": value, "peak_memory_mib": _peak("ours", records, beta, loss)}
    if records * HYPOTHESES > 10**8:
        return row | {"peer": "does not fit", "peer_seconds": None, "ratio": None, "peer_memory_mib": None}
    theirs, other = _timed(naive, risks, beta)
    if abs(value - other) > 1e-6 * other:
        raise RuntimeError(f"the peer finds {other}, this {value}")
    again, _ = _timed(ours, risks, beta)
    mine = min(mine, again)
    return row | {
        "seconds": mine,
        "peer": "numpy, whole matrix",
        "peer_seconds": theirs,
        "ratio": mine / theirs,
        "peer_memory_mib": _peak("naive", records, beta, loss),
    }


def _timed(call: Any, risks: Any, beta: float) -> tuple[float, float]:
    started = time.perf_counter()
    value = call(risks, beta)
    return time.perf_counter() - started, value


PEAK = """
import sys
from bench import tangent
from wassdp.pipeline.provenance import peak_memory_mib
call, records, beta, loss = sys.argv[1:]
getattr(tangent, call)(tangent.problem(int(records), loss), float(beta))
print(peak_memory_mib())
"""


def _peak(call: str, records: int, beta: float, loss: str) -> float:
    """Peak memory of a fresh process, its imports included, in MiB."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, call, str(records), str(beta), loss], check=True, capture_output=True, text=True
    )
    return float(done.stdout)
