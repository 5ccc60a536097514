"""Checks array shapes and dtypes of calls while testing, and nothing else.

Scalars and choices are left to the library's own checks: those raise one-line errors that the tests
look at, and a type checker in front of them would hide them. Named in pyproject.toml.

Binding a call's arguments and asking what they are takes longer than many a function does. What names no array is
called as it is, and of the calls of a function in one test the first ones are checked; so it is with functions that
another one makes each time that it is called.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

import jaxtyping
from beartype import beartype

ARRAY = re.compile(r"\b(Float\d*|Int\d*|UInt\d*|Bool|Integer|Num|Inexact|Complex\d*|Real|Shaped)\[")
CALLS = 100
"""Of each function in each test."""

_test = 0
_defined: dict[Any, int] = {}
"""How often a function inside another one was made in this test."""


def check(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with its array annotations enforced."""
    kept = {name: hint for name, hint in function.__annotations__.items() if _has_arrays(hint, {})}
    function.__annotations__ = kept
    return beartype(function) if kept else function


def install() -> None:
    """Let the import hook check no more than is said above. To be called before the package is imported."""
    jaxtyping.jaxtyped = functools.partial(_sparing, jaxtyping.jaxtyped)


def begin_test() -> None:
    """Count the calls of each function from 0 again."""
    global _test
    _test += 1
    _defined.clear()


def _sparing(jaxtyped: Callable[..., Any], *, typechecker: Any) -> Callable[[Any], Any]:
    def function(plain: Any) -> Any:
        if plain is None or not _named(plain):
            return plain
        code = getattr(plain, "__code__", plain)
        _defined[code] = _defined.get(code, 0) + 1
        if _defined[code] > CALLS:
            return plain
        return _first_calls(plain, jaxtyped(plain, typechecker=typechecker))

    def decorated(what: Any) -> Any:
        if inspect.isclass(what):
            if _named(what.__init__):
                plain = what.__init__
                jaxtyped(what, typechecker=typechecker)
                if what.__init__ is not plain:
                    what.__init__ = _first_calls(plain, what.__init__)
            return what
        if isinstance(what, property):
            return property(function(what.fget), function(what.fset), function(what.fdel))
        if isinstance(what, classmethod | staticmethod):
            return type(what)(function(what.__func__))
        return function(what)

    return decorated


def _first_calls(plain: Callable[..., Any], checked: Callable[..., Any]) -> Callable[..., Any]:
    # In one object, not in variables: engines tell a loss by the values of its variables, and would try a model with
    # it anew at every call that is counted.
    counted = _Counted(_test)

    @functools.wraps(plain)
    def either(*args: Any, **kwargs: Any) -> Any:
        return (checked if counted.again() <= CALLS else plain)(*args, **kwargs)

    return either


class _Counted:
    """Calls of one function in the test at hand."""

    def __init__(self, test: int) -> None:
        self.test, self.calls = test, 0

    def again(self) -> int:
        if self.test != _test:
            self.test, self.calls = _test, 0
        self.calls += 1
        return self.calls


def _named(function: Any) -> bool:
    """Whether its signature names an array."""
    hints = getattr(function, "__annotations__", {})
    return any(_has_arrays(hint, getattr(function, "__globals__", {})) for hint in hints.values())


def _has_arrays(hint: object, names: dict[str, Any]) -> bool:
    if isinstance(hint, str) and not ARRAY.search(hint):
        try:
            hint = eval(hint, names)  # a name may stand for an array
        except (NameError, AttributeError, TypeError):
            return False
    return ARRAY.search(hint if isinstance(hint, str) else repr(hint)) is not None
