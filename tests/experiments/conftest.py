"""Whatever any test of an experiment runs must release what its parameters said that it would."""

from __future__ import annotations

import functools
import math

import pytest

from wassdp.experiment import Context
from wassdp.experiments import KINDS
from wassdp.pipeline.supported import supporting


@pytest.fixture(autouse=True)
def _as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in map(KINDS.load, KINDS.names()):
        monkeypatch.setattr(module, "run", _compared(module.run))


def _compared(run):
    @functools.wraps(run)
    def compared(parameters, **arguments):
        expected, found = parameters.expected_event(), run(parameters, **arguments)
        if expected is not None or found.event is not None:
            assert (expected.adjacency, expected.sampling) == (found.event.adjacency, found.event.sampling)
            assert supporting(expected) == supporting(found.event)
        return found

    return compared


@pytest.fixture(params=["pretended", pytest.param("real", marks=pytest.mark.gpu)])
def ends_alike(request, tmp_path):
    """Runs parameters on the processor and on a GPU: on a pretended one with the same end, on a real one likewise."""

    def check(module, parameters):
        expected = module.run(parameters, seed=0, context=Context(tmp_path / "processor", code="a", device="cpu"))
        if request.param == "pretended":
            request.getfixturevalue("pretended_gpu")
        found = module.run(parameters, seed=0, context=Context(tmp_path / "gpu", code="a", device="cuda"))
        assert (expected.device[:3], found.device[:4]) == ("cpu", "cuda")
        assert found.event == expected.event
        assert found.metrics.keys() == expected.metrics.keys()
        assert all(map(math.isfinite, found.metrics.values()))
        if request.param == "pretended":
            # Only sums that CUDA has to take in another order differ, in their last digits.
            assert found.metrics == pytest.approx(expected.metrics, rel=1e-4)
            curves = ([point.value for point in each.history] for each in (found, expected))
            assert next(curves) == pytest.approx(next(curves), rel=1e-4)

    return check
