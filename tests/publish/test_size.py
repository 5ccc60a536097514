"""What is published is in every clone, so it is small."""

from __future__ import annotations

from pathlib import Path

RESULTS = Path(__file__).parents[2] / "docs" / "results"
MOST = 30e6  # bytes


def test_all_published_results_together_are_small() -> None:
    sizes = {path: path.stat().st_size for path in RESULTS.rglob("*") if path.is_file()}
    largest = sorted(sizes, key=lambda path: -sizes[path])[:5]
    assert sum(sizes.values()) < MOST, [f"{path.relative_to(RESULTS)}: {sizes[path]}" for path in largest]
