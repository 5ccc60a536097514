"""Losses against releases: what they compute, how often they release, and that a release is made again bit by bit."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from wassdp import noise
from wassdp.distances.sliced import sliced_wasserstein_power
from wassdp.generation import pooled, quantiles
from wassdp.generation.methods.mean_embedding import MeanEmbeddingTarget
from wassdp.generation.methods.output_gradient import OutputGradientTarget
from wassdp.generation.methods.sliced import SlicedMethod, SlicedTarget
from wassdp.generation.rows import Recipe, Rows
from wassdp.generation.views import Cosine, Pixels
from wassdp.mechanisms import merf

SHAPE = (1, 4, 4)
LABELS = torch.arange(2).repeat_interleave(5)
RECIPE = Recipe(Rows(labels="per_class", row_scale=0.1), SHAPE, 2)


def generator(seed: int = 0) -> noise.Bits:
    return noise.seeded(seed)


def images(count: int, seed: int) -> torch.Tensor:
    return torch.rand(count, *SHAPE, generator=torch.Generator().manual_seed(seed))


def sliced(*, sigma: float = 0.0, groups: int = 2, **changes: Any) -> SlicedTarget:
    mechanism = pooled.PooledProjections(
        recipe=RECIPE,
        groups=(20,) * groups,
        sigma=sigma,
        projections=16,
        batch=20,
        draws=1,
        directions="iid",
        sampling="without-replacement",
    )
    private = [mechanism.prepare(images(20, 10 + group), None)[0] for group in range(groups)]
    return SlicedTarget(SlicedMethod(name="sliced", labels="per_class", **changes), mechanism, private)


def test_without_noise_the_loss_is_the_mean_over_classes_of_sliced_distances() -> None:
    target = sliced(public_noise=False, order=1.5)
    target.advance(0, generator())
    made = images(10, 1)
    assert target._release is not None
    expected = [
        sliced_wasserstein_power(
            0.1 * made[5 * group : 5 * group + 5].flatten(1),
            0.1 * images(20, 10 + group).flatten(1),
            target._release.directions,
            p=1.5,
        )
        for group in range(2)
    ]
    torch.testing.assert_close(target.loss(made, LABELS, generator()), sum(expected) / 2)


def test_noise_on_both_sides_evens_out() -> None:
    """Between equal samples, noise on one side leaves its own length; on both sides it nearly cancels."""
    found = {}
    for both in (False, True):
        target = sliced(sigma=0.3, groups=1, public_noise=both)
        target.advance(0, generator())
        found[both] = float(target.loss(images(20, 10), None, generator(3)))
    assert found[True] < 0.5 * found[False]


@pytest.mark.parametrize(("reuse", "expected"), [(1, 7), (3, 3), (7, 1), (None, 1)])
def test_a_release_is_made_exactly_as_often_as_the_event_says(reuse: int | None, expected: int) -> None:
    target = sliced(sigma=1.0, reuse=reuse)
    drawing, seen = generator(), set()
    for step in range(7):
        target.advance(step, drawing)
        assert target._release is not None
        seen.add(float(target._release.projections[0, 0, 0]))
    assert len(seen) == target.choice.releases(7) == expected


def test_training_on_one_release_consumes_nothing_private_any_more() -> None:
    target = sliced(sigma=1.0, reuse=None)
    target.advance(0, generator())
    target.groups = []  # whatever follows is post-processing
    first = target.loss(images(10, 1), LABELS, generator(2))
    target.advance(1, generator())
    assert torch.equal(target.loss(images(10, 1), LABELS, generator(2)), first)


def test_a_restored_target_holds_the_same_release_bit_by_bit() -> None:
    target, again = sliced(sigma=1.0, reuse=4), sliced(sigma=1.0, reuse=4)
    drawing = generator()
    for step in range(6):
        target.advance(step, drawing)
    again.load_state_dict(target.state_dict())
    other = generator(99)
    before = other.get_state()
    again.advance(6, other)
    assert torch.equal(other.get_state(), before), "noise goes on where it was"
    assert target._release is not None
    assert again._release is not None
    assert torch.equal(target._release.projections, again._release.projections)
    assert torch.equal(target._release.directions, again._release.directions)


def test_a_step_may_look_at_a_part_of_a_release() -> None:
    target = sliced(sigma=1.0, groups=1, step_directions=4, step_rows=7)
    target.advance(0, generator())
    assert target._release is not None
    unit, released = target._compared(target._release, generator(1))
    assert unit.shape == (16, 4)
    assert released.shape == (1, 4, 7)
    whole = target._release
    place = int((whole.directions == unit[:, :1]).all(dim=0).nonzero())
    assert set(released[0, 0].tolist()) <= set(whole.projections[0, place].tolist())
    # Noise is added on the generated side for numbers that are no multiple, too.
    assert torch.isfinite(target.loss(images(10, 1), None, generator(2)))


def test_smooth_directions_see_the_released_rows_and_nothing_but_low_cosines() -> None:
    mechanism = pooled.PooledProjections(
        recipe=RECIPE,
        groups=(20,),
        sigma=0.0,
        projections=16,
        batch=20,
        draws=1,
        directions="orthogonal",
        sampling="without-replacement",
    )
    private = mechanism.prepare(images(20, 10), None)[0]
    target = SlicedTarget(SlicedMethod(name="sliced", labels="none", smooth=2), mechanism, [private])
    target.advance(0, generator())
    assert target._release is not None
    unit, released = target._compared(target._release, generator(1))
    torch.testing.assert_close(unit.T @ unit, torch.eye(4), atol=1e-5, rtol=0)
    torch.testing.assert_close(
        released[0].sort(dim=1).values, (unit.T @ private.parts.T).sort(dim=1).values, atol=1e-5, rtol=0
    )
    low = Cosine(name="cosine", side=2)(torch.eye(16).view(16, *SHAPE))
    torch.testing.assert_close(low @ low.T @ unit, unit, atol=1e-5, rtol=0)
    with pytest.raises(ValueError, match="smooth = 2"):
        sliced(groups=1, smooth=2)  # iid directions are no basis


def gradients(*, noise_multiplier: float = 0.0, groups: int = 2, bases: int = 3) -> OutputGradientTarget:
    mechanism = quantiles.QuantilesAlongBases(
        recipe=RECIPE,
        groups=(20,) * groups,
        noise_multiplier=noise_multiplier,
        bases=bases,
        parts=5,
        batch=None,
        smooth=2,
    )
    recipe = mechanism.recipe
    private = [
        recipe.prepare(images(20, 10 + group), None, sampling="without-replacement")[0] for group in range(groups)
    ]
    return OutputGradientTarget(mechanism, private)


def test_the_gradient_in_generated_rows_is_that_of_the_sliced_distance() -> None:
    """Without noise, in as many rows of each class as a gradient has points: at any rows, from one release."""
    target = gradients(bases=1)
    target.advance(0, generator())
    (release,) = target._releases
    for seed in (1, 2):
        made = images(10, seed).requires_grad_()
        (found,) = torch.autograd.grad(target.loss(made, LABELS, generator()), made)
        distances = [
            sliced_wasserstein_power(
                0.1 * made[5 * group : 5 * group + 5].flatten(1),
                0.1 * images(20, 10 + group).flatten(1),
                release[0].directions,
            )
            for group in range(2)
        ]
        (expected,) = torch.autograd.grad(torch.stack(distances).mean(), made)
        torch.testing.assert_close(found, expected, atol=1e-7, rtol=1e-4)


def test_gradients_are_released_before_the_first_step_and_never_again() -> None:
    target = gradients(noise_multiplier=1.0)
    drawing = generator()
    target.advance(0, drawing)
    after = drawing.get_state()
    target.groups = []  # whatever follows is post-processing
    seen = {float(target.loss(images(10, 1), LABELS, generator(seed))) for seed in range(20)}
    assert len(seen) == 3  # a basis each; one is missed with probability below 1e-3
    target.advance(1, drawing)
    assert torch.equal(drawing.get_state(), after)


def test_restored_gradients_are_the_same_bit_by_bit() -> None:
    target, again = gradients(noise_multiplier=1.0), gradients(noise_multiplier=1.0)
    target.advance(0, generator())
    again.load_state_dict(target.state_dict())
    again.advance(1, generator(99))
    for one, other in zip(target._releases, again._releases, strict=True):
        for left, right in zip(one, other, strict=True):
            assert torch.equal(left.means, right.means)
            assert torch.equal(left.directions, right.directions)


def test_the_embedding_s_loss_vanishes_on_the_private_records_themselves() -> None:
    features = merf.FourierFeatures.draw(dimension=16, count=60, bandwidth=1.0, generator=generator())
    mechanism = merf.MERF(noise_multiplier=0.0, features=features, classes=2, records=10)
    target = MeanEmbeddingTarget(mechanism, Pixels(), images(10, 1).flatten(1), LABELS)
    target.advance(0, generator())
    assert float(target.loss(images(10, 1), LABELS, generator())) < 1e-12
    assert float(target.loss(images(10, 2), LABELS, generator())) > 1e-4
    with pytest.raises(ValueError, match="labels = None"):
        target.loss(images(10, 1), None, generator())


@pytest.mark.parametrize(
    "changes", [{"order": 0.5}, {"order": float("inf")}, {"reuse": 0}, {"step_rows": 0}, {"step_directions": 0}]
)
def test_impossible_settings_are_refused(changes: dict[str, float]) -> None:
    (name,) = changes
    with pytest.raises(ValueError, match=rf"\n{name}\n"):
        sliced(**changes)
