"""Clip norms that can be asked for: those at which what is clipped, and sums of it, have their full precision."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

LEAST, MOST = 1e-12, 1e12
"""Squares of shorter vectors vanish in single precision, and sums of squares of longer ones may overflow."""

ClipNorm = Annotated[float, Field(ge=LEAST, le=MOST)]
