"""What can run on a GPU does: on a pretended one with the processor's own results, and on a real one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from wassdp.config import kind_module
from wassdp.experiments.base import Context, Findings
from wassdp.runs import validate_parameters

CLASSIFIER: dict[str, Any] = {
    "dataset": "digits",
    "model": {"name": "linear"},
    "optimiser": {"learning_rate": 1.0},
    "epochs": 2,
    "batch": 256,
    "privacy": {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-5},
}
GROUPS = {"normalisation": {"name": "group", "groups": 9}}
FEATURES = {"normalisation": {"name": "feature", "noise_multiplier": 8.0, "clip_mean": 1.0, "clip_square": 1.0}}
CLASSIFIERS: dict[str, dict[str, Any]] = {
    **{name: {"engine": name} for name in ("functional", "ghost_norms", "opacus_hooks", "opacus_ghost")},
    "network": {"model": {"name": "cnn_tiny"}, "engine": "ghost_norms"},
    "no privacy": {"privacy": None},
    "adam, averaged": {
        "optimiser": {"name": "adam", "learning_rate": 0.01, "averaging": {"name": "tail", "fraction": 0.5}}
    },
    "scattering": {"features": GROUPS},
    "scattering, private moments": {"features": FEATURES},
}

ADAPTATION: dict[str, Any] = {
    "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 20},
    "epochs": 2,
    "warm_up": 1,
    "batch": 128,
}
NOISY = {"learning_rate": 2e-3, "weight": 0.1, "sigma": 3.0, "delta": 1e-4}
ADAPTATIONS: dict[str, dict[str, Any]] = {
    "source_only": {"learning_rate": 2e-3},
    "swd": {"learning_rate": 2e-3, "weight": 0.1, "projections": 20},
    "dann": {"learning_rate": 2e-3, "weight": 0.1},
    "dp_dann": NOISY,
    "published_dp_swd": NOISY | {"projections": 20},
    "dp_swd": NOISY | {"projections": 20, "radius": 5.0, "dropout_epochs": 1},
    "dp_wasserstein_gradient": NOISY | {"output_norm": 0.5, "jacobian_norm": 1.0},
}

GENERATION: dict[str, Any] = {
    "dataset": "digits",
    "privacy": {"noise": 0.5, "delta": 1e-4},
    "optimiser": {"name": "adam", "learning_rate": 5e-3},
    "epochs": 2,
    "steps_per_epoch": 3,
    "batch": 50,
    "evaluation": {"samples": 100, "logistic_iterations": 10, "mlp_iterations": 5, "frechet": 20, "sheet_rows": 2},
}
SLICED: dict[str, Any] = {"name": "sliced", "labels": "per_class", "batch": 20, "projections": 32}
BASIS = SLICED | {"directions": "orthogonal", "projections": 64, "batch": 1, "draws": 30}
GRADIENT = {"name": "output_gradient", "rows": "orthant", "row_scale": 0.15, "bases": 4, "points": 5, "smooth": 3}
GENERATIONS: dict[str, dict[str, Any]] = {
    "per class": SLICED,
    "joint": SLICED | {"labels": "joint"},
    "outer": SLICED | {"labels": "outer", "rows": "raw"},
    "Poisson": SLICED | {"labels": "joint", "sampling": "poisson"},
    "order 1, released once": SLICED | {"order": 1.0, "reuse": None, "batch": 60},
    "small draws on one basis": BASIS,
    "part of a basis": BASIS | {"step_directions": 20, "step_rows": 10},
    "low cosines": SLICED | {"view": {"name": "cosine", "side": 4}},
    "mean embedding": {"name": "mean_embedding", "features": 50},
    **{f"gradients, {labels}": GRADIENT | {"labels": labels} for labels in ("per_class", "joint", "outer")},
}

CASES = {
    **{f"classification: {name}": ("classification", CLASSIFIER | each) for name, each in CLASSIFIERS.items()},
    **{
        f"adaptation: {name}": ("adaptation", ADAPTATION | {"method": {"name": name} | each})
        for name, each in ADAPTATIONS.items()
    },
    **{f"generation: {name}": ("generation", GENERATION | {"method": each}) for name, each in GENERATIONS.items()},
}


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("WASSDP_DATA", str(tmp_path / "data"))


def go(folder: Path, case: str, device: str) -> Findings:
    kind, given = CASES[case]
    found = kind_module(kind).run(
        validate_parameters(kind, given), seed=0, context=Context(folder=folder, code="a", device=device)
    )
    assert isinstance(found, Findings)
    assert found.device.startswith(device)
    return found


@pytest.mark.parametrize("case", CASES)
def test_a_pretended_gpu_ends_as_the_processor_does(case: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    expected = go(tmp_path / "processor", case, "cpu")
    request.getfixturevalue("pretended_gpu")
    found = go(tmp_path / "gpu", case, "cuda")
    # Only sums that CUDA has to take in another order differ, in their last digits.
    assert found.metrics == pytest.approx(expected.metrics, rel=1e-4)
    assert [point.value for point in found.history] == pytest.approx(
        [point.value for point in expected.history], rel=1e-4
    )
    assert found.event == expected.event


@pytest.mark.gpu
@pytest.mark.parametrize("case", CASES)
def test_a_gpu_does_the_same_things(case: str, tmp_path: Path) -> None:
    expected, found = go(tmp_path / "processor", case, "cpu"), go(tmp_path / "gpu", case, "cuda")
    assert found.metrics.keys() == expected.metrics.keys()
    assert all(map(math.isfinite, found.metrics.values()))
    assert found.event == expected.event
