"""Where a claim is said to stand: sections that its paper has, by the list of their titles."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from wassdp import claims

NAMED = "wasserstein-dp"  # its sections have titles and no numbers
ITEM = r"(?:Table|Figure|Theorem|Proposition|Definition|Algorithm) \d|Appendix\b|[Aa]ppendix, "
NUMBER = r"(?:[A-D]|\d+)(?:\.\d+)*"


def places() -> Iterator[tuple[str, str, str]]:
    """Name, paper and place of every claim, of those of the first page and of printed values."""
    yield from ((name, claim.paper, claim.place) for name in claims.names() for claim in [claims.claim(name)])
    yield from ((name, claim.paper, claim.where) for name, claim in claims.foremost_claims().items())
    for name in claims.PRINTED.names():
        yield from ((name, record.paper, record.where) for record in claims.load(name))


def titles(paper: str) -> tuple[str, ...]:
    found: tuple[str, ...] = claims.PAPERS.offer(paper, "SECTIONS")
    return found


def unknown(paper: str, place: str) -> list[str]:
    """What a place names and the paper has not."""
    if paper == NAMED:
        quoted = re.findall(r"Section '([^']+)'", place)
        parts = [part.strip().removeprefix("Section ").lstrip("'") for part in place.split(";")]
        known = (*titles(paper), *(f"{title}:" for title in titles(paper)))
        strange = [part for part in parts if not part.startswith(known) and not re.match(ITEM, part)]
        return strange + [title for title in quoted if title not in titles(paper)]
    numbers = {title.split(" ", 1)[0] for title in titles(paper)}
    return [found for found in re.findall(rf"(?:[Ss]ections?|Appendix) ({NUMBER})", place) if found not in numbers]


@pytest.mark.parametrize(("name", "paper", "place"), sorted(set(places())))
def test_its_sections_are_the_paper_s(name: str, paper: str, place: str) -> None:
    assert unknown(paper, place) == []


def test_sections_that_a_paper_has_not_are_found() -> None:
    assert unknown("wasserstein-dp", "Section 'Synthetic gradients': 'the lowest'") == [
        "Synthetic gradients': 'the lowest'",
        "Synthetic gradients",
    ]
    assert unknown("dp-sliced-wasserstein", "Table 1; Section 9.1") == ["9.1"]
    assert unknown("dp-wasserstein-gradients", "Section 5.4, last sentence; Appendix B") == ["5.4"]


def test_sentences_that_were_misplaced_are_where_they_stand() -> None:
    foremost = claims.foremost_claims()
    assert foremost["dp-sliced-wasserstein-table-1"].where == "Table 1, U-M; Section 6.2"
    assert foremost["dp-wasserstein-gradients-limit"].where == "Section 5.3; Figure 5"
    assert "statistical parity" in foremost["dp-wasserstein-gradients-limit"].same.setting
