"""Pictures of doubly censored Gaussian pixels: no network, sampled from means and covariances of each class."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.generation.censored import before_censoring
from wassdp.generation.generators import Generator
from wassdp.generation.views import Shape


class CensoredImages(Generator):
    r"""Images :math:`\min(1, \max(0, a_c + s ℓ_c ∘ F_c g))` of class c, from a Gaussian code (g, log s).

    Args:
        shape: of an image.
        means: of each class's pixels, after censoring; one of mean 0 is always 0.
        covariances: likewise.
        spread: of the logarithm of s (`wassdp.generation.censored`).
    """

    factors: Tensor
    location: Tensor

    def __init__(
        self,
        shape: Shape,
        *,
        means: Float[Tensor, "classes n"],
        covariances: Float[Tensor, "classes n n"],
        spread: float,
    ) -> None:
        super().__init__(shape, code=means.shape[1] + 1, classes=len(means))
        factors, locations = [], []
        for mean, covariance in zip(means, covariances, strict=True):
            before = before_censoring(mean, covariance.diagonal(), spread=spread)
            lit = mean > 0
            factors.append((lit * before.scale)[:, None] * before.roots(covariance))
            locations.append(lit * before.location)
        self.shape, self.spread = shape, spread
        self.register_buffer("factors", torch.stack(factors).float())
        self.register_buffer("location", torch.stack(locations).float())

    @staticmethod
    def impossible(shape: Shape) -> str | None:
        return None

    def forward(self, inputs: Float[Tensor, "batch inputs"]) -> Float[Tensor, "batch channels height width"]:
        codes, kinds = inputs[:, : self.code], inputs[:, self.code :].argmax(dim=1)
        scales = (self.spread * codes[:, -1:] - self.spread**2).exp()
        images = torch.empty_like(codes[:, :-1])
        for kind in kinds.unique().tolist():
            some = kinds == kind
            images[some] = self.location[kind] + scales[some] * (codes[some, :-1] @ self.factors[kind].T)
        return images.clamp(0, 1).view(-1, *self.shape)
