"""Every figure that a test draws is looked at: what a reader could not read in it fails the test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from wassdp.report import legible
from wassdp.report.figures import FIGURES
from wassdp.report.kinds import Figure

KINDS = [FIGURES.choice(name, Figure) for name in FIGURES.names()]


@pytest.fixture(autouse=True)
def readable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is drawn in a test, with its data, checked at the end; the line of seeds is added later, by `made`."""
    seen: list[tuple[str, Any, pd.DataFrame]] = []
    for kind in KINDS:
        inner = kind.draw

        def draw(self: Figure, *frames: pd.DataFrame, _inner: Any = inner, _name: str = kind.__name__) -> Any:
            figure, data = _inner(self, *frames)
            seen.append((_name, figure, data.drop(columns="seeds", errors="ignore")))
            return figure, data

        monkeypatch.setattr(kind, "draw", draw)
    yield
    found = {name: defects for name, figure, data in seen if (defects := legible.defects(figure, data))}
    assert not found
