"""Runs that have no canaries say why where the key for them is asked for, in one line and before any work."""

from __future__ import annotations

from typing import Any

import pytest

from wassdp.experiment import PrivateParameters
from wassdp.experiments import KINDS
from wassdp.runs import validate_parameters

PRIVATE = [name for name in KINDS.names() if issubclass(KINDS.load(name).Parameters, PrivateParameters)]
CANARIES = {"canaries": 60}
FAIR: dict[str, Any] = {
    "task": "classification",
    "alpha": 0.5,
    "clipping": {"loss_norm": 5, "output_norm": 1, "jacobian_norm": 1},
    "steps": 2,
    "learning_rate": 0.1,
    "records": 1000,
    "privacy": {"epsilon": 1},
}
GENERATION: dict[str, Any] = {"dataset": "digits", "epochs": 1, "steps_per_epoch": 1, "batch": 10}
BUDGET: dict[str, Any] = {"epsilon": 1, "delta": 1e-5}
ADAPTATION: dict[str, Any] = {
    "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 25},
    "epochs": 2,
    "batch": 32,
}
METHOD: dict[str, Any] = {"learning_rate": 0.01, "weight": 1.0}
SWD = METHOD | BUDGET | {"name": "dp_swd", "radius": 5}
GRADIENT = METHOD | BUDGET | {"name": "dp_wasserstein_gradient", "output_norm": 1, "jacobian_norm": 1}
IMAGES = {"name": "output_gradient", "labels": "per_class"}


@pytest.mark.parametrize("kind", [name for name in PRIVATE if "audit" not in KINDS.load(name).Parameters.model_fields])
def test_a_kind_without_the_key_says_why(kind: str) -> None:
    reason = KINDS.load(kind).Parameters.no_canaries
    assert reason != PrivateParameters.no_canaries, "every kind of the project has its own reason"
    with pytest.raises(ValueError, match="audit: ") as caught:
        validate_parameters(kind, {"audit": CANARIES})
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "parameters", "reason"),
    [
        ("fair_learning", FAIR | {"privacy": None}, "the run is not private"),
        ("fair_learning", FAIR | {"audit": {"canaries": 501}}, "at most half of the 1000 records of biased"),
        ("generation", GENERATION | {"method": IMAGES, "privacy": None}, "the run is not private"),
        ("generation", GENERATION | {"method": IMAGES | {"batch": 9}, "privacy": BUDGET}, "needs all rows, batch null"),
        (
            "generation",
            GENERATION | {"method": {"name": "sliced", "labels": "joint", "sampling": "poisson"}, "privacy": BUDGET},
            "a neighbour has a row of zeros",
        ),
        (
            "generation",
            GENERATION | {"method": IMAGES, "privacy": BUDGET, "audit": {"canaries": 722}},
            "at most half of the 1438 records of digits",
        ),
        ("adaptation", ADAPTATION | {"method": METHOD | {"name": "swd"}}, "the method is not private"),
        ("adaptation", ADAPTATION | {"method": {"name": "source_only", "learning_rate": 0.1}}, "is not private"),
        (
            "adaptation",
            ADAPTATION | {"method": METHOD | {"name": "published_dp_swd", "sigma": 5, "delta": 1e-5}},
            "the divisor is the batch's largest norm",
        ),
        ("adaptation", ADAPTATION | {"method": SWD | {"gradient": "both"}}, "nothing is proven of a gradient"),
        ("adaptation", ADAPTATION | {"method": SWD | {"epsilon": None, "sigma": 0}}, "no finite budget"),
        ("adaptation", ADAPTATION | {"method": GRADIENT | {"control": True}}, "a control releases noise alone"),
        (
            "adaptation",
            ADAPTATION | {"method": SWD, "audit": {"canaries": 180}},
            "half of the 359 records of",
        ),
    ],
)
def test_a_run_that_cannot_be_attacked_says_why(kind: str, parameters: dict[str, Any], reason: str) -> None:
    found = validate_parameters(kind, {"audit": CANARIES} | parameters).impossible()
    assert found is not None
    assert found.startswith("audit")
    assert reason in found
    assert "\n" not in found
