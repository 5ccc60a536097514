"""What is published of frozen settings is what their last reading of the test records gave, to the digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from wassdp.pipeline import plan as plans
from wassdp.pipeline import readings, stored

ROOT = Path(__file__).parents[2]
RECORDS = sorted((ROOT / "workflow" / "presets").glob("*/readings.json"))
SETS = [path.parent for path in plans.kept(ROOT / "docs" / "results")]
EARLIER = {"head_to_head_adult"}
"""Of a preset that another one took the place of: nothing of it is published."""


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.parent.name)
def test_published_results_are_those_of_the_last_reading(record: Path) -> None:
    read = [reading for reading in readings.read(record.parent) if reading["finished"] is not None][-1]["results"]
    found: dict[str, str | None] = {}
    for place in SETS:
        found |= {run: result.digest for run, result in stored.load(place, list(read)).items()}
    assert found == ({} if record.parent.name in EARLIER else read)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.parent.name)
def test_every_reading_but_the_first_has_a_reason(record: Path) -> None:
    first, *others = readings.read(record.parent)
    assert "reason" in first
    assert all(reading["reason"] for reading in others)
