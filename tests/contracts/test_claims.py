"""Every published statement that is put to the test, by listing: its words, its verdict, and that it could be another.

Searches have fixed seeds, so that nothing here fails by chance.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

import _verdicts
from wassdp import claims
from wassdp.claims.existence import Existence
from wassdp.claims.measurement import PUBLISHED
from wassdp.claims.printed.dp_sliced_wasserstein_table_4 import SETTINGS
from wassdp.claims.recomputed import BOTH_PRINTED, Entries
from wassdp.claims.verdict import STATUSES, Verdict

NAMES = claims.names()
CLAIMS = {name: claims.claim(name) for name in NAMES}
SEARCHES = [name for name, claim in CLAIMS.items() if isinstance(claim, claims.Inequality)]
FIGURES = [name for name, claim in CLAIMS.items() if isinstance(claim, Entries)]
BOTH = [name for name, claim in CLAIMS.items() if isinstance(claim, Entries) and claim.both_printed]
READ_AGAIN = [name for name, claim in CLAIMS.items() if isinstance(claim, claims.Measured) and claim.again]
PROVEN = [name for name, claim in CLAIMS.items() if isinstance(claim, Existence) and claim.verified]
PAPERS = ("wasserstein-dp", "dp-sliced-wasserstein", "dp-wasserstein-gradients", "tangent-dp")
PREFIXES = {"tangent-dp": "tangent"}


def verdict(name: str) -> Verdict:
    return _verdicts.verdict(name).verdict


@pytest.mark.parametrize("name", NAMES)
def test_its_words_are_there(name: str) -> None:
    claim = claims.claim(name)
    assert claim.paper in PAPERS
    assert name.startswith(PREFIXES.get(claim.paper, claim.paper))
    for text in (claim.item, claim.place, claim.statement):
        assert text == text.strip() != ""
    for text in (claim.statement, claim.formula):
        assert "\n" not in text
        assert len(text) <= 200
    assert (name in claims.VERDICTS.names()) != (name in claims.MEASURED.names())
    assert isinstance(claim, claims.Measured) == (name in claims.MEASURED.names())
    assert 1 <= claim.few <= claim.usual
    if claim.repairs:
        assert verdict(claim.repairs).status == "refuted"


@pytest.mark.parametrize("name", NAMES)
def test_a_few_cases_give_a_verdict(name: str) -> None:
    found = verdict(name)
    assert found.status in STATUSES
    assert found.status != "not measured here", found.figure
    assert found.tried >= 1
    assert found.figure
    assert not (found.holds and found.counterexample)
    assert (found.status == "repaired") <= bool(claims.claim(name).repairs)


@pytest.mark.parametrize("name", NAMES)
def test_other_words_or_other_input_have_the_other_verdict(name: str, tmp_path: Path) -> None:
    claim = claims.claim(name)
    other = claim.flipped(tmp_path).check(np.random.default_rng(1), claim.few)
    assert other.holds != verdict(name).holds, other.words


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_checked_on_other_input_by_the_same_check(name: str, tmp_path: Path) -> None:
    """Results in another folder, or other entries: nothing else is another."""
    claim = claims.claim(name)
    other = claim.flipped(tmp_path)
    input_name = "folder" if isinstance(claim, claims.Measured) else "entries"
    assert getattr(other, input_name) != getattr(claim, input_name)
    assert dataclasses.replace(other, **{input_name: getattr(claim, input_name)}) == claim  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_refuted_is_confirmed_by_other_code_or_says_why_not(name: str) -> None:
    claim, found = claims.claim(name), verdict(name)
    example = found.counterexample
    if found.status != "refuted":
        assert example is None
    elif isinstance(claim, Existence):  # that there is no example no single case shows
        assert claim.proof
        assert claim.verified is not None
        assert ", by independent code " in found.figure
    elif isinstance(claim, Entries) and claim.both_printed:
        assert example is None
        assert found.figure.endswith(BOTH_PRINTED)
    else:
        assert example is not None, found.figure
        assert example.case
        assert ", by independent code " in example.words
        if isinstance(claim, claims.Inequality):
            assert min(example.ratio, example.verified) > 1


@pytest.mark.parametrize("name", BOTH)
def test_what_is_called_printed_on_both_sides_is(name: str) -> None:
    records = [record for table in claims.PRINTED.names() for record in claims.load(table)]
    printed = {record.printed for record in records} | {record.delta for record in records}
    printed |= {setting.delta for setting in SETTINGS}
    claim = claims.claim(name)
    assert isinstance(claim, Entries)
    for entry in claim.found():
        assert {entry.printed, entry.found} <= printed, entry.words


@pytest.mark.parametrize("name", READ_AGAIN)
def test_other_code_finds_the_same_in_the_published_tables(name: str) -> None:
    """Drawn figures keep ten digits."""
    claim = claims.claim(name)
    assert isinstance(claim, claims.Measured)
    assert claim.again is not None
    found = {entry.name: entry.found for entry in claim.found()}
    assert claim.again(PUBLISHED) == pytest.approx(found, rel=1e-8)


@pytest.mark.parametrize("name", SEARCHES)
def test_other_code_contradicts_nothing_that_the_check_lets_pass(name: str) -> None:
    claim, generator = claims.claim(name), np.random.default_rng(2)
    assert isinstance(claim, claims.Inequality)
    for _ in range(min(3, claim.few)):
        case = claim.draw(generator)
        if claim.ratio(case) <= 1:
            assert claim.verified(case) <= 1 + 1e-6, str(case)


@pytest.mark.parametrize("name", [*SEARCHES, *PROVEN])
def test_other_code_shares_nothing_with_the_search(name: str) -> None:
    claim = claims.claim(name)
    assert isinstance(claim, claims.Inequality | Existence)
    shared = _called(claim.verified) & (_called(claim.ratio) | _called(claim.draw))
    assert {function.__qualname__ for function in shared} == set()


@pytest.mark.parametrize("name", READ_AGAIN)
def test_other_code_shares_nothing_with_what_reads_the_results(name: str) -> None:
    claim = claims.claim(name)
    assert isinstance(claim, claims.Measured)
    shared = _called(claim.again) & (_called(claim.entries) | _called(claims.Measured._tables))
    assert {function.__qualname__ for function in shared} == set()
    assert {function.__name__ for function in _called(claims.Measured._tables)} >= {"runs", "table_rows"}


def _called(function: object) -> set[types.FunctionType]:
    """Functions of this package that a function names, itself included, as far as names tell."""
    found: set[types.FunctionType] = set()
    waiting = [function]
    while waiting:
        held = waiting.pop()
        function = inspect.unwrap(getattr(held, "__func__", held))  # type: ignore[arg-type]
        if not isinstance(function, types.FunctionType) or function in found:
            continue
        if function.__module__.startswith("wassdp"):
            found.add(function)
            waiting.extend(_named(function.__code__, function.__globals__))
    return found


def _named(code: types.CodeType, names: Mapping[str, object]) -> Iterator[object]:
    """What the names of a function's code, and of those inside it, stand for; objects' methods too."""
    held = [names[name] for name in code.co_names if name in names]
    yield from held
    for module in held:
        if isinstance(module, types.ModuleType) or type(module).__module__.startswith("wassdp"):
            yield from (getattr(module, name) for name in code.co_names if hasattr(module, name))
    for inside in code.co_consts:
        if isinstance(inside, types.CodeType):
            yield from _named(inside, names)


def test_functions_that_are_shared_are_found() -> None:
    claim = claims.claim("tangent-theorem-3-3")
    assert isinstance(claim, claims.Inequality)
    assert _called(claim.ratio) & _called(claim.corrupted)
    assert "norm_wasserstein_to_l1" in {function.__name__ for function in _called(claim.ratio)}
