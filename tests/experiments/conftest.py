"""Whatever any test of an experiment runs must release what its parameters said that it would."""

from __future__ import annotations

import functools

import pytest

from wassdp.config import files, kind_module
from wassdp.pipeline.supported import supporting


@pytest.fixture(autouse=True)
def _as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in map(kind_module, files("experiments")):
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
