r"""Where private images lie along many public directions: released as gradients are, for all steps at once.

Symbols: T bases, m parts, n records of a batch, Δ distance of neighbouring rows, z noise multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from wassdp import checks
from wassdp.accounting.events.composed import Composed
from wassdp.generation.bands import bands, lowest, turned
from wassdp.generation.grouped import GroupedRelease
from wassdp.generation.rows import Prepared
from wassdp.mechanisms import sliced_quantiles
from wassdp.noise import Bits

MeansOfGroups = tuple[sliced_quantiles.NoisyMeans, ...]  # of each group, along one basis


@dataclass(frozen=True, kw_only=True)
class QuantilesAlongBases(GroupedRelease):
    r"""Releases T noisy gradients of the sliced :math:`W_2^2`, each along a basis of its own, in m public points.

    They are released as what holds for any public points, noisy means of m parts of the sorted projections
    (`wassdp.mechanisms.sliced_quantiles`), so that they are made before the first step and serve in all steps. Bases
    are turned at random within `wassdp.generation.bands`.

    The noise of each group is that of its own size.
    A number that is released has noise of deviation z m Δ/n; where rows are released themselves
    (`wassdp.generation.pooled`), a number has noise of about z Δ. That is m/n times less, for n/m times fewer numbers.
    Source: derived in `wassdp.mechanisms.sliced_quantiles`.

    Args:
        noise_multiplier: z >= 0, of one basis.
        bases: T.
        parts: m.
        batch: n, records of each group that enter a release; None for all of a group.
        smooth: side of the band of low frequencies; None for one band.

    Raises:
        ValueError: an argument is outside its range, or as `wassdp.generation.bands.lowest`.
    """

    noise_multiplier: float
    bases: int
    parts: int
    batch: int | None
    smooth: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("bases", self.bases, least=1)
        if self.smooth is not None:
            lowest(self.recipe, self.smooth)  # checks it
        for size in self.groups:
            self._of_group(size)  # checks the rest

    @property
    def noise_std(self) -> float:
        """Largest deviation of the noise on a released number, of the smallest group."""
        return self.noise_multiplier * self._of_group(min(self.groups)).orthonormal_sensitivity

    def release(self, groups: list[Prepared], *, generator: Bits) -> list[MeansOfGroups]:
        """One release for each basis.

        Args:
            groups: prepared rows of all records of each group.
            generator: source of bases, of who is drawn and of noise.

        Raises:
            ValueError: the groups have other numbers of records.
        """
        self.check(groups)
        within = bands(self.recipe, self.smooth)
        return [
            self._along(turned(within, generator=generator, device=groups[0].parts.device), groups, generator)
            for _ in range(self.bases)
        ]

    def event(self, steps: int = 1) -> Composed:
        """All of it, so many times, for an accountant: by the smallest group, whose records count most."""
        return self.qualified(self._of_group(min(self.groups)).event(self.bases * steps))

    def _of_group(self, size: int) -> sliced_quantiles.SlicedQuantiles:
        """One release of a group."""
        return sliced_quantiles.SlicedQuantiles(
            noise_multiplier=self.noise_multiplier,
            distance=self.recipe.distance("without-replacement"),
            records=size,
            batch=self.batch or size,
            parts=self.parts,
            labels_public=self.labels_public,
        )

    def _along(self, directions: Tensor, groups: list[Prepared], generator: Bits) -> MeansOfGroups:
        released = []
        for rows in groups:
            mechanism = self._of_group(len(rows))
            drawn = (
                rows if self.batch is None else rows.take(mechanism.sample(generator=generator).to(rows.parts.device))
            )
            released.append(mechanism.release(self.recipe.project(drawn, directions), directions, generator=generator))
        return tuple(released)
