"""Noisy means of parts: their sensitivity, and that they are the output gradient's release for all points at once."""

from __future__ import annotations

import math

import pytest
import torch

from wassdp import noise
from wassdp.accounting import accountant
from wassdp.distances import directions
from wassdp.distances.parts import means_of_parts
from wassdp.mechanisms import sliced_quantiles, wasserstein_output_gradient
from wassdp.mechanisms.sliced_quantiles import SlicedQuantiles

DOUBLE = torch.float64


def mechanism(**change) -> SlicedQuantiles:
    settings = {"noise_multiplier": 2.0, "distance": 1.0, "records": 12, "batch": 12, "parts": 4}
    return SlicedQuantiles(**(settings | change))


def basis(dimension: int, seed: int = 0) -> torch.Tensor:
    return directions.draw(
        "orthogonal",
        dimension=dimension,
        count=dimension,
        generator=noise.seeded(seed),
        dtype=DOUBLE,
    )


def points(count: int, dimension: int, seed: int) -> torch.Tensor:
    return torch.randn(count, dimension, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


def test_the_objective_has_the_output_gradient_at_any_points() -> None:
    """What an output gradient releases at some points follows, at any points, from one release of means."""
    private = 0.1 * points(12, 5, 1)
    turned = basis(5)
    found = mechanism(noise_multiplier=0.0).release(turned.T @ private.T, turned, generator=noise.seeded(0))
    other = wasserstein_output_gradient.WassersteinOutputGradient(
        noise_multiplier=0.0, output_norm=10.0, records=12, batch=12, dimension=5, projections=5
    )
    for seed in range(3):
        public = points(4, 5, 10 + seed).requires_grad_()
        found.objective(turned.T @ public.T).backward()
        torch.testing.assert_close(public.grad, other.gradient(private, public.detach(), turned))


def test_noise_and_sensitivity_stand_in_the_output_gradient_s_proportion() -> None:
    """The gradient is 2 / (m d) times an isometry of the means: so are both its noise and its sensitivity."""
    turned, norm = basis(5), 0.5
    means = mechanism(distance=2 * norm)
    other = wasserstein_output_gradient.WassersteinOutputGradient(
        noise_multiplier=2.0, output_norm=norm, records=12, batch=12, dimension=5, projections=5
    )
    assert 2 / (4 * 5) * means.sensitivity(turned) == pytest.approx(other.sensitivity(turned))
    public = points(4, 5, 3).requires_grad_()
    private = points(12, 5, 1)
    noisy = means.release(turned.T @ private.T, turned, generator=noise.seeded(5))
    exact = mechanism(noise_multiplier=0.0).release(turned.T @ private.T, turned, generator=noise.seeded(0))
    (pull,) = torch.autograd.grad(noisy.objective(turned.T @ public.T), public)
    (clean,) = torch.autograd.grad(exact.objective(turned.T @ public.T), public)
    expected = 2 / (4 * 5) * float((noisy.means - exact.means).norm())
    assert float((pull - clean).norm()) == pytest.approx(expected)


@pytest.mark.parametrize("batch", [3, 12, 13])
def test_no_neighbour_is_further_than_the_sensitivity(batch: int) -> None:
    """A random search for the worst pair, ties and numbers that are no multiples of the parts included."""
    drawing, turning = torch.Generator().manual_seed(batch), noise.seeded(batch)
    worst = 0.0
    for attempt in range(400):
        dimension = 1 + attempt % 4
        iid = attempt % 2 == 0
        turned = directions.draw(
            "iid" if iid else "orthogonal", dimension=dimension, count=dimension, generator=turning, dtype=DOUBLE
        )
        first = 0.5 * torch.nn.functional.normalize(
            torch.randn(batch, dimension, generator=drawing, dtype=DOUBLE), dim=1
        )
        first[: attempt % batch] = first[0].clone()
        second = first.clone()
        second[-1] = -first[-1] if attempt % 3 else first[0]
        moved = means_of_parts(turned.T @ first.T, 4) - means_of_parts(turned.T @ second.T, 4)
        allowed = mechanism(records=batch, batch=batch).sensitivity(turned)
        worst = max(worst, float(moved.norm()) / allowed)
    assert 0.5 < worst <= 1 + 1e-9


def test_the_bound_is_reached() -> None:
    """One point goes from one side of a gap to the other, where all of the change falls into one part."""
    first = torch.tensor([[-0.5], [-0.5], [-0.5], [0.5]], dtype=DOUBLE)
    second = torch.tensor([[-0.5], [-0.5], [0.5], [0.5]], dtype=DOUBLE)
    moved = means_of_parts(first.T, 2) - means_of_parts(second.T, 2)
    allowed = mechanism(records=4, batch=4, parts=2).sensitivity(torch.ones(1, 1, dtype=DOUBLE))
    assert float(moved.norm()) == pytest.approx(allowed)


def test_noise_is_what_the_event_says() -> None:
    turned = torch.eye(40, dtype=DOUBLE)
    projected = torch.zeros(40, 12, dtype=DOUBLE)
    found = mechanism().release(projected, turned, generator=noise.seeded(0))
    assert found.noise_std == pytest.approx(2 * 4 / 12)
    # 160 numbers: their deviation is off by more than 30 % with probability below 1e-6.
    assert float(found.means.std()) == pytest.approx(found.noise_std, rel=0.3)
    assert (found.event.adjacency, found.event.counts) == ("replace-one", (1,))
    assert mechanism(labels_public=True).event(3).adjacency == "replace-one-inside-class"


def test_memory_is_bounded_and_nothing_else_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    projected = points(7, 12, 1)
    turned = directions.draw("iid", dimension=5, count=7, generator=noise.seeded(2), dtype=DOUBLE)
    whole = mechanism().release(projected, turned, generator=noise.seeded(0))
    monkeypatch.setattr(sliced_quantiles, "CHUNK", 25)
    again = mechanism().release(projected, turned, generator=noise.seeded(0))
    assert torch.equal(whole.means, again.means)


def test_all_records_are_the_plain_gaussian_mechanism() -> None:
    event = mechanism(noise_multiplier=math.sqrt(30) * 3.7303).event(30)
    assert accountant.load("pld").epsilon(event, 1e-5).value == pytest.approx(1, rel=2e-3)
    sampled = mechanism(noise_multiplier=math.sqrt(30) * 3.7303, batch=3).event(30)
    assert accountant.load("pld").epsilon(sampled, 1e-5).value < 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"distance": 0.0}, "distance"),
        ({"batch": 13}, "records"),
        ({"batch": 0}, "batch"),
        ({"parts": 0}, "parts"),
        ({"noise_multiplier": -1.0}, "noise_multiplier"),
    ],
)
def test_bad_mechanisms_are_refused(change, message) -> None:
    with pytest.raises(ValueError, match=message):
        mechanism(**change)


def test_bad_batches_release_nothing() -> None:
    drawing = noise.seeded(0)
    before = drawing.get_state()
    for projected, turned in (
        (torch.zeros(4, 11), torch.eye(4)),
        (torch.zeros(4, 12), 2 * torch.eye(4)),
    ):
        with pytest.raises(ValueError, match=r"projected|directions"):
            mechanism().release(projected, turned, generator=drawing)
    assert torch.equal(drawing.get_state(), before)
    assert mechanism(batch=5).sample(generator=drawing).unique().shape == (5,)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_point_that_is_not_finite_counts_as_zero(bad: float) -> None:
    # To stop because of it would be an output that no noise covers.
    projected = basis(5).T @ points(12, 5, 1).T
    zeroed = projected.clone()
    projected[2, 7], zeroed[:, 7] = bad, 0
    found, expected = (mechanism().release(each, basis(5), generator=noise.seeded(1)) for each in (projected, zeroed))
    assert torch.equal(found.means, expected.means)
