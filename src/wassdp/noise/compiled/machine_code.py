"""Functions as machine code."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numba


def machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled when it is first called, its arithmetic as written: nothing is reordered or fused.

    Arrays that it has from around it become constants of the code. It runs beside other threads.
    """
    # Without what checks shapes where the package is imported for that: Numba reads the function's own code.
    compiled: Callable[..., Any] = numba.njit(nogil=True)(inspect.unwrap(function))
    return compiled
