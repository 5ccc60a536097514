"""Events of the form that a run will release, before it runs: sizes and noise stand in for what only the run knows.

Whether an accountant supports an event depends on mechanism, sampling and adjacency, which a configuration decides.
"""

from __future__ import annotations

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import Directions, SlicedProjections
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep
from wassdp.accounting.guarantee import Adjacency


def gaussian(adjacency: Adjacency) -> Gaussian:
    """A Gaussian release under ``adjacency``."""
    return Gaussian(noise_multiplier=1.0, adjacency=adjacency)


def projections(directions: Directions = "iid", adjacency: Adjacency = "replace-one") -> SlicedProjections:
    """Noisy projections on such directions."""
    return SlicedProjections(noise_std=1.0, projections=1, dimension=1, directions=directions, adjacency=adjacency)


def wasserstein_gradient(adjacency: Adjacency) -> WassersteinGradientStep:
    """A noisy gradient of a Wasserstein loss under ``adjacency``."""
    return WassersteinGradientStep(noise_std=1.0, sensitivity=1.0, adjacency=adjacency)


def drawn(event: Event) -> Composed:
    """``event`` on a batch drawn without replacement, composed."""
    return repeated(SampledWithoutReplacement(event=event, records=2, batch=1), 1)


def poisson(event: Event) -> Composed:
    """``event`` on a Poisson sample, composed."""
    return repeated(PoissonSampled(event=event, rate=0.5), 1)
