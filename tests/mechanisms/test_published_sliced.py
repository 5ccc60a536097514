"""DP-SWD as its authors' code computes it: what it divides by, what it releases, and that nothing is proved of it."""

from __future__ import annotations

import math

import pytest
import torch

from wassdp import noise
from wassdp.accounting import accountant
from wassdp.accounting.event import decode, encode
from wassdp.mechanisms import dpswd
from wassdp.mechanisms.published_sliced import DIVISOR, JACOBIAN, PublishedDPSWD

SMALL = {"sigma": 1.0, "projections": 20, "dimension": 6, "records": 200, "batch": 10}


def rows(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def mechanism(**changes: float) -> PublishedDPSWD:
    return PublishedDPSWD(**(SMALL | changes))  # type: ignore[arg-type]


def naive(private: torch.Tensor, public: torch.Tensor, sigma: float, draws: noise.Bits) -> torch.Tensor:
    """The published formula, direction by direction, from the directions and noise that ``draws`` gives."""
    largest = max(float(row.norm()) for row in private.detach())
    release = mechanism(sigma=sigma).release(private.detach(), generator=draws)
    public_noise = sigma * noise.normal(20, len(public), generator=draws, dtype=torch.float32)
    total = torch.zeros(())
    for place, direction in enumerate(release.inner.directions.T):
        left = release.inner.projections[place].sort().values
        right = (public @ direction / (2 * largest) + public_noise[place]).sort().values
        total = total + ((left - right) ** 2).mean() / 20
    return 2 * largest * total.sqrt()


@pytest.mark.parametrize("sigma", [0.0, 0.3])
def test_the_distance_is_the_published_formula(sigma: float) -> None:
    private, public = rows(0, 10, 6), rows(1, 10, 6).requires_grad_()
    draws = noise.seeded(2)
    found = mechanism(sigma=sigma).release(private, generator=draws).distance(public, sigma=sigma, generator=draws)
    expected = naive(private, public, sigma, noise.seeded(2))
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        torch.autograd.grad(found, public)[0], torch.autograd.grad(expected, public)[0], atol=1e-6, rtol=1e-4
    )


def test_without_noise_the_divisor_cancels() -> None:
    """2m SW(X / 2m, Y / 2m) = SW(X, Y): the published normalisation changes nothing but what the noise weighs."""
    private, public = rows(0, 10, 6), rows(1, 10, 6)
    found = mechanism(sigma=0.0).release(private, generator=noise.seeded(3))
    plain = dpswd.NoisyProjections(
        directions=found.inner.directions,
        projections=found.inner.directions.T @ private.T,
        clipped=0,
        event=found.inner.event,
    )
    torch.testing.assert_close(
        found.distance(public, sigma=0.0, generator=noise.seeded(0)), plain.distance_power(public).sqrt()
    )


def test_one_record_moves_the_projections_of_all_others() -> None:
    """Why there is no bound: a longer row shrinks every other row, so neighbouring releases differ in all rows."""
    private = rows(0, 10, 6)
    neighbour = private.clone()
    neighbour[0] *= 100
    found, moved = (
        mechanism(sigma=0.0).release(each, generator=noise.seeded(1)).inner for each in (private, neighbour)
    )
    others = (found.projections - moved.projections)[:, 1:]
    assert float(others.abs().amin(dim=1).max()) > 0.01
    bounded = dpswd.DPSWD(**(SMALL | {"sigma": 0.0}))  # type: ignore[arg-type]
    still, same = (bounded.release(each, generator=noise.seeded(1)) for each in (private, neighbour))
    torch.testing.assert_close(still.projections[:, 1:], same.projections[:, 1:])


def test_the_gradient_reaches_private_rows_but_not_through_the_divisor() -> None:
    private = rows(0, 10, 6).requires_grad_()
    found = mechanism(sigma=0.0).release(private, generator=noise.seeded(0))
    assert not found.divisor.requires_grad
    assert float(found.divisor) == pytest.approx(2 * float(private.norm(dim=1).max().detach()))
    (gradient,) = torch.autograd.grad(found.distance(rows(1, 10, 6), sigma=0.0, generator=noise.seeded(0)), private)
    assert float(gradient.abs().min()) > 0


def test_upper_bounds_are_unbounded_and_say_why() -> None:
    event = mechanism().event(50, exposed=(JACOBIAN,), notes=("something else",))
    for name in ("pld", "rdp"):
        found = accountant.load(name).epsilon(event, 1e-5)
        assert found.epsilon is None
        told = "; ".join(found.assumptions)
        assert DIVISOR in told
        assert JACOBIAN in told
        assert "something else" in told
    assert accountant.load("pld").epsilon(event.first(0), 1e-5).epsilon == 0


@pytest.mark.parametrize("name", ["swd_bernstein", "swd_bernstein_code", "swd_clt"])
def test_published_accounts_read_it_as_the_paper_does_and_say_what_they_leave_out(name: str) -> None:
    event = mechanism(sigma=5.0).event(50, exposed=(JACOBIAN,))
    plain = dpswd.DPSWD(**(SMALL | {"sigma": 5.0})).event(50)  # type: ignore[arg-type]
    found, read = (accountant.load(name).epsilon(each, 1e-5) for each in (event, plain))
    assert found.epsilon == read.epsilon
    assert found.kind == "published"
    assert {f"leaves out what was released without noise: {each}" for each in (DIVISOR, JACOBIAN)} <= set(
        found.assumptions
    )


def test_the_event_survives_a_file() -> None:
    event = mechanism().event(7, exposed=(JACOBIAN,), notes=("a note",))
    again = decode(encode(event))
    assert again == event
    assert again.first(3).exposed == (DIVISOR, JACOBIAN)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("batch", "named"),
    [
        (torch.zeros(9, 6), "rows has shape"),
        (torch.zeros(10, 6), "largest norm must be finite and above 0"),
        (torch.full((10, 6), math.nan), "largest norm"),
    ],
)
def test_a_bad_batch_releases_nothing(batch: torch.Tensor, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        mechanism().release(batch, generator=noise.seeded(0))


@pytest.mark.parametrize("changes", [{"sigma": -1.0}, {"batch": 201}, {"batch": 2.5}, {"projections": 0}])
def test_impossible_settings_are_refused(changes: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{'noise_std' if 'sigma' in changes else next(iter(changes))} = "):
        mechanism(**changes)
