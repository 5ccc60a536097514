"""Every published statement that is put to the test, by listing: its words, its verdict, and that it could be another.

Searches have fixed seeds, so that nothing here fails by chance.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping

import numpy as np
import pytest

import _verdicts
from wassdp import claims
from wassdp.claims.verdict import STATUSES, Verdict

NAMES = claims.names()
SEARCHES = [name for name in NAMES if isinstance(claims.claim(name), claims.Inequality)]
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
def test_other_words_have_the_other_verdict(name: str) -> None:
    claim = claims.claim(name)
    other = claim.flipped().check(np.random.default_rng(1), claim.few)
    assert other.holds != verdict(name).holds, other.words


@pytest.mark.parametrize("name", SEARCHES)
def test_what_is_refuted_has_a_counterexample_that_other_code_confirms(name: str) -> None:
    found = verdict(name)
    if found.holds:
        assert found.counterexample is None
        return
    assert found.counterexample is not None
    assert found.counterexample.ratio > 1
    assert found.counterexample.verified > 1
    assert found.counterexample.case


@pytest.mark.parametrize("name", SEARCHES)
def test_other_code_contradicts_nothing_that_the_check_lets_pass(name: str) -> None:
    claim, generator = claims.claim(name), np.random.default_rng(2)
    assert isinstance(claim, claims.Inequality)
    for _ in range(min(3, claim.few)):
        case = claim.draw(generator)
        if claim.ratio(case) <= 1:
            assert claim.verified(case) <= 1 + 1e-6, str(case)


@pytest.mark.parametrize("name", SEARCHES)
def test_other_code_shares_nothing_with_the_search(name: str) -> None:
    claim = claims.claim(name)
    assert isinstance(claim, claims.Inequality)
    shared = _called(claim.verified) & (_called(claim.ratio) | _called(claim.draw))
    assert {function.__qualname__ for function in shared} == set()


def _called(function: object) -> set[types.FunctionType]:
    """Functions of this package that a function names, itself included, as far as names tell."""
    found: set[types.FunctionType] = set()
    waiting = [function]
    while waiting:
        function = inspect.unwrap(waiting.pop())  # type: ignore[arg-type]
        if not isinstance(function, types.FunctionType) or function in found:
            continue
        if function.__module__.startswith("wassdp"):
            found.add(function)
            waiting.extend(_named(function.__code__, function.__globals__))
    return found


def _named(code: types.CodeType, names: Mapping[str, object]) -> Iterator[object]:
    """What the names of a function's code, and of those inside it, stand for."""
    held = [names[name] for name in code.co_names if name in names]
    yield from held
    for module in held:
        if isinstance(module, types.ModuleType):
            yield from (getattr(module, name) for name in code.co_names if hasattr(module, name))
    for inside in code.co_consts:
        if isinstance(inside, types.CodeType):
            yield from _named(inside, names)


def test_functions_that_are_shared_are_found() -> None:
    claim = claims.claim("tangent-theorem-3-3")
    assert isinstance(claim, claims.Inequality)
    assert _called(claim.ratio) & _called(claim.corrupted)
    assert "norm_wasserstein_to_l1" in {function.__name__ for function in _called(claim.ratio)}
