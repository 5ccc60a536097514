"""Shapes are checked while testing, under an alias too, and what has no arrays is left as it is."""

from __future__ import annotations

import dataclasses

import jaxtyping
import numpy as np
import pytest
from jaxtyping import Float

import shape_checker
from wassdp.claims import sheets
from wassdp.training.clipping import probe

Pair = Float[np.ndarray, " 2"]
ours = jaxtyping.jaxtyped(typechecker=shape_checker.check)


def named(pair: Pair | None) -> None: ...


def written(pair: Float[np.ndarray, " 2"]) -> None: ...


def returned(length: int) -> Pair:
    return np.zeros(length)


@dataclasses.dataclass
class Kept:
    pair: Pair


class Owner:
    @property
    def pair(self) -> Pair:
        return np.zeros(3)

    @staticmethod
    def static(pair: Pair) -> None: ...


@pytest.mark.parametrize("function", [named, written, Kept, Owner.static])
def test_other_shapes_and_dtypes_are_refused(function: object) -> None:
    checked = ours(function)
    checked(np.zeros(2))
    for wrong in (np.zeros(3), np.zeros((2, 1)), np.zeros(2, int)):
        with pytest.raises(jaxtyping.TypeCheckError):
            checked(wrong)


def test_what_is_returned_is_checked() -> None:
    ours(returned)(2)
    with pytest.raises(jaxtyping.TypeCheckError):
        ours(returned)(3)
    with pytest.raises(jaxtyping.TypeCheckError):
        ours(vars(Owner)["pair"]).fget(Owner())


def test_the_package_is_checked() -> None:
    assert sheets.diversity(np.zeros((2, 3, 4, 4))) == 0
    with pytest.raises(jaxtyping.TypeCheckError):
        sheets.diversity(np.zeros((3, 4, 4)))


def test_what_names_no_array_is_left_as_it_is() -> None:
    def plain(number: float, unknown: Nowhere) -> str:  # type: ignore[name-defined]
        return f"{number}{unknown}"

    class Bare:
        size: int

    assert ours(plain) is plain
    assert ours(Bare) is Bare
    assert not hasattr(sheets._guess, "__wrapped__")
    assert hasattr(sheets.diversity, "__wrapped__")


def test_the_first_calls_of_each_test_are_checked() -> None:
    checked = ours(written)
    for _ in range(shape_checker.CALLS - 1):
        checked(np.zeros(2))
    with pytest.raises(jaxtyping.TypeCheckError):
        checked(np.zeros(3))
    checked(np.zeros(3))
    shape_checker.begin_test()
    with pytest.raises(jaxtyping.TypeCheckError):
        checked(np.zeros(3))


def test_the_first_functions_that_another_makes_are_checked() -> None:
    def make() -> object:
        def inner(pair: Pair) -> None: ...

        return ours(inner)

    made = [make() for _ in range(shape_checker.CALLS + 1)]
    with pytest.raises(jaxtyping.TypeCheckError):
        made[-2](np.zeros(3))  # type: ignore[operator]
    made[-1](np.zeros(3))  # type: ignore[operator]


def test_a_counted_function_stays_the_same_loss() -> None:
    checked = ours(written)
    before = probe._identity(checked)
    checked(np.zeros(2))
    assert probe._identity(checked) == before
