"""Pictures of doubly censored Gaussian pixels: no network, sampled from means and covariances of each class."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.generation.censored import before_censoring
from wassdp.generation.generators import Generator
from wassdp.generation.views import Shape


class CensoredImages(Generator):
    r"""Images :math:`\min(1, \max(0, a_p + s ℓ_p ∘ F_p g))` of a part p of class c, from a Gaussian code (g, log s, u).

    The part is drawn by its weight, by Φ(u), where there are several.

    Args:
        shape: of an image.
        means: of each part's pixels, after censoring, class after class; one of mean 0 is always 0.
        covariances: likewise.
        spread: of the logarithm of s (`wassdp.generation.censored`).
        weights: of the parts of each class, summing to 1 in each; None: a class is one part.
    """

    factors: Tensor
    location: Tensor
    ends: Tensor

    def __init__(
        self,
        shape: Shape,
        *,
        means: Float[Tensor, "groups n"],
        covariances: Iterable[Float[Tensor, "n n"]],
        spread: float,
        weights: Float[Tensor, "classes parts"] | None = None,
    ) -> None:
        weights = means.new_ones(len(means), 1) if weights is None else weights
        several = weights.shape[1] > 1
        super().__init__(shape, code=means.shape[1] + 1 + several, classes=len(weights))
        factors, locations = [], []
        for mean, covariance in zip(means, covariances, strict=True):
            before = before_censoring(mean, covariance.diagonal(), spread=spread)
            lit = mean > 0
            factors.append((lit * before.scale)[:, None] * before.roots(covariance))
            locations.append(lit * before.location)
        self.shape, self.spread = shape, spread
        # Up to where Φ(u) says each part but the last.
        self.register_buffer("ends", weights.cumsum(dim=1)[:, :-1].clamp(max=1))
        self.register_buffer("factors", torch.stack(factors).float())
        self.register_buffer("location", torch.stack(locations).float())

    @staticmethod
    def impossible(shape: Shape) -> str | None:
        return None

    def forward(self, inputs: Float[Tensor, "batch inputs"]) -> Float[Tensor, "batch channels height width"]:
        codes, kinds = inputs[:, : self.code], inputs[:, self.code :].argmax(dim=1)
        size = self.location.shape[1]
        scales = (self.spread * codes[:, size : size + 1] - self.spread**2).exp()
        groups = kinds
        if self.ends.shape[1]:
            drawn = torch.special.ndtr(codes[:, -1:].double())
            groups = kinds * (self.ends.shape[1] + 1) + (drawn > self.ends[kinds]).sum(dim=1)
        images = torch.empty_like(codes[:, :size])
        for group in groups.unique().tolist():
            some = groups == group
            images[some] = self.location[group] + scales[some] * (codes[some, :size] @ self.factors[group].T)
        return images.clamp(0, 1).view(-1, *self.shape)
