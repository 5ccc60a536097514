"""Checks array shapes and dtypes of every call while testing, and nothing else.

Scalars and choices are left to the library's own checks: those raise one-line errors that the tests
look at, and a type checker in front of them would hide them. Named in pyproject.toml.
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


def check(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with its array annotations enforced."""
    kept = {name: hint for name, hint in function.__annotations__.items() if _has_arrays(hint, {})}
    function.__annotations__ = kept
    return beartype(function) if kept else function


def spare_what_has_no_arrays() -> None:
    """Makes the import hook leave functions as they are that name no array: binding each call's arguments for nothing
    takes longer than most of them. To be called before the package is imported."""
    jaxtyping.jaxtyped = functools.partial(_sparing, jaxtyping.jaxtyped)


def _sparing(jaxtyped: Callable[..., Any], *, typechecker: Any) -> Callable[[Any], Any]:
    def decorated(decorated: Any) -> Any:
        if inspect.isclass(decorated):
            return jaxtyped(decorated, typechecker=typechecker) if _checked(decorated.__init__) else decorated
        if isinstance(decorated, property):
            parts = (decorated.fget, decorated.fset, decorated.fdel)
        else:
            parts = (getattr(decorated, "__func__", decorated),)
        return jaxtyped(decorated, typechecker=typechecker) if any(map(_checked, parts)) else decorated

    return decorated


def _checked(function: Any) -> bool:
    hints = getattr(function, "__annotations__", {})
    return any(_has_arrays(hint, getattr(function, "__globals__", {})) for hint in hints.values())


def _has_arrays(hint: object, names: dict[str, Any]) -> bool:
    if isinstance(hint, str) and not ARRAY.search(hint):
        try:
            hint = eval(hint, names)  # a name may stand for an array
        except (NameError, AttributeError, TypeError):
            return False
    return ARRAY.search(hint if isinstance(hint, str) else repr(hint)) is not None
