"""DP-SWD's release: what it clips, draws, pads and accounts for."""

import math

import numpy as np
import pytest
import scipy.stats
import torch

from wassdp import noise
from wassdp.accounting import accountant
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.distances import directions
from wassdp.distances.sliced import sliced_wasserstein_power
from wassdp.mechanisms.dpswd import DPSWD


def rows(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def mechanism(**changes):
    settings = {"sigma": 1.0, "projections": 20, "dimension": 6, "records": 200, "batch": 10}
    return DPSWD(**(settings | changes))


@pytest.mark.parametrize(("sampling", "norm"), [("without-replacement", 0.5), ("poisson", 1.0)])
def test_neighbouring_rows_differ_by_at_most_the_distance_of_the_event(sampling, norm):
    found, clipped = mechanism(sampling=sampling).clip(10 ** rows(0, 300, 6))
    lengths = found.norm(dim=1)
    assert float(lengths.max()) <= norm * (1 + 1e-6)
    event = mechanism(sampling=sampling).event(1).events[0].event
    if event.adjacency == "zero-out":  # a row becomes 0
        assert float(lengths.max()) <= event.distance * (1 + 1e-6)
    else:  # a row becomes any other
        assert float(torch.pdist(found).max()) <= event.distance * (1 + 1e-6)
    inside = 10 ** rows(0, 300, 6)
    assert clipped == int((inside.norm(dim=1) > norm).sum())


def test_short_rows_pass_unchanged_and_huge_ones_do_not_overflow():
    short = 0.01 * rows(0, 5, 6)
    kept, clipped = mechanism().clip(short)
    assert torch.equal(kept, short)
    assert clipped == 0
    huge, clipped = mechanism().clip(torch.full((2, 6), 3e38))
    assert clipped == 2
    np.testing.assert_allclose(huge.norm(dim=1), 0.5, rtol=1e-6)
    zeros, _ = mechanism().clip(torch.zeros(2, 6))
    assert torch.equal(zeros, torch.zeros(2, 6))


def test_without_replacement_draws_exactly_the_batch_uniformly():
    drawing, counts = noise.seeded(0), torch.zeros(200)
    for _ in range(2000):
        chosen = mechanism().sample(generator=drawing)
        assert len(chosen.unique()) == 10
        counts[chosen] += 1
    # Chi-squared with 199 degrees of freedom, times 1 - 10/200; fails for 1 seed in 10,000 and the seed is fixed.
    statistic = float(((counts - 100) ** 2 / 100).sum()) / (1 - 0.05)
    assert scipy.stats.chi2(199).sf(statistic) > 1e-4


def test_a_padded_release_tells_neither_how_many_nor_where():
    padded = mechanism(sampling="poisson", sigma=0.0)
    few, many = (padded.release(rows(1, count, 6), generator=noise.seeded(2)) for count in (0, 12))
    assert few.projections.shape == many.projections.shape == (20, padded.capacity)
    assert int((many.projections.abs().sum(dim=0) > 0).sum()) == 12
    places = [
        int(padded.release(torch.ones(1, 6), generator=noise.seeded(seed)).projections.abs().sum(dim=0).argmax())
        for seed in range(3000)
    ]
    counts = np.bincount(places, minlength=padded.capacity)
    assert scipy.stats.chisquare(counts).pvalue > 1e-4  # the seeds are fixed


def test_a_draw_beyond_the_capacity_is_dropped_whole():
    small = mechanism(sampling="poisson", records=50, batch=1.0)

    class Small(DPSWD):
        @property
        def capacity(self):
            return 1

    cut = Small(sigma=1.0, projections=20, dimension=6, records=50, batch=1.0, sampling="poisson")
    sizes = {len(cut.sample(generator=noise.seeded(seed))) for seed in range(200)}
    free = [len(small.sample(generator=noise.seeded(seed))) for seed in range(200)]
    assert sizes == {0, 1}
    assert max(free) > 1


@pytest.mark.parametrize("kind", directions.KINDS)
def test_without_noise_the_release_is_the_projected_rows(kind):
    settings = mechanism(sigma=0.0, directions=kind, projections=6)
    found = settings.release(0.1 * rows(0, 10, 6), generator=noise.seeded(3))
    torch.testing.assert_close(found.projections, found.directions.T @ (0.1 * rows(0, 10, 6)).T)
    public = rows(4, 7, 6)
    expected = sliced_wasserstein_power(public, 0.1 * rows(0, 10, 6), found.directions, p=1.5)
    torch.testing.assert_close(found.distance_power(public, p=1.5), expected)


def test_the_noise_is_gaussian_of_the_stated_deviation_on_every_value():
    settings = mechanism(sigma=0.7, projections=500, batch=40)
    drawn = settings.release(torch.zeros(40, 6), generator=noise.seeded(5)).projections.flatten() / 0.7
    assert scipy.stats.kstest(drawn.numpy(), "norm").pvalue > 1e-4  # 1 seed in 10,000; the seed is fixed


def test_directions_are_fresh_in_every_release():
    drawing = noise.seeded(0)
    first, second = (mechanism().release(rows(0, 10, 6), generator=drawing) for _ in range(2))
    assert not torch.allclose(first.directions, second.directions)


def test_the_gradient_flows_to_public_points_only():
    public = rows(1, 8, 6).requires_grad_()
    found = mechanism().release(rows(0, 10, 6), generator=noise.seeded(0))
    (gradient,) = torch.autograd.grad(found.distance_power(public), public)
    assert gradient.shape == public.shape
    noisy = found.distance_power(public, sigma=1.0, generator=noise.seeded(9))
    assert float(noisy.detach()) != float(found.distance_power(public).detach())


def theory(**changes):
    settings = {"noise_std": 2.94, "projections": 1000, "dimension": 784, "adjacency": "replace-one"}
    return SlicedProjections(**(settings | changes))


@pytest.mark.parametrize(
    ("changes", "once"),
    [
        ({}, SampledWithoutReplacement(event=theory(), records=60000, batch=100)),
        ({"sampling": "poisson"}, PoissonSampled(event=theory(adjacency="zero-out"), rate=1 / 600)),
        (
            {"directions": "orthogonal", "projections": 784},
            SampledWithoutReplacement(event=theory(directions="orthogonal", projections=784), records=60000, batch=100),
        ),
    ],
)
def test_the_event_is_one_of_those_that_the_theory_notes_compute(changes, once):
    """`tests/accounting/test_exact.py` holds what they cost."""
    settings = {"sigma": 2.94, "projections": 1000, "dimension": 784, "records": 60000, "batch": 100} | changes
    assert DPSWD(**settings).event(60_000) == repeated(once, 60_000)


def test_the_release_carries_its_event():
    found = mechanism().release(rows(0, 10, 6), generator=noise.seeded(0))
    guarantee = accountant.load("pld").epsilon(found.event, 1e-5)
    assert guarantee.epsilon is not None
    assert 0 < guarantee.epsilon < math.inf
    assert guarantee.adjacency == "replace-one"
    assert guarantee.sampling == "without-replacement"
    public_labels = mechanism(labels_public=True).release(rows(0, 10, 6), generator=noise.seeded(0))
    assert accountant.load("pld").epsilon(public_labels.event, 1e-5).adjacency == "replace-one-inside-class"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"sigma": -1.0}, "noise_std = -1.0"),
        ({"sigma": math.nan}, "noise_std = nan"),
        ({"projections": 0}, "projections = 0"),
        ({"directions": "orthogonal", "projections": 7}, "projections = 7"),
        ({"batch": 201}, "batch = 201"),
        ({"batch": 2.5}, "batch = 2.5"),
        ({"sampling": "shuffled"}, "sampling = 'shuffled'"),
        ({"sampling": "poisson", "labels_public": True}, "labels_public = True"),
    ],
)
def test_impossible_settings_are_refused_before_anything_is_released(changes, named):
    with pytest.raises(ValueError, match=named):
        mechanism(**changes)


@pytest.mark.parametrize(
    ("batch", "named"),
    [
        (torch.zeros(9, 6), "rows = 9"),
        (torch.zeros(10, 5), "rows has shape"),
    ],
)
def test_a_bad_batch_releases_nothing(batch, named):
    with pytest.raises(ValueError, match=named):
        mechanism().release(batch, generator=noise.seeded(0))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("sampling", ["without-replacement", "poisson"])
def test_a_row_that_is_not_finite_counts_as_zero(bad, sampling):
    # To stop because of it would be an output that no noise covers.
    batch, zeroed = rows(0, 10, 6), rows(0, 10, 6)
    batch[3, 2], zeroed[3] = bad, 0
    found, expected = (
        mechanism(sampling=sampling).release(each, generator=noise.seeded(0)) for each in (batch, zeroed)
    )
    assert torch.equal(found.projections, expected.projections)
    assert found.clipped == expected.clipped + 1


def test_post_processing_refuses_what_has_no_distance():
    found = mechanism().release(rows(0, 10, 6), generator=noise.seeded(0))
    for public, options, named in (
        (rows(1, 4, 5), {}, "public has shape"),
        (rows(1, 4, 6), {"p": 0.5}, "p = 0.5"),
        (rows(1, 4, 6), {"sigma": 1.0}, "generator = None"),
    ):
        with pytest.raises(ValueError, match=named):
            found.distance_power(public, **options)
