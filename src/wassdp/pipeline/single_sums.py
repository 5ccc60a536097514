"""Results whose upper bounds are of exact sums, while the run added private records up in single precision.

A sum that is rounded at every addition moves by more than its longest summand if the others are chosen for it
(`wassdp.mechanisms.double_sums`): what is proven of the exact sum is not proven of that one. Version 0.1.0 rounded sums
of clipped gradients so, and until `EMBEDDINGS_EXACT` those of random features; later code adds up in double precision
or exactly. A result names the version that made it, and an older one says this beside each of its upper bounds.
"""

from __future__ import annotations

from datetime import datetime

from wassdp.result import Result

NOTE = (
    "sums over records were in single precision: this is a bound of exact sums, and records that are chosen for it "
    "move a rounded sum by more"
)
"""Beside an upper bound of such a run."""
SAID = "sums over records were in single precision"
"""By which `NOTE` is known among what a bound rests on."""
ROUNDED = "0.1.0"
"""The version whose sums of clipped gradients were in single precision."""
EMBEDDINGS_EXACT = datetime.fromisoformat("2026-11-26T20:55:37+00:00")
"""When random features came to be summed exactly; a run that began earlier is of code that did not."""
GRADIENTS = frozenset({"classification", "circle_matching", "fair_learning", "final_model"})
"""Kinds of runs whose every private release is a sum of clipped gradients, or, for features, of their moments."""
METHODS = {
    "adaptation": frozenset({"dp_dann", "dp_wasserstein_gradient"}),
    "generation": frozenset({"output_gradient"}),
}
"""Kind to its methods that release such sums. Others release records one by one, or sums that were always exact.

`published_classification` clips the mean of a batch as a whole: however it is rounded, two of them are as far apart as
is counted.
"""
EMBEDDING = ("generation", "mean_embedding")


def rounded(result: Result) -> bool:
    """Whether private sums of a run were rounded to single precision at every addition.

    A result of version 0.1.0 may be of code between two versions, which no longer rounded: it is taken to be of the
    older code, and so is one that names no version.
    """
    if result.provenance.versions.get("wassdp", ROUNDED) != ROUNDED:
        return False
    kind, method = result.spec["kind"], result.spec["parameters"].get("method")
    name = method.get("name") if isinstance(method, dict) else None
    if (kind, name) == EMBEDDING:
        return datetime.fromisoformat(result.provenance.started) < EMBEDDINGS_EXACT
    return kind in GRADIENTS or name in METHODS.get(kind, ())
