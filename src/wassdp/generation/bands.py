r"""Public orthonormal bases of rows, turned at random within bands: low frequencies of a picture, and all others.

A random direction in many dimensions sees the sum of very many pixels, whose distribution is nearly Gaussian whatever
the pictures show. Directions among few low frequencies see shapes; the others are there for what is fine.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.distances.directions import draw
from wassdp.generation.rows import Recipe
from wassdp.generation.views import Cosine
from wassdp.noise import Bits


def lowest(recipe: Recipe, side: int) -> Float[Tensor, "image count"]:
    """The lowest ``side`` by ``side`` cosines of the grid of the recipe's view, as unit columns.

    Raises:
        ValueError: the view's vectors are no pictures, or ``side`` is beyond the grid.
    """
    view = recipe.rows.view
    grid = view.grid(recipe.shape)
    if grid is None:
        raise ValueError(f"smooth = {side}: the vectors of the view {view.name} are on no grid")
    cosine = Cosine(name="cosine", side=side)
    if cosine.impossible(grid):
        raise ValueError(f"smooth = {side}: must be at most the sides of {grid}")
    return cosine(torch.eye(view.dimension(recipe.shape)).view(-1, *grid))


def bands(recipe: Recipe, side: int | None) -> list[Float[Tensor, "dimension count"]]:
    """Orthonormal columns of each band; all bands together are a basis of the rows.

    With ``side``, the band of low frequencies is that of the lowest ``side`` by ``side`` cosines, with the label in a
    row of entry ``joint``; the other band are the rest. Rows of entry ``outer`` have both bands in each class's block.
    Without, everything is one band, but for ``outer`` each block is.

    Args:
        recipe: how images become rows.
        side: as above; None for one band.

    Raises:
        ValueError: as `lowest`.
    """
    image = recipe.rows.view.dimension(recipe.shape)
    if side is None:
        inner = [torch.eye(image)]
    else:
        low = lowest(recipe, side)
        # The rest are the left singular vectors that the low ones leave.
        inner = [low, torch.linalg.svd(low.double()).U[:, low.shape[1] :].to(low.dtype)]
        inner = [part for part in inner if part.shape[1]]
    if recipe.entry == "image":
        return inner
    if recipe.entry == "outer":
        blocks = torch.eye(recipe.classes)
        return [torch.kron(blocks[:, [kind]], part.contiguous()) for kind in range(recipe.classes) for part in inner]
    padded = [torch.cat([part, torch.zeros(recipe.classes, part.shape[1])]) for part in inner]
    hot = torch.cat([torch.zeros(image, recipe.classes), torch.eye(recipe.classes)])
    return [torch.cat([padded[0], hot], dim=1), *padded[1:]]


def turned(
    parts: list[Float[Tensor, "dimension _"]], *, generator: Bits, device: torch.device | None = None
) -> Float[Tensor, "dimension dimension"]:
    """An orthonormal basis: each band's columns, turned by a Haar-random rotation or reflection of their own."""
    columns = []
    for part in parts:
        count = part.shape[1]
        turn = draw("orthogonal", dimension=count, count=count, generator=generator, dtype=part.dtype, device=device)
        columns.append(part.to(turn.device) @ turn)
    return torch.cat(columns, dim=1)
