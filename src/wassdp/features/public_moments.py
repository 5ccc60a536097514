"""Normalisation by channel, with moments that crops of public photographs have. No record takes part, so it is free."""

from __future__ import annotations

from typing import Literal

from jaxtyping import Float
from pydantic import Field
from torch import Tensor

from wassdp.features.damping import Damped
from wassdp.features.moments import Standardisation
from wassdp.sections import Section


class PhotographsNormalisation(Section):
    """By channel, with moments of crops of public photographs; costs no privacy."""

    name: Literal["photographs"]
    groups: int | None = Field(default=None, ge=1, description="group normalisation before; null for none")
    floor: float = Field(default=0.01, ge=0, description="share of the mean variance that is added to each variance")
    damped: Damped = 0

    def standardisation(self, crops: Float[Tensor, "count channels rows columns"]) -> Standardisation:
        """Over the features of all crops and all places."""
        over, values = (0, 2, 3), crops.double()
        mean, square = (powers.mean(dim=over)[:, None, None] for powers in (values, values.square()))
        return Standardisation.of(mean, square, floor=self.floor)
