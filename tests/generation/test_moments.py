"""Images from noisy moments: censored Gaussians keep moments, what is shrunk comes closer, runs keep their budget."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from wassdp.accounting import accountant
from wassdp.accounting.events.composed import Composed
from wassdp.data.base import Split
from wassdp.experiment import Context, Findings
from wassdp.experiments import generation
from wassdp.generation import shrinkage
from wassdp.generation.censored import SHARE, before_censoring
from wassdp.generation.censored_images import CensoredImages
from wassdp.generation.generators import sample
from wassdp.generation.method import GenerationSetting
from wassdp.generation.noisy_moments import Moments, Releases
from wassdp.mechanisms.moments import ClassGrams, ClassSums
from wassdp.noise import seeded
from wassdp.runs import validate_parameters

MOMENTS: dict[str, Any] = {
    "radius": 4.0,
    "gram_radius": 4.0,
    "side": 6,
    "directions": 12,
    "shares": [0.3, 0.2, 0.5],
}
DIGITS: dict[str, Any] = {
    "dataset": "digits",
    "method": {"name": "moments"} | MOMENTS,
    "privacy": {"epsilon": 10, "delta": 1e-4},
    "evaluation": {"samples": 1000, "logistic_iterations": 100, "mlp_iterations": 20, "frechet": 0, "sheet_rows": 1},
}


def drawing(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("spread", [0.0, 0.3, 0.6])
def test_pixels_keep_their_means_and_variances_after_censoring(spread: float) -> None:
    mean = torch.rand(400, generator=drawing(), dtype=torch.float64) ** 3
    variance = mean * (1 - mean) * torch.rand(400, generator=drawing(1), dtype=torch.float64) * SHARE
    found = before_censoring(mean, variance, spread=spread).moments()
    torch.testing.assert_close(found[0], mean, atol=2e-4, rtol=0)
    torch.testing.assert_close(found[1], variance, atol=2e-4, rtol=0)


@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_what_no_pixel_can_have_gives_finite_pixels(spread: float) -> None:
    extreme = torch.tensor([-3.0, 0.0, 1e-9, 0.5, 1.0, 7.0], dtype=torch.float64)
    means, variances = (grid.flatten() for grid in torch.meshgrid(extreme, extreme, indexing="ij"))
    found = before_censoring(means, variances, spread=spread)
    assert bool(torch.isfinite(torch.stack([found.location, found.scale])).all())
    roots = found.roots(torch.zeros(len(means), len(means), dtype=torch.float64))
    assert bool(torch.isfinite(roots).all())


def test_a_location_and_a_scale_are_found_again() -> None:
    """Moments by a million draws: their deviations are below .0006; four of them fail for one seed in ten thousand."""
    drawn = torch.randn(1_000_000, generator=drawing(2), dtype=torch.float64)
    factors = (0.4 * torch.randn(1_000_000, generator=drawing(3), dtype=torch.float64) - 0.16).exp()
    for location, scale in ((0.2, 0.5), (-0.4, 0.6), (0.9, 0.3)):
        pixels = (location + scale * factors * drawn).clamp(0, 1)
        found = before_censoring(pixels.mean()[None], pixels.var()[None], spread=0.4)
        assert float(found.location) == pytest.approx(location, abs=0.02)
        assert float(found.scale) == pytest.approx(scale, abs=0.02)


def test_images_have_the_moments_that_they_were_made_of() -> None:
    """Of 40,000 images each: means and variances to .012 (four deviations or more), correlations of few censored pixels
    to .05."""
    means = 0.3 + 0.4 * torch.rand(2, 16, generator=drawing(), dtype=torch.float64)
    factors = 0.05 * torch.randn(2, 16, 16, generator=drawing(1), dtype=torch.float64)
    covariances = factors @ factors.mT
    torch.manual_seed(0)
    network = CensoredImages((1, 4, 4), means=means, covariances=covariances, spread=0.2)
    images, labels = sample(network, count=80_000, device=torch.device("cpu"))
    assert labels is not None
    assert images.shape == (80_000, 1, 4, 4)
    assert 0 <= float(images.min()) <= float(images.max()) <= 1
    for kind in (0, 1):
        rows = images[labels == kind].flatten(start_dim=1).double()
        torch.testing.assert_close(rows.mean(dim=0), means[kind], atol=0.012, rtol=0)
        torch.testing.assert_close(rows.var(dim=0), covariances[kind].diagonal(), atol=0.012, rtol=0)
        deviations = covariances[kind].diagonal().sqrt()
        wanted = covariances[kind] / deviations / deviations[:, None]
        torch.testing.assert_close(torch.corrcoef(rows.T), wanted, atol=0.05, rtol=0)


@pytest.mark.parametrize(("location", "scale"), [((0.4, 0.5), (0.2, 0.4)), ((-0.5, 0.3), (0.7, 0.9))])
def test_correlations_before_censoring_against_the_bivariate_normal(
    location: tuple[float, float], scale: tuple[float, float]
) -> None:
    """A covariance by quadrature at correlation ρ comes back as ρ, to second order; after censoring it is less."""
    nodes = torch.linspace(-8, 8, 1601, dtype=torch.float64)
    weights = torch.softmax(-0.5 * nodes.square(), dim=0)
    values = torch.stack([(a + length * nodes).clamp(0, 1) for a, length in zip(location, scale, strict=True)])
    mean = values @ weights
    variance = values.square() @ weights - mean.square()
    rho = 0.05
    other = rho * nodes[:, None] + math.sqrt(1 - rho**2) * nodes
    product = (values[0] * weights) @ (location[1] + scale[1] * other).clamp(0, 1) @ weights
    covariance = torch.diag(variance)
    covariance[0, 1] = covariance[1, 0] = found = product - mean[0] * mean[1]
    before = before_censoring(mean, variance, spread=0)
    roots = before.roots(covariance)
    assert float(roots[0] @ roots[1]) == pytest.approx(rho, rel=0.05)
    assert 0 < float(found / variance.prod().sqrt()) < rho


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_pixels_that_are_dark_in_all_records_are_so_in_all_images(noise: float) -> None:
    """Their means are as noisy as the release says: 144 of them, their deviation to a fifth (three deviations)."""
    generator = np.random.default_rng(0)
    pixels = np.zeros((3000, 8, 8), dtype=np.uint8)
    pixels[:, 2:6, 2:6] = generator.integers(0, 17, (3000, 4, 4))
    train = Split(inputs=pixels, labels=np.arange(3000) % 3)
    setting = GenerationSetting(dataset="digits", train=train, classes=3, steps=0, device=torch.device("cpu"))
    released = Releases(Moments.model_validate(MOMENTS), setting, noise, seeded(0))
    torch.manual_seed(0)
    images, _ = sample(released.images(), count=3000, device=torch.device("cpu"))
    lit = torch.from_numpy(pixels).bool().any(dim=0)
    assert released.first.lit(32).view(8, 8).tolist() == lit.tolist()
    assert float(images[:, 0, ~lit].max()) == 0
    assert float(images[:, 0, lit].mean()) == pytest.approx(pixels[:, lit.numpy()].mean() / 16, abs=0.1)
    std = float(released.first.variances.mean().sqrt())
    assert float(released.first.means[:, ~lit.flatten()].std()) == pytest.approx(std, rel=0.2, abs=1e-9)
    assert (std > 0.005) == (noise > 0)


def digits(images: np.ndarray, labels: np.ndarray) -> GenerationSetting:
    train = Split(inputs=images, labels=labels)
    return GenerationSetting(dataset="digits", train=train, classes=3, steps=0, device=torch.device("cpu"))


def test_a_low_threshold_leaves_pixels_of_few_images_lit() -> None:
    """Deviation of the noise on mean squares: .004; mean squares of lit pixels: .35, and .04 of those of few images."""
    generator = np.random.default_rng(0)
    pixels = np.zeros((3000, 8, 8), dtype=np.uint8)
    pixels[:, 2:6, 2:6] = generator.integers(0, 17, (3000, 4, 4))
    pixels[::25, 0] = 16
    released = Releases(Moments.model_validate(MOMENTS), digits(pixels, np.arange(3000) % 3), 0.5, seeded(0))
    ever = torch.from_numpy(pixels).bool().any(dim=0).flatten()
    assert released.first.lit(4).equal(ever)
    assert not released.first.lit(32).equal(ever)


def test_what_cosines_do_not_show_is_a_pixels_own_or_is_shared() -> None:
    """Squares say four times the variance that cosines say: with ``rest`` = 0 covariances are four times theirs too."""
    covariance = torch.full((4, 4), 0.01, dtype=torch.float64) + 0.01 * torch.eye(4, dtype=torch.float64)
    wanted = torch.full((1, 4), 0.08, dtype=torch.float64)
    for rest, shared in ((1.0, 0.01), (0.0, 0.04), (0.5, 0.02)):
        choice = Moments.model_validate(MOMENTS | {"rest": rest})
        releases = Releases(choice, digits(np.zeros((3, 8, 8), dtype=np.uint8), np.arange(3)), 0.0, seeded(0))
        (found,) = releases._covariances(covariance[None], wanted)
        torch.testing.assert_close(found.diagonal(), wanted[0])
        torch.testing.assert_close(found[0, 1:], torch.full((3,), shared, dtype=torch.float64))


EXTREME_RECORDS = {
    "black": np.zeros((8, 8), dtype=np.uint8),
    "white": np.full((8, 8), 16, dtype=np.uint8),
    "left": np.repeat([[16] * 4 + [0] * 4], 8, axis=0).astype(np.uint8),
    "right": np.repeat([[0] * 4 + [16] * 4], 8, axis=0).astype(np.uint8),
    "chessboard": (16 * (np.indices((8, 8)).sum(axis=0) % 2)).astype(np.uint8),
    "dot": np.eye(1, 64, 27, dtype=np.uint8).reshape(8, 8) * 16,
}


@pytest.mark.parametrize("halvings", [0, 2])
def test_a_record_moves_every_release_by_its_sensitivity_at_most(
    halvings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each release with those before as the first world had them, at the worst of extreme records and labels."""
    choice = Moments.model_validate(MOMENTS | {"halvings": halvings, "radius": 2.0, "gram_radius": 1.5})
    generator = np.random.default_rng(0)
    images, labels = generator.integers(0, 17, (60, 8, 8), dtype=np.uint8), np.arange(60) % 3
    said: list[tuple[Any, Any, float]] = []
    world: dict[str, Any] = {}

    def watched(kind: Any) -> Any:
        release = kind.release

        def replayed(self: Any, blocks: Any, *, generator: Any) -> Any:
            kept = list(blocks)
            exact = self.exact(kept)
            flat = torch.cat([part.flatten() for part in exact]) if isinstance(exact, tuple) else exact.flatten()
            place = world["place"]
            world["place"] += 1
            if world["first"]:
                said.append((release(self, kept, generator=generator), flat, self.sensitivity))
            else:
                found = float((flat - said[place][1]).norm()) / said[place][2]
                world["worst"][place] = max(world["worst"].get(place, 0.0), found)
            return said[place][0]

        return replayed

    monkeypatch.setattr(ClassSums, "release", watched(ClassSums))
    monkeypatch.setattr(ClassGrams, "release", watched(ClassGrams))
    world |= {"worst": {}}
    records = list(EXTREME_RECORDS.values())
    for record in records[:2]:
        images[7] = record
        said.clear()
        world |= {"first": True, "place": 0}
        Releases(choice, digits(images, labels), 0.3, seeded(0)).images()
        assert len(said) == (3 + choice.rounds)
        for other in records:
            for label in (labels[7], (labels[7] + 1) % 3):
                images_too, labels_too = images.copy(), labels.copy()
                images_too[7], labels_too[7] = other, label
                world |= {"first": False, "place": 0}
                Releases(choice, digits(images_too, labels_too), 0.3, seeded(0)).images()
    assert len(world["worst"]) == 3 + choice.rounds
    assert min(world["worst"].values()) > 0.5
    assert max(world["worst"].values()) <= 1


def symmetric_noise(count: int, size: int, std: float, seed: int = 0) -> torch.Tensor:
    numbers = torch.randn(count, size, size, generator=drawing(seed), dtype=torch.float64)
    return std / math.sqrt(2) * (numbers + numbers.mT)  # std off the diagonal, √2 std on it


def test_noise_adds_nothing_to_eigenvalues_any_more() -> None:
    true = torch.zeros(200, dtype=torch.float64)
    true[:3] = torch.tensor([10.0, 6.0, 4.0])
    noisy = torch.diag(true) + symmetric_noise(1, 200, 0.1)[0]
    values, vectors = shrinkage.spectrum(noisy, noise=0.1)
    torch.testing.assert_close(values[:3], true[:3], atol=0.4, rtol=0)
    assert float(torch.linalg.eigvalsh(noisy)[-3]) > 4.3, "it did add something"
    assert bool((values[3:] == 0).all())
    assert bool((vectors[:3, :3].diagonal().abs() > 0.75).all())


def test_without_noise_nothing_is_shrunk() -> None:
    size, zero = 6, torch.zeros(3, dtype=torch.float64)
    factors = torch.randn(3, size, 40, generator=drawing(), dtype=torch.float64)
    grams = factors @ factors.mT / 40
    shares = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    found = shrinkage.by_class(grams, shares, zero)
    level = float(torch.einsum("c,cii->", shares, grams)) / size
    torch.testing.assert_close(found, grams / level)
    covariance = torch.eye(size, dtype=torch.float64)
    noisy = torch.randn(3, size, generator=drawing(1), dtype=torch.float64)
    torch.testing.assert_close(shrinkage.means(noisy, covariance, shares, zero), noisy)


def test_what_is_shrunk_comes_closer_to_the_truth() -> None:
    size, shares = 30, torch.full((10,), 0.1, dtype=torch.float64)
    decay = torch.arange(1, size + 1, dtype=torch.float64) ** -0.7
    own = symmetric_noise(10, size, 0.5) * decay[:, None] * decay
    true = shrinkage.positive(torch.eye(size, dtype=torch.float64) + own)
    noisy = true + symmetric_noise(10, size, 0.15, seed=1)
    found = shrinkage.by_class(noisy, shares, torch.full((10,), 0.15**2, dtype=torch.float64))
    assert float((found - true).norm()) < 0.5 * float((noisy - true).norm())
    assert float(torch.linalg.eigvalsh(found).min()) > 0.99 * shrinkage.LEAST_EIGENVALUE
    covariance = torch.diag(decay**3)
    means = torch.randn(10, size, generator=drawing(2), dtype=torch.float64) * decay**1.5
    seen = means + 0.2 * torch.randn(10, size, generator=drawing(3), dtype=torch.float64)
    filtered = shrinkage.means(seen, covariance, shares, torch.full((10,), 0.04, dtype=torch.float64))
    assert float((filtered - means).norm()) < 0.7 * float((seen - means).norm())


def test_where_classes_do_not_differ_no_noise_is_left() -> None:
    # Directions in which records vary, and means do not: by what is left there classes could be told among generated
    # images. Of 200 other draws, the most that was left is .022 of the energy; a filter that takes means to differ in
    # proportion to records leaves .17.
    size, differ = 200, 8
    covariance = torch.diag(torch.arange(1, size + 1, dtype=torch.float64) ** -1.0)
    shares = torch.linspace(0.05, 0.15, 10, dtype=torch.float64)
    variances = 1e-2 * (0.1 / shares).square()
    means = torch.zeros(10, size, dtype=torch.float64)
    means[:, :differ] = torch.randn(10, differ, generator=drawing(4), dtype=torch.float64)
    noise = variances.sqrt()[:, None] * torch.randn(10, size, generator=drawing(5), dtype=torch.float64)
    filtered = shrinkage.means(means + noise, covariance, shares, variances)
    common = shares @ (means + noise)
    left, before = ((each - common)[:, 64:].square().mean() for each in (filtered, means + noise))
    assert float(left) < 0.03 * float(before)
    covariance[differ:, differ:] = 0
    filtered = shrinkage.means(means + noise, covariance, shares, variances)
    torch.testing.assert_close(filtered[:, differ:], common[differ:].expand(10, -1))
    # Where they do differ, they stay.
    torch.testing.assert_close(filtered[:, :differ], means[:, :differ], atol=0.5, rtol=0)


def test_bands_are_means_of_like_frequencies() -> None:
    values = torch.tensor([4.0, 1.0, 3.0, -5.0], dtype=torch.float64)
    order = torch.tensor([0.1, 1.2, 0.8, 2.0], dtype=torch.float64)
    assert shrinkage.banded(values, order).tolist() == [4, 2, 2, 0]


def go(folder: Path, **changes: Any) -> Findings:
    chosen = validate_parameters("generation", DIGITS | changes)
    assert chosen.impossible() is None
    return generation.run(chosen, seed=0, context=Context(folder=folder, code="a", device="cpu"))  # type: ignore[arg-type]


def test_a_run_releases_three_sums_within_its_budget_and_its_images_teach(tmp_path: Path) -> None:
    found = go(tmp_path)
    assert isinstance(found.event, Composed)
    assert (found.event.counts, found.event.adjacency, found.event.sampling) == ((1, 1, 1), "replace-one", "full")
    assert 9.99 < accountant.load("pld").epsilon(found.event, 1e-4).value <= 10
    assert (found.metrics["releases"], found.metrics["steps"]) == (3, 0)
    assert found.accounted_at is None
    assert not found.history
    assert found.metrics["accuracy_logistic"] > 0.7
    assert not list(tmp_path.iterdir())


def test_parts_of_classes_are_releases_of_the_same_budget(tmp_path: Path) -> None:
    found = go(tmp_path, method=DIGITS["method"] | {"halvings": 1, "part_share": 0.1})
    assert isinstance(found.event, Composed)
    assert found.event.counts == (1, 1, 3, 1)
    assert 9.99 < accountant.load("pld").epsilon(found.event, 1e-4).value <= 10
    assert found.metrics["releases"] == 6
    assert found.metrics["accuracy_logistic"] > 0.6


def test_without_noise_images_teach_most_and_nothing_is_accounted(tmp_path: Path) -> None:
    found = go(tmp_path, privacy=None)
    assert found.event is None
    assert found.metrics["accuracy_logistic"] > 0.85


def test_the_first_release_has_the_moments_of_the_records() -> None:
    generator = np.random.default_rng(0)
    images = generator.integers(0, 17, (300, 8, 8), dtype=np.uint8)
    train = Split(inputs=images, labels=np.arange(300) % 3)
    setting = GenerationSetting(dataset="digits", train=train, classes=3, steps=0, device=torch.device("cpu"))
    choice = Moments.model_validate(MOMENTS | {"radius": 9.0})
    first = Releases(choice, setting, 0.0, seeded(0)).first
    pixels = torch.from_numpy(images).double().flatten(start_dim=1) / 16
    torch.testing.assert_close(first.means[1], pixels[1::3].mean(dim=0), atol=1e-6, rtol=0)
    torch.testing.assert_close(first.squares, pixels.square().mean(dim=0), atol=1e-6, rtol=0)
    torch.testing.assert_close(first.shares, torch.full((3,), 1 / 3, dtype=torch.float64))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"method": DIGITS["method"] | {"shares": [0.5, 0.2, 0.5]}}, "must be above 0 and sum to 1"),
        ({"method": DIGITS["method"] | {"directions": 37}}, "directions 37: must be at most 36"),
        ({"method": DIGITS["method"] | {"side": 9}}, "side = 9"),
        ({"method": DIGITS["method"] | {"directions": 1, "halvings": 2}}, "halvings 2: must be at most 1"),
        ({"epochs": 3, "steps_per_epoch": 2}, "left out, nothing is trained by moments"),
        ({"method": {"name": "sliced", "labels": "joint"}}, "at least 1, a generator is trained by sliced"),
    ],
)
def test_what_cannot_be_run_leaves_with_its_reason(changes: dict[str, Any], reason: str) -> None:
    chosen = validate_parameters("generation", DIGITS | changes)
    assert reason in str(chosen.impossible())


def test_images_depend_on_records_through_what_was_released_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quite other records, with the same releases, give the same images: nothing else is read of them."""
    kept: list[Any] = []
    replayed = iter(kept)
    for mechanism in (ClassSums, ClassGrams):
        released = mechanism.release

        def release(self: Any, blocks: Any, *, generator: Any, released: Any = released) -> Any:
            kept.append(released(self, blocks, generator=generator))
            return kept[-1]

        monkeypatch.setattr(mechanism, "release", release)

    def made(seed: int) -> CensoredImages:
        images, labels = torch.rand(300, 1, 8, 8, generator=drawing(seed)), torch.arange(300) % (3 - seed)
        setting: Any = SimpleNamespace(shape=(1, 8, 8), classes=3, train=range(300), chunks=lambda: [(images, labels)])
        choice = Moments(radius=4, gram_radius=4, side=8, directions=6, shares=(0.4, 0.3, 0.3), rest=0, halvings=1)
        return Releases(choice, setting, 0.3, seeded(0)).images()

    first, other = made(0), made(1)
    for mechanism in (ClassSums, ClassGrams):
        monkeypatch.setattr(mechanism, "release", lambda *_, **__: next(replayed))
    assert len(kept) == 12
    again = made(1)
    pairs = [list(zip(first.buffers(), images.buffers(), strict=True)) for images in (other, again)]
    assert [all(map(torch.equal, *zip(*pair, strict=True))) for pair in pairs] == [False, True]
