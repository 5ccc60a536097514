"""What the features of public photographs say about features: their moments. No record takes part, so it is free."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.features import photographs
from wassdp.features.cache import Recipe
from wassdp.features.moments import Standardisation

BLOCK = 64  # crops at a time


def features(recipe: Recipe, *, count: int) -> Float[Tensor, "count channels rows columns"]:
    """Features of crops of public photographs, of the size and the range of pixels that ``recipe`` is for."""
    pixels = photographs.crops(recipe.shape, count=count) * (recipe.maximum / photographs.MAXIMUM)
    return torch.cat([torch.from_numpy(recipe(part.numpy())) for part in pixels.split(BLOCK)])


def standardisation(found: Float[Tensor, "count channels rows columns"], *, floor: float) -> Standardisation:
    """By channel: over all crops and places; ``floor`` times the mean variance is added to each variance."""
    over, values = (0, 2, 3), found.double()
    mean, square = (each.mean(dim=over)[:, None, None] for each in (values, values.square()))
    return Standardisation.of(mean, square, floor=floor)
