"""Noisy gradient steps whose gradients' distances were measured."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.guarantee import ADJACENCIES, REPLACING, Adjacency, Sampling

SHUFFLED = (
    "shuffled batches: the order is drawn independently of the data, and every record enters one step of each pass, "
    "which counts as one full release; no amplification by shuffling is claimed"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredGradients(Event):
    """Noisy gradient steps together with distances that were measured between their gradients.

    The data-dependent accountants (Bayesian, Wasserstein) read the distances; worst-case ones read
    only ``noise_std``, ``clip_norm`` and ``rate``.

    Args:
        distances: d, shape (steps, pairs): L2 distances between sampled pairs of gradients.
        noise_std: standard deviation of the noise in each step, shape (steps,), unit of ``distances``.
        clip_norm: C, shape (steps,): L2 bound on one gradient; infinity where nothing was clipped.
        rate: q, probability that a record enters a step.
        adjacency: neighbouring relation of the measured pairs.
        sampling: how records entered a step.
        coordinates: n, number of coordinates of one gradient, where an accountant's formula needs it.
        threshold: the norm that the noise was scaled to, shape (steps,), where that is not ``clip_norm``
            because nothing was clipped. Nothing can be proved from it.
        steps_per_pass: where ``sampling`` is ``shuffled``, the steps in which every record enters exactly once.
        exposed: what else was released of the same records, without noise; if anything was, nothing is proved.
        measured_every: distances were measured at one step in so many and are repeated in between.
        notes: what every figure about these steps rests on besides.
    """

    distances: Float[np.ndarray, "steps pairs"]
    noise_std: Float[np.ndarray, " steps"]
    clip_norm: Float[np.ndarray, " steps"]
    rate: float
    adjacency: Adjacency
    sampling: Sampling = "poisson"
    coordinates: int | None = None
    threshold: Float[np.ndarray, " steps"] | None = None
    steps_per_pass: int | None = None
    exposed: tuple[str, ...] = ()
    measured_every: int = 1
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.probability("rate", self.rate)
        checks.one_of("adjacency", self.adjacency, ADJACENCIES)
        for name in ("coordinates", "measured_every", "steps_per_pass"):
            if getattr(self, name) is not None:
                checks.whole(name, getattr(self, name), least=1)
        if self.steps_per_pass is not None and (self.sampling, self.adjacency) != ("shuffled", "replace-one"):
            raise ValueError(
                f"steps_per_pass = {self.steps_per_pass}: is for shuffled records under replace-one, "
                f"not {self.sampling} under {self.adjacency}"
            )
        if self.distances.ndim != 2 or self.noise_std.shape != self.distances.shape[:1]:
            raise ValueError(f"noise_std has shape {self.noise_std.shape}: must match distances {self.distances.shape}")
        for name, values in (("distances", self.distances), ("noise_std", self.noise_std)):
            if not (np.isfinite(values).all() and (values >= 0).all()):
                raise ValueError(f"{name}: must be finite and at least 0")
        if self.clip_norm.shape != self.noise_std.shape or not (self.clip_norm > 0).all():
            raise ValueError(f"clip_norm: must be above 0 and of shape {self.noise_std.shape}")
        if self.threshold is not None and (
            self.threshold.shape != self.noise_std.shape
            or not ((self.threshold > 0) & np.isfinite(self.threshold)).all()
        ):
            raise ValueError(f"threshold: must be finite, above 0 and of shape {self.noise_std.shape}")

    @property
    def steps(self) -> int:
        """Number of releases."""
        return len(self.noise_std)

    def first(self, steps: int) -> MeasuredGradients:
        """The first ``steps`` releases."""
        if checks.whole("steps", steps) > self.steps:
            raise ValueError(f"steps = {steps}: must be at most {self.steps}")
        arrays = {name: getattr(self, name) for name in ("distances", "noise_std", "clip_norm", "threshold")}
        cut = {name: values[:steps] for name, values in arrays.items() if values is not None}
        return dataclasses.replace(self, **cut)

    def remarks(self) -> tuple[str, ...]:
        return (*(() if self.steps_per_pass is None else (SHUFFLED,)), *super().remarks())

    def refusal(self) -> str | None:
        if self.sampling not in ("full", "poisson") and self.steps_per_pass is None:
            return f"sampling {self.sampling!r} of measured gradients has no worst case here"
        worst = self.worst_case()
        return None if worst is None else worst.refusal()

    def sampling_refusal(self) -> str | None:
        return "measured gradients carry their own sampling"

    def unbounded(self) -> bool:
        return self.worst_case() is None

    def worst_case(self) -> Composed | None:
        r"""The same releases, as a worst-case accountant reads them: nothing that was measured enters.

        One gradient of norm at most C moves a sum by at most C when it is added, removed or set to
        zero, and by at most 2C when it is replaced, so step t is a Gaussian mechanism of noise
        multiplier ``noise_std[t] / C_t`` or ``noise_std[t] / (2 C_t)``.

        Under Poisson sampling and *replace-one* the pair is (1−q)N(0)+qN(g) against
        (1−q)N(0)+qN(g'), with ‖g−g'‖ ≤ 2C and ‖g‖, ‖g'‖ ≤ C. By advanced joint convexity (Balle,
        Barthe and Gaboardi 2018, Theorem 2) its profile at ε ≥ 0 is at most that of
        (1−q)N(0)+qN(2C) against N(0), and the case ε < 0 follows by symmetry: the same dominating
        profile as for sampling without replacement (Zhu, Dong and Wang 2022, Theorem 11) with γ = q.

        *Shuffled* records enter one step of every pass, whatever the order, and the order does not depend
        on the data: given all orders, the steps that a record does not enter are the same for both data
        sets, so what remains is an adaptive composition of one full Gaussian release for each pass, taken
        here with the least multiplier of the pass. Shuffling is not credited with any amplification.

        Returns:
            One event per stretch of equal noise multipliers; None where some step is not clipped or
            something is exposed, since no finite budget is then known.

        >>> MeasuredGradients(
        ...     distances=np.zeros((3, 1)), noise_std=np.full(3, 0.4), clip_norm=np.full(3, 2.0),
        ...     rate=0.001, adjacency="replace-one",
        ... ).worst_case()
        Composed(events=(PoissonSampled(event=Gaussian(noise_multiplier=0.1, adjacency='replace-one'), rate=0.001),),
                 counts=(3,))
        """
        if self.exposed or not np.isfinite(self.clip_norm).all():
            return None
        reach = 2.0 if self.adjacency in REPLACING else 1.0
        if self.steps == 0:
            return repeated(self._sampled(0.0), 0)
        multipliers = self.noise_std / (reach * self.clip_norm)
        if self.steps_per_pass is not None:
            multipliers = np.minimum.reduceat(multipliers, np.arange(0, self.steps, self.steps_per_pass))
        stretches = _stretches(multipliers)
        # Quotients that differ by rounding are one multiplier: the smallest of them, never a larger one.
        events = tuple(self._sampled(float(stretch.min())) for stretch in stretches)
        return Composed(events=events, counts=tuple(map(len, stretches)))

    def _sampled(self, noise_multiplier: float) -> Event:
        event = Gaussian(noise_multiplier=noise_multiplier, adjacency=self.adjacency)
        if self.sampling == "full" or self.rate == 1 or self.steps_per_pass is not None:
            return event
        if self.sampling == "poisson":
            return PoissonSampled(event=event, rate=self.rate)
        raise ValueError(
            f"sampling = {self.sampling!r}: only full, poisson and shuffled in known passes have a worst case here"
        )


def _stretches(values: np.ndarray) -> list[np.ndarray]:
    """Consecutive parts of ``values`` that are equal within a relative 1e-12."""
    changes = np.flatnonzero(np.abs(np.diff(values)) > 1e-12 * values[1:]) + 1
    return np.split(values, changes)
