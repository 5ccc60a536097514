"""The published step: its clipping, noise and mask, and the distances measured beside it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from wassdp import noise
from wassdp.accounting.accountant import load
from wassdp.accounting.event import decode, encode
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.mechanisms.published_step import PublishedStep

DIM = 40_000


def event(
    steps: int = 12, batch: int = 30, records: int = 100, sigma: float = 0.5, **changes: object
) -> MeasuredGradients:
    mechanism = PublishedStep(clip_norm=2.0, noise_multiplier=sigma)
    return mechanism.measured(np.full((steps, 28), 1e-3), records=records, batch=batch, coordinates=7, **changes)  # type: ignore[arg-type]


def test_the_mean_gradient_is_clipped_not_divided_and_one_coordinate_in_ten_kept() -> None:
    mechanism = PublishedStep(clip_norm=2.0, noise_multiplier=0.0, keep=0.1)
    mean = torch.full((DIM,), 0.1)
    released = mechanism.release(mean, generator=noise.seeded(0))
    kept = released != 0
    # Binomial: 6 standard deviations; fails for one seed in 5e8.
    assert int(kept.sum()) == pytest.approx(0.1 * DIM, abs=6 * math.sqrt(0.09 * DIM))
    torch.testing.assert_close(released[kept], (mean * 2.0 / mean.norm())[kept])
    short = mean / mean.norm()
    whole = PublishedStep(clip_norm=2.0, noise_multiplier=0.0, keep=1.0).release(short, generator=noise.seeded(0))
    torch.testing.assert_close(whole, short)


def test_the_noise_has_the_deviation_sigma_c_on_kept_coordinates_only() -> None:
    mechanism = PublishedStep(clip_norm=2.0, noise_multiplier=0.5, keep=0.5)
    released = mechanism.release(torch.zeros(DIM), generator=noise.seeded(0))
    kept = released[released != 0]
    # The deviation of about 20000 normal draws: 6 standard errors.
    assert float(kept.std()) == pytest.approx(1.0, abs=6 / math.sqrt(2 * len(kept)))
    assert float(kept.mean()) == pytest.approx(0.0, abs=6 / math.sqrt(len(kept)))
    assert len(kept) == pytest.approx(DIM / 2, abs=6 * math.sqrt(DIM / 4))


def test_any_two_batches_are_at_most_twice_the_clip_norm_apart() -> None:
    mechanism = PublishedStep(clip_norm=1.5, noise_multiplier=0.0, keep=1.0)
    for seed in range(20):
        pair = torch.randn(2, 50, generator=torch.Generator().manual_seed(seed)) * 10 ** (seed % 5 - 2)
        pair[1] = -pair[0] if seed == 0 else pair[1]
        first, second = (mechanism.release(each, generator=noise.seeded(0)) for each in pair)
        assert float((first - second).norm()) <= 3.0 * (1 + 1e-6)
    opposite = torch.full((4,), 100.0)
    ends = [mechanism.release(sign * opposite, generator=noise.seeded(0)) for sign in (1, -1)]
    assert float((ends[0] - ends[1]).norm()) == pytest.approx(3.0)  # the bound is reached


def test_distances_are_those_of_clipped_gradients_under_one_shared_mask() -> None:
    mechanism = PublishedStep(clip_norm=1.0, noise_multiplier=0.1, keep=0.3)
    gradients = (
        torch.randn(8, 500, generator=torch.Generator().manual_seed(3))
        * torch.tensor([0.01, 0.03, 0.1, 1, 2, 3, 4, 5.0])[:, None]
    )
    found = mechanism.distances(gradients, generator=noise.seeded(4))
    mask = torch.from_numpy(noise.uniform(500, generator=noise.seeded(4)) < 0.3)
    clipped = [row / max(1.0, float(row.norm())) for row in gradients]
    naive = [float((mask * (a - b)).norm()) for a, b in itertools.combinations(clipped, 2)]
    assert found.shape == (28,)
    np.testing.assert_allclose(found.numpy(), naive, rtol=1e-5)


def test_near_gradients_keep_their_digits() -> None:
    """Differences a millionth of the gradients' size, which single precision alone would lose in a product form."""
    base = torch.randn(1000, generator=torch.Generator().manual_seed(0)) / 100
    shifted = torch.stack([base, base + 1e-6 * torch.eye(1, 1000)[0]])
    expected = float((shifted[0].double() - shifted[1].double()).norm())
    found = PublishedStep(clip_norm=1.0, noise_multiplier=0.0, keep=1.0).distances(shifted, generator=noise.seeded(0))
    assert float(found) == pytest.approx(expected, rel=1e-6)


def test_the_event_says_how_records_entered() -> None:
    found = event()
    assert (found.adjacency, found.sampling, found.rate, found.steps_per_pass) == ("replace-one", "shuffled", 0.3, 4)
    np.testing.assert_array_equal(found.noise_std, np.full(12, 1.0))
    assert found.coordinates == 7
    again = decode(encode(found))
    assert isinstance(again, MeasuredGradients)
    assert encode(again) == encode(found)
    assert (again.exposed, again.notes, again.measured_every) == ((), (), 1)
    told = decode(encode(event(exposed=("a", "b"), notes=("c",), measured_every=5)))
    assert isinstance(told, MeasuredGradients)
    assert (told.exposed, told.notes, told.measured_every) == (("a", "b"), ("c",), 5)


def test_each_pass_counts_as_one_full_release_with_half_the_multiplier() -> None:
    full = Gaussian(noise_multiplier=0.25, adjacency="replace-one")
    assert event(steps=12).worst_case() == repeated(full, 3)
    assert event(steps=9).worst_case() == repeated(full, 3)  # a pass that has begun counts
    assert event(steps=8).worst_case() == repeated(full, 2)
    assert event(steps=12).first(1).worst_case() == repeated(full, 1)
    assert event(steps=12).first(0).worst_case() == repeated(Gaussian(noise_multiplier=0, adjacency="replace-one"), 0)


def test_the_least_noise_of_a_pass_counts() -> None:
    import dataclasses

    noise = np.array([4.0, 2.0, 8.0, 1.0, 8.0, 8.0])
    found = dataclasses.replace(
        event(steps=6), noise_std=noise, clip_norm=np.full(6, 2.0), distances=np.zeros((6, 3)), steps_per_pass=3
    ).worst_case()
    assert isinstance(found, Composed)
    assert [part.noise_multiplier for part in found.events] == [0.5, 0.25]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["pld", "rdp"])
def test_what_is_proved_is_the_composition_over_passes(name: str) -> None:
    accountant = load(name)
    # pld's upper value alone costs a fraction of its bracket.
    value = getattr(accountant, "upper", lambda released, delta: accountant.epsilon(released, delta).value)
    expected = value(repeated(Gaussian(noise_multiplier=2.0, adjacency="replace-one"), 3), 1e-5)
    assert value(event(steps=12, sigma=4.0), 1e-5) == pytest.approx(expected, rel=1e-9)
    found = accountant.epsilon(event(steps=1, sigma=100.0), 1e-5)
    assert (found.kind, found.adjacency, found.sampling) == ("upper", "replace-one", "shuffled")
    assert any("no amplification" in each for each in found.assumptions)
    assert load(name).epsilon(event(steps=0), 1e-5).value == 0
    assert load(name).epsilon(event(sigma=0.0), 1e-5).value == math.inf


def test_at_the_published_noise_what_is_proved_is_astronomical() -> None:
    """25 passes at sigma 0.01: one Gaussian of mu = 2 sqrt(25) / 0.01 = 1000, hence epsilon above mu^2 / 2."""
    found = load("pld").epsilon(event(steps=25 * 59, batch=1024, records=60_000, sigma=0.01), 1e-5)
    assert 5.0e5 < found.value < 5.1e5


@pytest.mark.parametrize("name", ["pld", "rdp"])
def test_nothing_is_proved_where_something_is_exposed(name: str) -> None:
    found = load(name).epsilon(event(exposed=("running statistics",), notes=("taken as public: x",)), 1e-5)
    assert not found.bounded
    assert any("running statistics" in each for each in found.assumptions)
    assert "taken as public: x" in found.assumptions


def test_published_accountants_name_what_they_leave_out() -> None:
    told = event(exposed=("running statistics",), notes=("a note",), measured_every=10)
    for name, options in (("moments", {"sensitivity": "clip_norm"}), ("bayesian", {}), ("wasserstein", {"beta": 32})):
        found = load(name, **options).epsilon(told, 1e-5)
        assert found.kind == "published"
        assert found.bounded
        for words in ("running statistics", "a note", "shuffled"):
            assert any(words in each for each in found.assumptions), (name, words)
        assert any("one step in 10" in each for each in found.assumptions) == (name != "moments")


def test_moments_as_coded_take_the_clip_norm_for_the_distance() -> None:
    """log E over Binomial(17, q) of exp(k(k-1) / 2 sigma^2), written out; and the default still refuses shuffling."""
    steps, batch, records, sigma = 8, 30, 100, 3.0
    found = load("moments", orders=[16], sensitivity="clip_norm").epsilon(event(steps=steps, sigma=sigma), 1e-5)
    q = batch / records
    moment = math.log(
        sum(math.comb(17, k) * q**k * (1 - q) ** (17 - k) * math.exp(k * (k - 1) / (2 * sigma**2)) for k in range(18))
    )
    assert found.value == pytest.approx((steps * moment - math.log(1e-5)) / 16, rel=1e-9)
    assert (found.kind, found.adjacency, found.sampling) == ("published", "replace-one", "shuffled")
    with pytest.raises(ValueError, match="shuffled"):
        load("moments").epsilon(event(), 1e-5)


def test_the_published_noise_of_dp_is_the_one_that_gives_the_printed_budget() -> None:
    """Table 2 prints 2.2 for DP on MNIST; at 100 passes the accountant as coded gives it at a sigma of 3.1."""
    found = load("moments", sensitivity="clip_norm").epsilon(
        event(steps=5900, batch=1024, records=60_000, sigma=3.1), 1e-5
    )
    assert found.value == pytest.approx(2.2, abs=0.005)


@pytest.mark.parametrize(("sigma", "epochs", "expected"), [(0.01, 25, 63.9), (1e-4, 16, 0.76)])
def test_the_wasserstein_budget_of_mnist(sigma: float, epochs: int, expected: float) -> None:
    """At the code's defaults 64, not the printed 0.76, which is what sigma = 1e-4 and 16 passes give."""
    found = load("wasserstein", beta=32).epsilon(
        event(steps=59 * epochs, batch=1024, records=60_000, sigma=sigma / 2), 1e-5
    )  # the event's clip norm is 2, the authors' 1
    assert found.value == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    "change", [{"clip_norm": 0.0}, {"noise_multiplier": -1.0}, {"keep": 0.0}, {"keep": 1.1}, {"clip_norm": math.nan}]
)
def test_arguments_are_checked(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        PublishedStep(**({"clip_norm": 1.0, "noise_multiplier": 1.0} | change))


def test_passes_are_for_shuffled_records_under_replace_one() -> None:
    import dataclasses

    for change in ({"sampling": "poisson"}, {"adjacency": "add-remove"}, {"steps_per_pass": 0}, {"measured_every": 0}):
        with pytest.raises(ValueError, match=r"steps_per_pass|measured_every"):
            dataclasses.replace(event(), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [math.nan, math.inf, 3e38])
def test_a_gradient_that_is_no_number_is_not_released_nor_told(bad: float) -> None:
    """It counts as zero: a step that stopped because of it would say that a record is there."""
    mechanism = PublishedStep(clip_norm=1.0, noise_multiplier=1.0)
    mean = torch.tensor([1.0, bad])
    nothing = mechanism.release(torch.zeros(2), generator=noise.seeded(0))
    assert torch.equal(mechanism.release(mean, generator=noise.seeded(0)), nothing)
    beside = torch.tensor([[0.6, 0.8], [0.0, 0.0], [1.0, bad]])
    first, second, third = PublishedStep(clip_norm=1.0, noise_multiplier=1.0, keep=1.0).distances(
        beside, generator=noise.seeded(0)
    )
    assert float(first) == float(second) == pytest.approx(1.0)
    assert float(third) == 0.0


@pytest.mark.parametrize("sigma", [0.01, 0.3, 3.1])
def test_the_event_of_steps_is_a_gaussian_of_half_the_multiplier(sigma: float) -> None:
    """Batches that may all hold the record cost no less than those of known passes."""
    step = PublishedStep(clip_norm=2.0, noise_multiplier=sigma)
    (gaussian,) = step.event(12).events
    assert gaussian.noise_multiplier == pytest.approx(sigma / 2)  # type: ignore[attr-defined]
    assert Fraction(gaussian.noise_multiplier) <= Fraction(step.noise_std) / 4  # type: ignore[attr-defined]
    passes = step.measured(np.zeros((12, 0)), records=100, batch=30, coordinates=7)
    rdp = load("rdp")
    assert rdp.epsilon(step.event(12), 1e-5).value >= rdp.epsilon(passes, 1e-5).value
    assert rdp.epsilon(step.event(12), 1e-5).kind == "upper"


@pytest.mark.parametrize(
    ("records", "batch", "sigma"), [(60_000, 1024, 0.01), (50_000, 512, 5e-4), (73_257, 512, 5e-4)]
)
def test_one_rate_for_the_last_batch_too_hardly_changes_the_wasserstein_budget(
    records: int, batch: int, sigma: float
) -> None:
    """One pass at the rate of each batch, as coded, against one rate for all; distances go with 1 / (n - 1)."""
    import dataclasses

    steps = -(-records // batch)
    last = records - (steps - 1) * batch
    sizes = np.array([batch] * (steps - 1) + [last])
    whole = dataclasses.replace(
        event(steps=steps, batch=batch, records=records, sigma=sigma / 2),
        distances=np.repeat(1.0 / (sizes[:, None] - 1), 28, axis=1),
    )
    accountant = load("wasserstein", beta=32)
    losses = accountant.losses(whole)  # type: ignore[attr-defined]
    own = accountant.losses(dataclasses.replace(whole, rate=last / records))[-1]  # type: ignore[attr-defined]
    coded = float(losses[:-1].sum() + own)
    assert float(losses.sum()) == pytest.approx(coded, rel=2e-4)
