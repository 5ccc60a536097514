"""Pooled releases of projections: who is drawn, what is shared, and what it costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
import torch

from wassdp import noise
from wassdp.accounting import accountant
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.generation.pooled import PooledProjections, without_replacement
from wassdp.generation.rows import Prepared, Recipe, Rows

SHAPE = (1, 4, 4)


def generator(seed: int = 0) -> noise.Bits:
    return noise.seeded(seed)


def mechanism(**changes: object) -> PooledProjections:
    settings: dict[str, object] = {
        "recipe": Recipe(Rows(labels="per_class"), SHAPE, 2),
        "groups": (30, 40),
        "sigma": 1.0,
        "projections": 16,
        "batch": 3,
        "draws": 1,
        "directions": "iid",
        "sampling": "without-replacement",
    }
    return PooledProjections(**(settings | changes))  # type: ignore[arg-type]


def prepared(chosen: PooledProjections) -> list[Prepared]:
    drawing = torch.Generator().manual_seed(7)
    return [chosen.prepare(torch.rand(size, *SHAPE, generator=drawing), None)[0] for size in chosen.groups]


@pytest.mark.parametrize(("records", "batch"), [(60, 4), (12, 10), (9, 9)])
def test_batches_have_no_repetition_and_every_record_is_as_likely(records: int, batch: int) -> None:
    found = without_replacement(records, batch, 4000, generator=generator())
    assert found.shape == (4000, batch)
    assert bool((found.sort(dim=1).values.diff(dim=1) > 0).all())
    # Every place is uniform over the records; fails for 1 seed in 10,000 for each place, and the seed is fixed.
    for place in range(batch):
        counts = torch.bincount(found[:, place], minlength=records).numpy()
        assert scipy.stats.chisquare(counts).pvalue > 1e-4
    with pytest.raises(ValueError, match="batch = 10"):
        without_replacement(9, 10, 1, generator=generator())


def test_pairs_of_a_small_batch_are_uniform_too() -> None:
    found = without_replacement(6, 2, 30_000, generator=generator())
    counts = torch.bincount(found[:, 0] * 6 + found[:, 1], minlength=36).view(6, 6)
    assert int(counts.diagonal().sum()) == 0
    off = counts[~torch.eye(6, dtype=torch.bool)].numpy()
    assert scipy.stats.chisquare(off).pvalue > 1e-4  # the seed is fixed


def test_without_noise_a_release_holds_projections_of_clipped_rows_of_its_group() -> None:
    chosen = mechanism(sigma=0.0, directions="orthogonal", draws=5)
    groups = prepared(chosen)
    found = chosen.release(groups, generator=generator(1))
    assert found.projections.shape == (2, 16, 15)
    for own, rows in zip(found.projections, groups, strict=True):
        back = (found.directions @ own).T  # the directions are one orthonormal basis
        distances = torch.cdist(back, rows.parts, compute_mode="donot_use_mm_for_euclid_dist")
        assert float(distances.min(dim=1).values.max()) < 1e-5
        assert len(distances.argmin(dim=1).unique()) > 3


def test_the_noise_is_gaussian_of_the_stated_deviation() -> None:
    chosen = mechanism(sigma=0.7, projections=200, directions="iid")
    silent = mechanism(sigma=0.0, projections=200, directions="iid")
    difference = (
        chosen.release(prepared(chosen), generator=generator(5)).projections
        - silent.release(prepared(silent), generator=generator(5)).projections
    )
    assert scipy.stats.kstest(difference.flatten().numpy() / 0.7, "norm").pvalue > 1e-4  # the seed is fixed


def test_a_padded_poisson_release_tells_neither_how_many_nor_where() -> None:
    chosen = mechanism(groups=(400,), batch=6.0, sampling="poisson", sigma=0.0)
    rows = prepared(chosen)
    # Rows of a quarter image are never 0, so the zeros are the padding.
    numbers, places = [], np.zeros(chosen.rows)
    for seed in range(600):
        filled = chosen.release(rows, generator=generator(seed)).projections[0].abs().sum(dim=0) > 0
        numbers.append(int(filled.sum()))
        places += filled.numpy()
    assert chosen.rows > max(numbers)
    assert np.mean(numbers) == pytest.approx(6.0, abs=4 * math.sqrt(6 / 600))
    assert np.var(numbers) == pytest.approx(6 * (1 - 6 / 400), rel=0.25)
    assert scipy.stats.chisquare(places).pvalue > 1e-4  # the seeds are fixed


def test_the_event_counts_every_draw_at_the_rate_of_the_smallest_group() -> None:
    chosen = mechanism(draws=5, directions="orthogonal")
    (event,), (count,) = chosen.event(7).events, chosen.event(7).counts
    assert count == 35
    assert isinstance(event, SampledWithoutReplacement)
    assert event.rate == 3 / 30
    assert isinstance(event.event, SlicedProjections)
    assert event.event.adjacency == "replace-one-inside-class"
    private = mechanism(recipe=Recipe(Rows(labels="outer"), SHAPE, 2), groups=(70,))
    assert private.event(1).adjacency == "replace-one"
    found = accountant.load("pld").epsilon(chosen.event(1), 1e-5)
    assert any("labels are public" in note for note in found.assumptions)


def test_raw_rows_are_accounted_at_their_real_distance() -> None:
    costs = []
    for reading in ("clipped", "raw"):
        recipe = Recipe(Rows.model_validate({"labels": "joint", "label_scale": 3.0, "rows": reading}), SHAPE, 2)
        chosen = mechanism(recipe=recipe, groups=(70,), sigma=2.0)
        event = chosen.event(1).events[0]
        assert isinstance(event, SampledWithoutReplacement)
        assert isinstance(event.event, SlicedProjections)
        assert event.event.distance == (1.0 if reading == "clipped" else pytest.approx(math.sqrt(16 + 18)))
        costs.append(accountant.load("pld").epsilon(chosen.event(10), 1e-5).value)
    assert costs[1] > 5 * costs[0]


def test_draws_that_share_directions_need_a_fixed_sensitivity() -> None:
    """With iid directions H is random, and the same in all draws: composing independent ones would be no bound."""
    for changes in ({"directions": "iid"}, {"directions": "orthogonal", "projections": 8}):
        with pytest.raises(ValueError, match="draws = 2"):
            mechanism(draws=2, **changes)
    assert mechanism(draws=2, directions="orthogonal", projections=32).rows == 2 * 6  # of both groups


def test_smaller_batches_release_more_rows_at_the_same_budget() -> None:
    """At one noise: batches ten times smaller release ten times the rows, and cost no more."""
    spent = []
    for batch, releases in ((10, 100), (1, 10_000)):
        chosen = mechanism(groups=(6000, 6000), batch=batch, directions="orthogonal", sigma=1.0)
        spent.append(accountant.load("pld").epsilon(chosen.event(releases), 1e-5).value)
    assert 0 < spent[1] <= spent[0]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"groups": ()}, "groups"),
        ({"batch": 31}, "batch = 31"),
        ({"sigma": -1.0}, "noise_std"),
        ({"draws": 0}, "draws = 0"),
        ({"sampling": "poisson"}, "labels_public"),
        ({"recipe": Recipe(Rows(labels="joint"), SHAPE, 2)}, "keeps labels private"),
    ],
)
def test_impossible_settings_are_refused(changes: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        mechanism(**changes)


def test_other_records_than_stated_are_refused() -> None:
    chosen = mechanism()
    with pytest.raises(ValueError, match=r"groups: must hold \(30, 40\)"):
        chosen.release(prepared(chosen)[:1], generator=generator())
