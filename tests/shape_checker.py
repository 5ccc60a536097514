"""Checks array shapes and dtypes of every call while testing, and nothing else.

Scalars and choices are left to the library's own checks: those raise one-line errors that the tests
look at, and a type checker in front of them would hide them. Named in pyproject.toml.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from beartype import beartype

ARRAY = re.compile(r"\b(Float\d*|Int\d*|UInt\d*|Bool|Integer|Num|Inexact|Complex\d*|Real|Shaped)\[")


def check(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with its array annotations enforced."""
    kept = {name: hint for name, hint in function.__annotations__.items() if ARRAY.search(_text(hint))}
    function.__annotations__ = kept
    return beartype(function) if kept else function


def _text(hint: object) -> str:
    return hint if isinstance(hint, str) else repr(hint)
