"""What noisy releases say of the distribution of images: first moments, and a covariance that classes share."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor


@dataclass(frozen=True)
class FirstMoments:
    """What the first release says.

    Args:
        means: of each class, with noise.
        shares: of the classes in the records, sum 1.
        squares: mean square of each pixel.
        variances: of the noise on a class's means.
        noise: deviation of the noise on the mean squares.
    """

    means: Float[Tensor, "classes n"]
    shares: Float[Tensor, " classes"]
    squares: Float[Tensor, " n"]
    variances: Float[Tensor, " classes"]
    noise: float

    def lit(self, deviations: float) -> Bool[Tensor, " n"]:
        """Pixels that are not 0 in all images: those whose mean square is above so many deviations of its noise.

        What is left of the noise on the means of pixels that are nearly always dark, with variances as small, would be
        the surest sign of a class among generated images, and none in real ones. Too high a threshold takes pixels that
        are lit in few classes, such as those of sleeves and handles in Fashion-MNIST.
        """
        return self.squares > min(deviations * self.noise, float(self.squares.mean().clamp(min=0)) / 2)

    def pixel_variances(
        self, means: Float[Tensor, "groups n"], shares: Float[Tensor, " groups"], own: float
    ) -> Float[Tensor, "groups n"]:
        r"""Of pixels around their group's mean: a class's, or that of a part of one.

        A pixel's mean square over its mean is taken to be the same in all groups, as it is exactly where its values
        are 0 and another one: then :math:`σ_c^2 = μ_c \, q / \barμ - μ_c^2`, whose mean over the groups is the
        variance inside groups that was released. No second moment by group is needed.

        Args:
            means: μ, of the groups.
            shares: of the records, by group; they sum to 1.
            own: how far variances are those, from 0 (the same in all groups) to 1.
        """
        mean = (shares @ means).clamp(min=1e-9)
        by_class = (means * (self.squares / mean) - means.square()).clamp(min=0)
        common = (self.squares - shares @ means.square()).clamp(min=0)
        return own * by_class + (1 - own) * common


@dataclass(frozen=True)
class Covariance:
    """Leading directions and a diagonal rest, among weighted cosines.

    Args:
        values: variances along the directions; 0 where noise hides them.
        directions: orthonormal columns.
        own_count: how many of them, the leading ones, have variances by class.
        tail: variance of each weighted cosine besides.
        weighted: cosines times weights, in columns.
        weights: of the cosines.
    """

    values: Float[Tensor, " d"]
    directions: Float[Tensor, "d d"]
    own_count: int
    tail: Float[Tensor, " d"]
    weighted: Float[Tensor, "n d"]
    weights: Float[Tensor, " d"]

    @property
    def leading(self) -> tuple[Float[Tensor, " k"], Float[Tensor, "d k"]]:
        """Variances and directions that classes have of their own."""
        return self.values[: self.own_count], self.directions[:, : self.own_count]

    @property
    def leading_back(self) -> Float[Tensor, "n k"]:
        """From leading directions to pixels."""
        return self.back @ self.leading[1]

    @property
    def back(self) -> Float[Tensor, "n d"]:
        """From weighted cosines to pixels."""
        return self.weighted / self.weights.square()

    def own(self, grams: Float[Tensor, "classes k k"]) -> Float[Tensor, "classes n k"]:
        """Factors of the classes' covariances of pixels along the leading directions."""
        eigenvalues, vectors = torch.linalg.eigh(grams)
        roots: Tensor = vectors * eigenvalues.clamp(min=0).sqrt()[:, None]
        return (self.back @ (self.directions * self.values.sqrt())[:, : self.own_count]) @ roots

    def common(self) -> Float[Tensor, "n m"]:
        """Factor of all that classes share."""
        rest = (self.directions * self.values.sqrt())[:, self.own_count :]
        return torch.cat([self.back @ rest, self.back * self.tail.sqrt()], dim=1)

    def pixels(self) -> Float[Tensor, "n n"]:
        """The covariance of pixels, the same in all classes."""
        unit = torch.eye(self.own_count, dtype=self.values.dtype, device=self.values.device)
        factors = torch.cat([self.own(unit[None])[0], self.common()], dim=1)
        return factors @ factors.T
