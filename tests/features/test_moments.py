"""Normalisation by group and by channel, each against plain arithmetic; what the release of moments costs."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from wassdp import noise
from wassdp.accounting import accountant
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.features.grouped import SMALL, by_group
from wassdp.features.moments import ReleasedNormalisation, Standardisation


def features(count: int = 50, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    scale = torch.tensor([1.0, 5.0, 0.2, 3.0, 1.0, 2.0])[:, None, None]
    return torch.randn(count, 6, 3, 2, generator=generator) * scale + 2 * scale


def moments(**changes: float | str) -> ReleasedNormalisation:
    values = {
        "name": "channel",
        "noise_multiplier": 0.0,
        "clip_mean": 1e6,
        "clip_square": 1e6,
        "floor": 0.0,
    } | changes
    return ReleasedNormalisation.model_validate(values)


def test_groups_are_normalised_example_by_example() -> None:
    given = features()
    found = by_group(given, groups=3)
    for example, result in zip(given.numpy(), found.numpy(), strict=True):
        for start in range(0, 6, 2):
            part = example[start : start + 2]
            expected = (part - part.mean()) / np.sqrt(part.var() + SMALL)
            np.testing.assert_allclose(result[start : start + 2], expected, atol=1e-5)
    torch.testing.assert_close(by_group(given[:1], groups=3), found[:1])


@pytest.mark.parametrize("groups", [4, 0, 7])
def test_groups_must_divide_the_channels(groups: int) -> None:
    with pytest.raises(ValueError, match=f"groups = {groups}"):
        by_group(features(), groups=groups)


def test_without_noise_and_clipping_channels_are_standardised() -> None:
    given = features()
    found = moments().release(given.split(7), records=50, generator=noise.seeded(0))(given).transpose(0, 1).flatten(1)
    np.testing.assert_allclose(found.mean(dim=1), 0, atol=1e-5)
    np.testing.assert_allclose(found.std(dim=1, correction=0), 1, atol=1e-5)


def test_features_may_have_moments_of_their_own() -> None:
    given = features()
    found = moments(name="feature").release(given.split(7), records=50, generator=noise.seeded(0))
    assert found.mean.shape == found.deviation.shape == (6, 3, 2)
    np.testing.assert_allclose(found(given).mean(dim=0), 0, atol=1e-5)
    np.testing.assert_allclose(found(given).std(dim=0, correction=0), 1, atol=1e-5)


def test_the_floor_is_a_share_of_the_mean_variance() -> None:
    given = features()
    given[:, 2] = 1.0  # a channel that never varies
    plain, floored = (
        moments(floor=floor).release([given], records=50, generator=noise.seeded(0)).deviation.square().flatten()
        for floor in (0.0, 0.25)
    )
    np.testing.assert_allclose(floored - plain, 0.25 * plain.mean(), rtol=1e-4)
    assert bool(torch.isfinite(moments().release([given], records=50, generator=noise.seeded(0))(given)).all())


@pytest.mark.parametrize("each", ["channel", "feature"])
def test_the_release_is_one_gaussian_mechanism(each: str) -> None:
    """Its two sums, scaled as the event says, move by at most the sensitivity when a record comes or goes."""
    given = features() * 10
    clips = {"clip_mean": 3.0, "clip_square": 40.0}

    def scaled(part: Tensor) -> Tensor:
        # Undo variance and average: the released moments are mean and deviation^2 + mean^2.
        found = moments(name=each, **clips).release([part], records=50, generator=noise.seeded(0))
        square = found.deviation.double().square() + found.mean.double().square()
        return 50 * torch.cat([found.mean.double() / clips["clip_mean"], square / clips["clip_square"]]).flatten()

    for place in range(50):
        rest = torch.cat([given[:place], given[place + 1 :]])
        assert float((scaled(given) - scaled(rest)).norm()) <= np.sqrt(2) * (1 + 1e-5)  # single precision
    assert moments(noise_multiplier=3.0).event() == PoissonSampled(
        event=Gaussian(noise_multiplier=3.0, adjacency="add-remove"), rate=1.0
    )
    # A full batch is a plain Gaussian mechanism to the accountant.
    pld = accountant.load("pld")
    full = pld.epsilon(moments(noise_multiplier=3.0).event(), 1e-5).value
    plain = pld.epsilon(repeated(Gaussian(noise_multiplier=3.0, adjacency="add-remove"), 1), 1e-5).value
    assert full == pytest.approx(plain, rel=1e-3)


@pytest.mark.parametrize("clip", [3.0, 1e-12, 1e12])
def test_sums_are_exact_in_any_order_and_blocks(clip: float) -> None:
    """One record adds what it has alone, to the last bit; sums in single precision lose it."""
    given = features(20_000) * clip
    chosen = moments(name="feature", noise_multiplier=0.0, clip_mean=clip, clip_square=clip)
    one, all_of_it, rest = (chosen._clipped_sum(part, clip, 20_000) for part in (given[:1], given.flip(0), given[1:]))
    assert torch.equal(all_of_it - rest, one)
    assert float(one.norm()) <= clip
    blocks = torch.stack([chosen._clipped_sum(block, clip, 20_000) for block in given.split(777)])
    assert torch.equal(blocks.sum(dim=0), all_of_it)


def test_the_noise_is_as_large_as_the_event_says() -> None:
    # 400 releases of 6 means each: the sample deviation is within 6 % (four standard errors) of the one announced.
    generator = noise.seeded(5)
    chosen, given = moments(noise_multiplier=2.0, clip_mean=3.0, clip_square=40.0), features()
    found = torch.stack([chosen.release([given], records=50, generator=generator).mean for _ in range(400)])
    deviation = (found - found.mean(dim=0)).double().square().mean().sqrt()
    assert float(deviation) == pytest.approx(np.sqrt(2) * 2.0 * 3.0 / 50, rel=0.06)


def test_variances_that_noise_makes_negative_are_raised() -> None:
    chosen = moments(noise_multiplier=5.0, clip_square=2.0, floor=0.5)
    found = chosen.release([torch.zeros(50, 6, 3, 2)], records=50, generator=noise.seeded(1))
    assert float(found.deviation.square().min()) >= float(found.deviation.square().mean()) / 3 * (1 - 1e-6)
    standard = Standardisation(mean=torch.ones(6, 1, 1), deviation=torch.full((6, 1, 1), 2.0))
    np.testing.assert_allclose(standard(torch.full((1, 6, 3, 2), 5.0)), 2.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"noise_multiplier": -1.0},
        {"clip_mean": 0.0},
        {"clip_square": float("nan")},
        {"floor": -1.0},
        {"name": "pixel"},
    ],
)
def test_arguments_out_of_range_are_named(changes: dict[str, float | str]) -> None:
    with pytest.raises(ValueError, match=next(iter(changes))):
        moments(**changes)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_a_record_that_is_not_finite_counts_as_zero(bad: float) -> None:
    # To stop because of it would be an output that no noise covers.
    broken, zeroed = features(), features()
    broken[3, 2, 0, 0], zeroed[3] = bad, 0
    found, expected = (moments().release([each], records=50, generator=noise.seeded(6)) for each in (broken, zeroed))
    assert torch.equal(found.mean, expected.mean)
    assert torch.equal(found.deviation, expected.deviation)


def test_no_block_and_no_record_are_refused() -> None:
    with pytest.raises(ValueError, match="records"):
        moments().release([features()], records=0, generator=noise.seeded(0))
    with pytest.raises(ValueError, match="blocks"):
        moments().release([], records=50, generator=noise.seeded(0))
