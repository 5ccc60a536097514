r"""DP-SWD as the code published with *Differentially Private Sliced Wasserstein Distance* computes it.

The largest norm of the private batch divides both samples, and it leaves without noise. Map: X rows of the private
batch, m = max_i ‖X_i‖ their largest norm, U directions, V noise, σ its standard deviation, k directions, d dimension.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.qualified import Qualified, qualified
from wassdp.distances import directions as unit
from wassdp.distances.sliced import root
from wassdp.full_precision import full_precision
from wassdp.mechanisms import dpswd
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.noise import Bits

ORDER = 2.0
DIVISOR = "the largest norm of each private batch, which divides both samples and multiplies the distance"
JACOBIAN = (
    "the shared encoder's Jacobian at private records, through which the distance's gradient reaches the weights: it "
    "lies outside the mechanism's guarantee"
)
EVALUATED = "accuracies, losses, distances and norms of the target's records are evaluation and not covered"


@dataclass(frozen=True)
class DividedProjections:
    """Noisy projections of a private batch together with the divisor that they were scaled by.

    Args:
        inner: directions and noisy projections of the rows over ``divisor``.
        divisor: 2m, a scalar; it carries no noise.
    """

    inner: dpswd.NoisyProjections
    divisor: Float[Tensor, ""]

    def distance(self, public: Float[Tensor, "points d"], *, sigma: float, generator: Bits) -> Float[Tensor, ""]:
        r"""The distance that the code minimises, in the unit of the rows.

        .. math:: 2m \Big( \tfrac1k \sum_{l \le k} W_2^2 \big(X ϑ_l / 2m + V_l, \, Y ϑ_l / 2m + V'_l \big)
            \Big)^{1/2}

        Args:
            public: Y, shape (points, d); the gradient flows to it, and to the rows of the release if they ask for it.
            sigma: deviation of V', the noise on the public side.
            generator: its source.

        Raises:
            ValueError: the dimension differs.
        """
        power = self.inner.distance_power(public / self.divisor, p=ORDER, sigma=sigma, generator=generator)
        return self.divisor * root(power, ORDER)


@dataclass(frozen=True, kw_only=True)
class PublishedDPSWD(Mechanism):
    r"""Releases (U, X U / 2m + V) and m: iid directions, drawn afresh for each batch, and noise of deviation σ.

    Divided by 2m, two rows of one batch are at most 1 apart, which is the distance that the paper's Proposition 2 is
    stated for.

    Privacy: none is proved. m depends on the batch and is not noised, and a neighbouring batch has another m. The
    event says so, and upper bounds of it are unbounded. Published accountants read the projections as Proposition 2
    does, which takes for granted that no record changes the m of any batch.
    Batches are drawn without replacement, as the paper's accountant takes them to be. The published loop shuffles the
    records and uses every second batch.
    Source: Rakotomamonjy and Ralaivola (2021), Algorithm 2 and published code. Algorithm 2 divides each sample by its
    own largest norm; the code divides both by the private one's, and so does this.

    Args:
        sigma: σ >= 0, in units of the divided rows.
        projections: k >= 1.
        dimension: d >= 1, length of a row.
        records: N >= 1.
        batch: rows of a batch, at most N.

    Raises:
        ValueError: an argument is outside its range.
    """

    sigma: float
    projections: int
    dimension: int
    records: int
    batch: int

    def __post_init__(self) -> None:
        checks.whole("batch", self.batch, least=1)
        self._inner()  # checks the rest

    def sample(self, *, generator: Bits) -> Int64[Tensor, " batch"]:
        """Indices of one batch, drawn without replacement."""
        return self._inner().sample(generator=generator)

    def release(self, rows: Float[Tensor, "batch d"], *, generator: Bits) -> DividedProjections:
        """Divide, project and add noise.

        Args:
            rows: the batch that `sample` chose; they may require a gradient, which the divisor does not pass on.
            generator: source of directions and noise.

        Raises:
            ValueError: the number of rows or their dimension is another, a value is not finite, or all rows are 0,
                so that there is nothing to divide by.
        """
        if rows.shape != (self.batch, self.dimension):
            raise ValueError(f"rows has shape {tuple(rows.shape)}: must be {(self.batch, self.dimension)}")
        divisor = 2 * rows.detach().norm(dim=1).max()
        if not (bool(torch.isfinite(divisor)) and divisor > 0):
            raise ValueError(f"rows: the largest norm must be finite and above 0, is {float(divisor) / 2:g}")
        drawn = unit.draw(
            "iid",
            dimension=self.dimension,
            count=self.projections,
            generator=generator,
            dtype=rows.dtype,
            device=rows.device,
        )
        with full_precision(rows.device):
            exact = drawn.T @ (rows / divisor).T
        projections = noise.rounded(exact, std=self.sigma, generator=generator)
        inner = dpswd.NoisyProjections(directions=drawn, projections=projections, clipped=0, event=self.event(1))
        return DividedProjections(inner=inner, divisor=divisor)

    def event(self, steps: int, *, exposed: tuple[str, ...] = (), notes: tuple[str, ...] = ()) -> Qualified:
        """What ``steps`` releases are, for an accountant.

        Args:
            steps: number of releases.
            exposed: what leaves without noise besides the divisor, e.g. `JACOBIAN`.
            notes: what every figure rests on besides.
        """
        return qualified(self._inner().event(steps), exposed=(DIVISOR, *exposed), notes=notes)

    def _inner(self) -> dpswd.DPSWD:
        """The mechanism that Proposition 2 takes this one for."""
        return dpswd.DPSWD(
            sigma=self.sigma,
            projections=self.projections,
            dimension=self.dimension,
            records=self.records,
            batch=self.batch,
        )

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        release = cls(sigma=noise, projections=4, dimension=3, records=9, batch=5)
        return (
            Example(
                mechanism=release,
                rows=release.batch,
                width=release.dimension,
                shape=(release.projections, release.batch),
                sensitivity=math.inf,
                noise_std=release.sigma,
                released=lambda rows, bits: release.release(rows, generator=bits).inner.projections,
            ),
        )
