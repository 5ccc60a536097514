"""Elementary releases: one mechanism on one batch, each with its neighbouring relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.guarantee import ADJACENCIES, REPLACING, Adjacency, Sampling

Directions = Literal["iid", "orthogonal"]


class Event:
    """Anything released from private data.

    Attributes:
        adjacency: the neighbouring relation under which its parameters hold.
        sampling: how records enter each release.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]  # every event is a dataclass
    adjacency: Adjacency
    sampling: Sampling = "full"

    def reduced(self) -> Event:
        """The same release as one of the elementary mechanisms, e.g. a gradient step as a `Gaussian`."""
        return self


@dataclass(frozen=True, kw_only=True)
class AdditiveNoise(Event):
    """A query plus noise of a scale given relative to the query's sensitivity.

    Args:
        noise_multiplier: noise scale over the query's sensitivity under ``adjacency``; 0 means no noise.
        adjacency: the neighbouring relation that the sensitivity refers to.
    """

    noise_multiplier: float
    adjacency: Adjacency

    def __post_init__(self) -> None:
        limits.noise("noise_multiplier", self.noise_multiplier)
        checks.one_of("adjacency", self.adjacency, ADJACENCIES)


@dataclass(frozen=True, kw_only=True)
class Gaussian(AdditiveNoise):
    """A query plus Gaussian noise: its standard deviation over the query's L2 sensitivity."""


@dataclass(frozen=True, kw_only=True)
class Laplace(AdditiveNoise):
    """A query plus Laplace noise: its scale over the query's L1 sensitivity."""


@dataclass(frozen=True, kw_only=True)
class Gibbs(Event):
    r"""One parameter drawn from the Gibbs distribution q(w) ∝ exp(-β · mean risk of w): the exponential mechanism.

    Replacing one of N records moves the mean risk by at most range/N, so the release is pure ε-DP with

    .. math:: ε = 2 β \, \mathrm{range} / N

    Args:
        inverse_temperature: β, above 0.
        risk_range: largest minus smallest risk of one record, above 0.
        records: N.
        adjacency: replace one.
        largest_risk: largest absolute risk of one record, where it is known; no proven figure needs it.

    Source: TDP (3.1); THEORY 2.6.
    """

    inverse_temperature: float
    risk_range: float
    records: int
    adjacency: Adjacency = "replace-one"
    largest_risk: float | None = None

    def __post_init__(self) -> None:
        checks.positive("inverse_temperature", self.inverse_temperature)
        checks.positive("risk_range", self.risk_range)
        limits.count("records", self.records, least=1)
        limits.ratio("inverse_temperature * risk_range / records", self.pure_epsilon / 2)
        checks.one_of("adjacency", self.adjacency, ("replace-one",))
        if self.largest_risk is not None and not 2 * self.largest_risk >= self.risk_range:
            raise ValueError(f"largest_risk = {self.largest_risk!r}: must be at least half of risk_range")

    @property
    def pure_epsilon(self) -> float:
        """The pure epsilon of one draw."""
        return 2 * self.inverse_temperature * self.risk_range / self.records


@dataclass(frozen=True, kw_only=True)
class GradientStep(Event):
    """One DP-SGD step: the sum of gradients clipped to ``clip_norm``, plus Gaussian noise.

    Args:
        noise_std: standard deviation of the noise on the sum.
        clip_norm: C > 0, L2 bound on one gradient.
        adjacency: the sum moves by at most C (add or remove one, zero out) or 2C (replace one).
    """

    noise_std: float
    clip_norm: float
    adjacency: Adjacency

    def __post_init__(self) -> None:
        checks.non_negative("noise_std", self.noise_std)
        checks.positive("clip_norm", self.clip_norm)
        checks.one_of("adjacency", self.adjacency, ADJACENCIES)
        limits.noise("noise_std / clip_norm", self.noise_std / self.clip_norm)

    def reduced(self) -> Gaussian:
        reach = 2.0 if self.adjacency in REPLACING else 1.0
        return Gaussian(noise_multiplier=self.noise_std / (reach * self.clip_norm), adjacency=self.adjacency)


@dataclass(frozen=True, kw_only=True)
class WassersteinGradientStep(Event):
    """One noisy gradient of a Wasserstein loss.

    Args:
        noise_std: standard deviation of the noise.
        sensitivity: L2 sensitivity of the gradient under ``adjacency``, above 0, by the smallest bound that is proven
            (THEORY 2.5 and 2.7).
        adjacency: replace one, or replace one inside a class of fixed size.
        published_sensitivity: the same as the paper bounds it (WG Theorems 4.1, A.1 and 6.1), at least
            ``sensitivity``; None where no other bound is to be told apart from it.
    """

    noise_std: float
    sensitivity: float
    adjacency: Adjacency = "replace-one"
    published_sensitivity: float | None = None

    def __post_init__(self) -> None:
        checks.non_negative("noise_std", self.noise_std)
        checks.positive("sensitivity", self.sensitivity)
        if self.published_sensitivity is not None and not self.published_sensitivity >= self.sensitivity:
            raise ValueError(
                f"published_sensitivity = {self.published_sensitivity!r}: must be at least the proven sensitivity, "
                f"{self.sensitivity!r}"
            )
        checks.one_of("adjacency", self.adjacency, REPLACING)
        limits.noise("noise_std / sensitivity", self.noise_std / self.sensitivity)

    def reduced(self) -> Gaussian:
        return Gaussian(noise_multiplier=self.noise_std / self.sensitivity, adjacency=self.adjacency)


@dataclass(frozen=True, kw_only=True)
class SlicedProjections(Event):
    """Rows projected on random directions, plus Gaussian noise: what DP-SWD releases.

    The release is (U, X U + V): directions U drawn afresh, independently of the data, and published.

    Args:
        noise_std: σ, standard deviation of the noise on every projection.
        projections: k, number of directions.
        dimension: d, length of a row.
        directions: ``iid`` uniform on the sphere, or ``orthogonal``: independent Haar-random bases,
            k a multiple of d, or k < d columns of one.
        adjacency: zero out (rows of norm at most ``distance``), or replace one (at most ``distance``/2).
        distance: L2 bound on the difference of two neighbouring rows.
        padded: whether every batch has the same number of rows, all noised; Poisson sampling is
            amplified only then, since otherwise the number of rows is released too.

    Source: SWD Algorithm 1; THEORY 2.3 and 2.4.
    """

    noise_std: float
    projections: int
    dimension: int
    directions: Directions = "iid"
    adjacency: Adjacency = "replace-one"
    distance: float = 1.0
    padded: bool = True

    def __post_init__(self) -> None:
        checks.non_negative("noise_std", self.noise_std)
        limits.count("projections", self.projections, least=1)
        limits.count("dimension", self.dimension, least=1)
        checks.one_of("directions", self.directions, ("iid", "orthogonal"))
        checks.one_of("adjacency", self.adjacency, ("replace-one", "zero-out", "replace-one-inside-class"))
        checks.positive("distance", self.distance)
        limits.noise("noise_std / distance", self.noise_std / self.distance)
        if self.directions == "orthogonal" and self.projections > self.dimension and self.projections % self.dimension:
            raise ValueError(
                f"projections = {self.projections}: orthogonal directions must be at most, or a multiple of, "
                f"dimension = {self.dimension}"
            )
