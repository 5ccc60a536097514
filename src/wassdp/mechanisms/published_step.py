r"""The step of the code published with *Wasserstein Differential Privacy*: what it releases, and what it measures.

It is not DP-SGD: the *mean* gradient of the batch is clipped, not each example's, and the noise is not divided by the
batch. Map: ḡ mean gradient of the batch, C clip norm, σ noise multiplier, B a mask of independent ones with
probability ``keep``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.mechanisms.dpsgd import cleared, clip_factors
from wassdp.mechanisms.norms import norms
from wassdp.noise import Bits

RUNNING_STATISTICS = "running statistics of batch normalisation"


@dataclass(frozen=True, kw_only=True)
class PublishedStep(Mechanism):
    r"""One step releases some coordinates of a noisy mean gradient.

    .. math:: B \odot \bigl( \bar g / \max(1, \lVert \bar g \rVert_2 / C) + \sigma C \, \mathcal{N}(0, I) \bigr)

    Privacy: two batches, whatever they are, have clipped mean gradients at most 2C apart, so replacing one
    record is a Gaussian mechanism of noise multiplier σ/2 in the step that the record enters, and nothing in the
    others. The mask is drawn independently of the data; leaving coordinates out releases less, and is not credited.
    Source: Yang, Qi and Zhou (2024), Wasserstein Differential Privacy, AAAI, published code. The paper's text says
    DP-SGD (Abadi et al. 2016), which this is not.

    Args:
        clip_norm: C > 0, L2 bound on the mean gradient.
        noise_multiplier: σ >= 0, noise standard deviation over C.
        keep: probability in (0, 1] with which a coordinate is kept.

    Raises:
        ValueError: an argument is outside its range.
    """

    clip_norm: float
    noise_multiplier: float
    keep: float = 0.1

    def __post_init__(self) -> None:
        checks.positive("clip_norm", self.clip_norm)
        checks.non_negative("noise_multiplier", self.noise_multiplier)
        checks.probability("keep", checks.positive("keep", self.keep))

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each coordinate of the mean, σC."""
        return self.noise_multiplier * self.clip_norm

    def release(self, mean: Float[Tensor, "*runs dim"], *, generator: Bits) -> Float[Tensor, "*runs dim"]:
        """The noisy mean gradient, zero where a coordinate was not kept.

        Args:
            mean: ḡ, shape (dim,), or those of several runs, each clipped by itself and with a mask of its own. One
                whose norm is not finite counts as zero: stopping because of it would say that a record is there.
            generator: source of noise and mask.
        """
        rows = mean.reshape(-1, mean.shape[-1])
        factors = clip_factors(norms(rows), clip_norm=self.clip_norm)
        clipped = cleared(rows, factors) * factors[:, None]
        noisy = noise.rounded(clipped.flatten(), std=self.noise_std, generator=generator)
        return (noisy * self.kept(noisy, generator=generator)).view_as(mean)

    def kept(self, like: Tensor, *, generator: Bits) -> Bool[Tensor, " dim"]:
        """A fresh mask, true where a coordinate is kept, for gradients of ``like``'s last dimension."""
        drawn = noise.uniform(like.shape[-1], generator=generator) < self.keep
        return torch.from_numpy(drawn).to(like.device)

    def distances(self, gradients: Float[Tensor, "count dim"], *, generator: Bits) -> Float[Tensor, " pairs"]:
        r"""Distances between all pairs of clipped gradients on the coordinates of one shared mask.

        .. math:: \lVert B \odot (\mathrm{clip}(g_i) - \mathrm{clip}(g_j)) \rVert_2, \quad i < j

        The mask is another draw than the release's, as in the published code.

        Args:
            gradients: leave-one-out mean gradients, shape (count, dim). One that is not finite counts as zero, as in
                the release.
            generator: source of the mask.

        Returns:
            Shape (count (count - 1) / 2,), pairs in the order (0, 1), (0, 2), ..., in the gradients' unit.
        """
        factors = clip_factors(norms(gradients), clip_norm=self.clip_norm)
        kept = cleared(gradients, factors)[:, self.kept(gradients, generator=generator)]
        # Neighbouring mean gradients agree in three digits or more: their differences need the longer type.
        return torch.nn.functional.pdist(kept.double() * factors.double()[:, None]).to(gradients.dtype)

    def event(self, steps: int) -> Composed:
        """What ``steps`` releases are, of batches of which no more is known than that no record steers who is in them.

        A record may then enter every step, each a Gaussian mechanism of multiplier σ/2, rounded down. It is proved,
        and no paper's claim; `measured` says besides how records entered, and what the data-dependent accountants read.
        """
        multiplier = math.nextafter(self.noise_std / (2 * self.clip_norm), 0)
        return repeated(Gaussian(noise_multiplier=multiplier, adjacency="replace-one"), steps)

    def measured(
        self,
        distances: Float[np.ndarray, "steps pairs"],
        *,
        records: int,
        batch: int,
        coordinates: int,
        measured_every: int = 1,
        exposed: tuple[str, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> MeasuredGradients:
        """What the steps release whose distances were measured.

        Args:
            distances: one row for each step; no columns if nothing was measured.
            records: N, number of training records.
            batch: n, records in a step. Every pass shuffles the records and cuts them into batches; the last
                may be smaller. It is read at the rate n/N of the others, where the published code takes its
                own: at the sizes of the paper the Wasserstein budget differs by less than two parts in 10,000.
            coordinates: number of coordinates of a gradient.
            measured_every: distances were measured at one step in so many and are repeated in between.
            exposed: what leaves the training besides, without noise.
            notes: what every figure about the run rests on besides.
        """
        steps = len(distances)
        return MeasuredGradients(
            distances=distances,
            noise_std=np.full(steps, self.noise_std),
            clip_norm=np.full(steps, self.clip_norm),
            rate=batch / records,
            adjacency="replace-one",
            sampling="shuffled",
            steps_per_pass=-(-records // batch),
            coordinates=coordinates,
            measured_every=measured_every,
            exposed=exposed,
            notes=notes,
        )

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        """With all coordinates kept."""
        step = cls(clip_norm=0.5, noise_multiplier=noise, keep=1.0)
        return (
            Example(
                mechanism=step,
                rows=4,
                width=3,
                shape=(3,),
                sensitivity=2 * step.clip_norm,
                noise_std=step.noise_std,
                released=lambda rows, bits: step.release(rows.mean(dim=0), generator=bits),
            ),
        )
