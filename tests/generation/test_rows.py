"""Rows of labelled images: how far apart two can be, searched for and reached; projections without the rows."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
import torch

from wassdp.distances import directions
from wassdp.generation.rows import Prepared, Recipe, Rows, concatenated
from wassdp.generation.views import ConvolutionalView, Cosine, Pixels, Pooled, Shape, View
from wassdp.mechanisms.dpswd import Sampling
from wassdp.noise import seeded

SHAPE = (1, 8, 8)
VIEWS = (Pixels(), Pooled(name="pooled", factor=2), Cosine(name="cosine", side=3))
LABELS = {"none": "image", "per_class": "image", "joint": "joint", "outer": "outer"}
CLASSES = 3


def recipe(*, shape: Shape = SHAPE, classes: int = CLASSES, **changes: Any) -> Recipe:
    return Recipe(Rows(**({"labels": "joint", "label_scale": 2.5} | changes)), shape, classes)


def rows(
    chosen: Recipe, images: torch.Tensor, labels: torch.Tensor, sampling: Sampling = "without-replacement"
) -> torch.Tensor:
    """The rows themselves, read off by projecting on the coordinates."""
    prepared, _ = chosen.prepare(images, labels, sampling=sampling)
    return chosen.project(prepared, torch.eye(chosen.dimension)).T


def extremes() -> tuple[torch.Tensor, torch.Tensor]:
    """Images in [0, 1], many of them corners of the cube, each with every class."""
    generator = torch.Generator().manual_seed(0)
    noise = torch.rand(40, *SHAPE, generator=generator)
    images = torch.cat([torch.zeros(1, *SHAPE), torch.ones(1, *SHAPE), noise, noise.round()])
    return images.repeat_interleave(CLASSES, dim=0), torch.arange(CLASSES).repeat(len(images))


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: type(view).__name__)
@pytest.mark.parametrize("labels", LABELS)
def test_no_two_raw_rows_are_further_apart_than_stated_and_pixels_reach_it(view: View, labels: str) -> None:
    chosen = recipe(view=view, labels=labels, rows="raw", row_scale=0.7)
    found = rows(chosen, *extremes())
    stated = chosen.distance("without-replacement")
    assert float(torch.pdist(found).max()) <= stated * (1 + 1e-5)
    assert float(found.norm(dim=1).max()) <= chosen.distance("poisson") * (1 + 1e-5)
    if isinstance(view, Pixels):
        assert float(torch.pdist(found).max()) == pytest.approx(stated, rel=1e-5)
        assert float(found.norm(dim=1).max()) == pytest.approx(chosen.distance("poisson"), rel=1e-5)


def test_the_stated_distances_are_those_of_the_formulas() -> None:
    pixels, label = 64, 2.5
    expected = {"image": pixels, "joint": pixels + 2 * label**2, "outer": 2 * pixels}
    for labels, entry in LABELS.items():
        chosen = recipe(labels=labels, rows="raw")
        assert chosen.entry == entry
        assert chosen.distance("without-replacement") == pytest.approx(math.sqrt(expected[entry]))
        assert recipe(labels=labels).distance("without-replacement") == 1.0


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("reading", ["clipped", "orthant"])
@pytest.mark.parametrize("sampling", ["without-replacement", "poisson"])
def test_clipped_rows_are_at_most_one_apart_or_long(labels: str, reading: str, sampling: Sampling) -> None:
    found = rows(recipe(labels=labels, rows=reading), *extremes(), sampling)
    apart = found.norm(dim=1) if sampling == "poisson" else torch.pdist(found)
    assert float(apart.max()) <= 1 + 1e-6


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("reading", ["clipped", "orthant", "raw"])
@pytest.mark.parametrize("sampling", ["without-replacement", "poisson"])
def test_what_crafted_images_reach_is_what_rows_of_theirs_are_apart(
    labels: str, reading: str, sampling: Sampling
) -> None:
    """By the rows written out in full; pixels reach all but a clipped ball's, of which they have the positive part."""
    chosen = recipe(labels=labels, rows=reading)
    reached = chosen.reached(sampling)
    left = (torch.arange(8) < 4).float().expand(1, 8, 8)
    crafted = torch.stack([torch.zeros(SHAPE), torch.ones(SHAPE), left, 1 - left])
    found = rows(chosen, crafted.repeat(2, 1, 1, 1), torch.arange(2).repeat_interleave(4), sampling)
    if LABELS[labels] == "image":  # a label that is in no row is no difference
        found = found[:4]
    apart = found.norm(dim=1) if sampling == "poisson" else torch.pdist(found)
    assert reached == pytest.approx(float(apart.max()) / chosen.distance(sampling), abs=1e-6)
    if reading == "clipped" and sampling == "without-replacement":
        assert reached == pytest.approx(math.sqrt(0.5), abs=1e-6)
    else:
        assert reached == pytest.approx(1.0, abs=1e-6)


def test_the_orthant_is_used_up_and_needs_rows_without_negative_coordinates() -> None:
    """Two images without a common pixel are at a right angle: rows of norm 1/√2 are then exactly 1 apart."""
    images = torch.zeros(2, *SHAPE)
    images[0, :, :4], images[1, :, 4:] = 1.0, 1.0
    chosen = recipe(labels="none", rows="orthant")
    found = rows(chosen, images, torch.tensor([0, 0]))
    torch.testing.assert_close(found.norm(dim=1), torch.full((2,), 0.5**0.5))
    assert float(torch.pdist(found)) == pytest.approx(1.0, abs=1e-6)
    for view in VIEWS:
        if view.non_negative:
            assert float(view(extremes()[0]).min()) >= 0
        else:
            assert float(view(extremes()[0]).min()) < 0
            with pytest.raises(ValueError, match="has negative coordinates"):
                recipe(view=view, rows="orthant")


def test_clipped_rows_are_counted_and_short_ones_pass() -> None:
    images, labels = extremes()
    _, count = recipe(row_scale=1e-3).prepare(images, labels, sampling="without-replacement")
    assert count == 0
    _, count = recipe().prepare(images, labels, sampling="without-replacement")
    assert count == len(images)  # the label alone has length 2.5


def test_rows_are_made_as_they_are_defined() -> None:
    images, labels = torch.rand(5, *SHAPE), torch.tensor([0, 2, 1, 2, 0])
    parts, hot = images.flatten(1), torch.eye(CLASSES)[labels]
    expected = {
        "none": parts,
        "joint": torch.cat([parts, 2.5 * hot], dim=1),
        "outer": torch.einsum("ni,nc->nci", parts, hot).flatten(1),
    }
    directions = torch.randn(200, 7)
    for kind, wanted in expected.items():
        chosen = recipe(labels=kind, rows="raw")
        torch.testing.assert_close(rows(chosen, images, labels), wanted)
        prepared, _ = chosen.prepare(images, labels, sampling="without-replacement")
        unit = directions[: chosen.dimension]
        torch.testing.assert_close(chosen.project(prepared, unit), (wanted @ unit).T)


def test_views_are_contractions_with_orthonormal_coordinates() -> None:
    for view in VIEWS:
        matrix = view(torch.eye(64).view(64, *SHAPE)).T
        torch.testing.assert_close(matrix @ matrix.T, torch.eye(view.dimension(SHAPE)), atol=1e-5, rtol=0)


def test_random_features_have_the_paper_s_dimension_and_come_from_their_seed() -> None:
    view = ConvolutionalView(name="convolutional", seed=1)
    images = torch.rand(2, 3, 64, 64)
    assert view.dimension((3, 64, 64)) == 8192
    assert view(images).shape == (2, 8192)
    assert torch.equal(view(images), ConvolutionalView(name="convolutional", seed=1)(images))
    assert not torch.equal(view(images), ConvolutionalView(name="convolutional", seed=2)(images))
    with pytest.raises(ValueError, match="nothing bounds the rows"):
        recipe(shape=(3, 64, 64), view=view, rows="raw")


def test_the_gradient_flows_through_clipped_rows() -> None:
    images = torch.rand(4, *SHAPE, requires_grad=True)
    for labels, reading in itertools.product(LABELS, ("clipped", "raw")):
        chosen = recipe(labels=labels, rows=reading)
        prepared, _ = chosen.prepare(images, torch.tensor([0, 1, 2, 0]), sampling="without-replacement")
        (gradient,) = torch.autograd.grad(chosen.project(prepared, torch.eye(chosen.dimension)).square().sum(), images)
        assert torch.isfinite(gradient).all()


def test_rows_are_taken_with_their_labels() -> None:
    kept = Prepared(torch.arange(6.0).view(3, 2), torch.tensor([0, 1, 2])).take(torch.tensor([2, 0]))
    assert kept.parts.tolist() == [[4.0, 5.0], [0.0, 1.0]]
    assert kept.labels is not None
    assert kept.labels.tolist() == [2, 0]


def test_groups_are_concatenated_with_their_labels_or_without_any() -> None:
    rows, labels = torch.arange(6.0).view(3, 2), torch.tensor([0, 1, 2])
    joined = concatenated([Prepared(rows, labels), Prepared(rows[:1], labels[2:])])
    assert joined.parts.tolist() == [*rows.tolist(), rows[0].tolist()]
    assert joined.labels is not None
    assert joined.labels.tolist() == [0, 1, 2, 2]
    assert concatenated([Prepared(rows, None)]).labels is None
    with pytest.raises(ValueError, match="1 of 2 have labels"):
        concatenated([Prepared(rows, labels), Prepared(rows, None)])


@pytest.mark.parametrize(
    ("images", "labels", "named"),
    [
        (torch.full((1, *SHAPE), 1.5), torch.tensor([0]), "pixels must lie in"),
        (torch.full((1, *SHAPE), math.nan), torch.tensor([0]), "pixels must lie in"),
        (torch.zeros(1, *SHAPE), torch.tensor([3]), "classes from 0 to 2"),
        (torch.zeros(1, *SHAPE), None, "classes from 0 to 2"),
    ],
)
def test_what_no_row_can_be_made_of_is_refused(images: torch.Tensor, labels: torch.Tensor | None, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        recipe().prepare(images, labels, sampling="without-replacement")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"labels": "product"}, "labels\n"),
        ({"label_scale": 0.0}, "label_scale\n"),
        ({"row_scale": -1.0}, "row_scale\n"),
        ({"classes": 1}, "classes = 1"),
        ({"rows": "unbounded"}, "rows\n"),
    ],
)
def test_impossible_recipes_are_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        recipe(**changes)


def test_impossible_views_are_refused() -> None:
    views: tuple[tuple[View, Shape, str], ...] = (
        (Pooled(name="pooled", factor=3), SHAPE, "factor = 3"),
        (Cosine(name="cosine", side=9), SHAPE, "side = 9"),
        (ConvolutionalView(name="convolutional"), (3, 60, 64), "multiples of 16"),
    )
    for view, shape, named in views:
        with pytest.raises(ValueError, match=named):
            recipe(shape=shape, view=view)


@pytest.mark.parametrize("labels", LABELS)
def test_spread_is_the_mean_variance_over_any_orthonormal_basis(labels: str) -> None:
    chosen = recipe(labels=labels, row_scale=0.1)
    images, kinds = extremes()
    basis = directions.draw(
        "orthogonal",
        dimension=chosen.dimension,
        count=chosen.dimension,
        generator=seeded(0),
    )
    prepared, _ = chosen.prepare(images, kinds, sampling="without-replacement")
    variances = chosen.project(prepared, basis).double().var(dim=1, correction=0)
    assert chosen.spread(prepared) == pytest.approx(float(variances.mean().sqrt()), rel=1e-4)
