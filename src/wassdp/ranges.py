"""Ranges of numbers that configurations name under many keys, wider than any use: inside them a run can be computed.

Outside of them single precision overflows, or an event is not made (`wassdp.accounting.limits`), and only the run
itself would find out. Clip norms have theirs in `wassdp.mechanisms.clip_norm`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from wassdp.accounting.limits import LEAST_DELTA

LEAST_NOISE, MOST_NOISE = 1e-12, 1e12
"""Times a clip norm, its square is still a number of single precision, or nothing."""
MOST_RATE = MOST_EPSILON = 1e12


def _from(least: float, instead: str = "") -> AfterValidator:
    """Refuse what lies between 0 and ``least``: pydantic's own line would write the number with all its zeros."""

    def check(value: float) -> float:
        if 0 < value < least:
            raise ValueError(f"must be {instead}at least {least:g}")
        return value

    return AfterValidator(check)


Noise = Annotated[float, Field(ge=0, le=MOST_NOISE), _from(LEAST_NOISE, "0 (no noise) or ")]
"""A deviation, absolute or relative to a sensitivity, or none."""
PositiveNoise = Annotated[float, Field(gt=0, le=MOST_NOISE), _from(LEAST_NOISE)]
Epsilon = Annotated[float, Field(gt=0, le=MOST_EPSILON)]
"""To be kept by the noise that is found for it."""
LearningRate = Annotated[float, Field(gt=0, le=MOST_RATE)]
AccountedDelta = Annotated[float, Field(gt=0, lt=1), _from(LEAST_DELTA)]
"""At which a run is accounted."""
