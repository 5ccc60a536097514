"""Inputs of a case in words."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def in_words(values: Float[np.ndarray, ...] | float) -> str:
    """An array as nested lists, to twelve digits: enough to build the case again.

    >>> in_words(np.array([[0.5, 1.0], [0.25, -0.0]]))
    '[[0.5, 1], [0.25, 0]]'
    """
    if not isinstance(values, np.ndarray):
        return f"{values + 0.0:.12g}"
    return f"[{', '.join(in_words(part) for part in values)}]"
