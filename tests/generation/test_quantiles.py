"""Bands of directions, and releases along them for each group."""

from __future__ import annotations

import pytest
import torch

from wassdp import noise
from wassdp.distances.parts import means_of_parts
from wassdp.generation import bands, grouped, quantiles
from wassdp.generation.rows import Recipe, Rows
from wassdp.generation.views import AnyView, ConvolutionalView, Cosine, Pooled, Shape

SHAPE = (1, 8, 8)


def generator(seed: int = 0) -> noise.Bits:
    return noise.seeded(seed)


def recipe(labels: str = "per_class") -> Recipe:
    choices = {"labels": labels, "row_scale": 0.05, "view": Pooled(name="pooled", factor=2)}
    return Recipe(Rows.model_validate(choices), SHAPE, 3)


def images(count: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(count, *SHAPE, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("side", [None, 1, 2, 4])
@pytest.mark.parametrize("labels", ["none", "per_class", "joint", "outer"])
def test_bands_are_together_an_orthonormal_basis(labels: str, side: int | None) -> None:
    chosen = recipe(labels)
    parts = bands.bands(chosen, side)
    whole = torch.cat(parts, dim=1)
    identity = torch.eye(chosen.dimension)
    torch.testing.assert_close(whole.T @ whole, identity, atol=1e-5, rtol=0)
    found = bands.turned(parts, generator=generator())
    torch.testing.assert_close(found.T @ found, identity, atol=1e-5, rtol=0)
    first = parts[0].shape[1]
    torch.testing.assert_close(parts[0] @ parts[0].T @ found[:, :first], found[:, :first], atol=1e-5, rtol=0)
    assert not torch.equal(found, bands.turned(parts, generator=generator(1)))


def test_low_bands_are_where_they_should_be() -> None:
    own, classes = 16, 3
    assert [part.shape[1] for part in bands.bands(recipe(), 2)] == [4, 12]
    assert [part.shape[1] for part in bands.bands(recipe("joint"), 2)] == [4 + classes, 12]
    assert [part.shape[1] for part in bands.bands(recipe("outer"), 2)] == classes * [4, 12]
    assert [part.shape[1] for part in bands.bands(recipe("outer"), None)] == classes * [own]
    # A class's band sees nothing of rows of another class.
    chosen = recipe("outer")
    rows, _ = chosen.prepare(images(1), torch.tensor([1]), sampling="without-replacement")
    seen = [float(chosen.project(rows, part).abs().max()) > 0 for part in bands.bands(chosen, None)]
    assert seen == [False, True, False]


@pytest.mark.parametrize(
    ("view", "shape"),
    [(Cosine(name="cosine", side=3), SHAPE), (ConvolutionalView(name="convolutional"), (1, 16, 16))],
)
def test_rows_on_no_grid_have_no_low_frequencies(view: AnyView, shape: Shape) -> None:
    with pytest.raises(ValueError, match="on no grid"):
        bands.lowest(Recipe(Rows(labels="none", view=view), shape, 0), 2)


def test_low_frequencies_stay_within_the_grid() -> None:
    with pytest.raises(ValueError, match="smooth = 5"):
        bands.lowest(recipe(), 5)  # pooled, the grid is 4 x 4


def mechanism(**change) -> quantiles.QuantilesAlongBases:
    settings = {
        "recipe": recipe(),
        "groups": (20, 30),
        "noise_multiplier": 0.0,
        "bases": 3,
        "parts": 4,
        "batch": None,
        "smooth": 2,
    }
    return quantiles.QuantilesAlongBases(**(settings | change))


def test_without_noise_all_records_of_each_group_are_released_along_every_basis() -> None:
    chosen = mechanism()
    groups = [chosen.recipe.prepare(images(size, size), None, sampling="without-replacement")[0] for size in (20, 30)]
    found = chosen.release(groups, generator=generator())
    assert len(found) == 3
    for release in found:
        assert torch.equal(release[0].directions, release[1].directions)
        for rows, each in zip(groups, release, strict=True):
            torch.testing.assert_close(each.means, means_of_parts(each.directions.T @ rows.parts.T, 4))
    assert not torch.equal(found[0][0].directions, found[1][0].directions)
    with pytest.raises(ValueError, match="groups"):
        chosen.release(groups[:1], generator=generator())


def test_groups_have_noise_of_their_own_size_and_the_smallest_is_accounted() -> None:
    chosen = mechanism(noise_multiplier=5.0)
    groups = [chosen.recipe.prepare(images(size, size), None, sampling="without-replacement")[0] for size in (20, 30)]
    (first, second), *_ = chosen.release(groups, generator=generator())
    assert first.noise_std == pytest.approx(5 * 4 / 20, rel=1e-4) == chosen.noise_std
    assert second.noise_std == pytest.approx(5 * 4 / 30, rel=1e-4)
    event = chosen.event()
    assert (event.adjacency, event.counts) == ("replace-one-inside-class", (3,))
    assert event.notes == (grouped.LABELS_PUBLIC,)  # type: ignore[attr-defined]
    (part,) = mechanism(batch=10).event().events
    assert part.rate == 10 / 20  # type: ignore[attr-defined]


def test_one_group_keeps_labels_private() -> None:
    event = mechanism(recipe=recipe("outer"), groups=(50,)).event()
    assert event.adjacency == "replace-one"
    assert event.notes == ()


def test_no_two_pictures_are_further_apart_than_their_noise_covers() -> None:
    """A record's replacement, of any class, moves what is released by at most what its noise is scaled to."""
    worst = 0.0
    for labelling in ("joint", "outer"):
        confined = Recipe(Rows.model_validate({"labels": labelling, "rows": "orthant"}), SHAPE, 3)
        chosen = mechanism(recipe=confined, groups=(6,), smooth=3)
        for seed in range(40):
            pictures = (images(7, seed) > 0.5).float() * torch.ones(7, 1, 1, 1)
            labels = torch.randint(3, (7,), generator=torch.Generator().manual_seed(seed))
            released = []
            for left in (0, 1):
                some = [place for place in range(7) if place != left]
                rows, _ = chosen.recipe.prepare(pictures[some], labels[some], sampling="without-replacement")
                released.append(chosen.release([rows], generator=generator(seed)))
            noisy = mechanism(recipe=chosen.recipe, groups=(6,), smooth=3, noise_multiplier=1.0).noise_std
            for one, other in zip(*released, strict=True):
                worst = max(worst, float((one[0].means - other[0].means).norm()) / noisy)
    assert 0.2 < worst <= 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bases": 0}, "bases"),
        ({"groups": ()}, "groups"),
        ({"recipe": recipe("joint")}, "keeps labels private"),
        ({"batch": 21}, "records"),
        ({"parts": 0}, "parts"),
    ],
)
def test_bad_mechanisms_are_refused(change, message) -> None:
    with pytest.raises(ValueError, match=message):
        mechanism(**change)
