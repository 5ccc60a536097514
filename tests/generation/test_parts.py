"""Parts of classes: Lloyd's algorithm finds clusters, noise cannot invent them, a record moves no other record."""

from __future__ import annotations

import math

import pytest
import torch

from wassdp.generation import parts
from wassdp.generation.censored_images import CensoredImages
from wassdp.generation.generators import sample
from wassdp.mechanisms.moments import ClassGrams
from wassdp.noise import seeded


def drawing(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def lloyd(rows: torch.Tensor, labels: torch.Tensor, *, noise: float) -> parts.Parts:
    """Two parts of each of two classes, by rounds of noisy releases."""
    values, last = rows.square().mean(dim=0), 4.0
    mechanism = ClassGrams(
        noise_multiplier=noise,
        classes=4,
        dimension=rows.shape[1] + 1,
        records=len(rows),
        radius=math.sqrt(2) * last,
    )
    counts = torch.bincount(labels).double()
    found = parts.start(2, 1, values)
    for number in range(parts.ROUNDS):
        extended = torch.cat([rows, torch.full((len(rows), 1), last, dtype=torch.float64)], dim=1)
        released = mechanism.release([(extended, found.nearest(rows, labels))], generator=seeded(number))
        found = parts.moved(released, counts, values, last=last, noise_std=mechanism.noise_std)
    return found


def two_clusters(count: int = 4000) -> tuple[torch.Tensor, torch.Tensor]:
    """In each of two classes a quarter around (3, ·) and three quarters around (-1, ·), of deviation .3."""
    rows = 0.3 * torch.randn(count, 5, generator=drawing(0), dtype=torch.float64)
    right = torch.arange(count) % 4 == 0
    rows[:, 0] += torch.where(right, 3.0, -1.0)
    return rows, torch.arange(count) // (count // 2)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_rounds_find_the_clusters_of_each_class(noise: float) -> None:
    """Noise moves a mean of 500 records by 2 z r / 500 = .016; means of 500 have a deviation of .013."""
    found = lloyd(*two_clusters(), noise=noise)
    wanted = torch.tensor([-1.0, 3.0], dtype=torch.float64)
    torch.testing.assert_close(found.centres[:, :, 0], wanted.expand(2, 2), atol=0.1, rtol=0)
    assert float(found.centres[:, :, 1:].abs().max()) < 0.1
    torch.testing.assert_close(found.weights, torch.tensor([[0.75, 0.25]] * 2, dtype=torch.float64), atol=0.02, rtol=0)


def test_the_mean_of_a_class_is_none_of_its_parts_business() -> None:
    found = lloyd(*two_clusters(), noise=1.0)
    middle = torch.einsum("cp,cpd->cd", found.weights, found.centres)
    torch.testing.assert_close(middle, torch.zeros_like(middle))
    torch.testing.assert_close(found.between[:, 0], torch.full((2,), 3.0, dtype=torch.float64), atol=0.3, rtol=0)


def test_parts_that_noise_makes_are_drawn_to_the_class() -> None:
    """Noise of 2 z r / 1000 = .8 on means of half a class, more on those of less: not half of it stays."""
    rows, labels = two_clusters()
    rows[:, 0] = 0.3 * torch.randn(len(rows), generator=drawing(1), dtype=torch.float64)
    found = lloyd(rows, labels, noise=100.0)
    assert bool(torch.isfinite(found.centres).all())
    assert float(found.weights.min()) > 0
    assert float(found.centres.square().mean().sqrt()) < 0.4


def test_where_a_record_goes_depends_on_it_alone() -> None:
    rows, labels = two_clusters(200)
    found = parts.start(2, 2, rows.square().mean(dim=0))
    before = found.nearest(rows, labels)
    rows[17], labels[17] = 1e9, 1
    after = found.nearest(rows, labels)
    others = torch.arange(200) != 17
    assert after[others].equal(before[others])
    assert int(after[17]) >= 4, "those of the second class come after the first one's"


def test_one_part_is_the_class() -> None:
    found = parts.start(3, 0, torch.ones(4, dtype=torch.float64))
    assert found.centres.shape == (3, 1, 4)
    assert not bool(found.centres.any())
    assert bool((found.weights == 1).all())


def test_images_are_of_parts_by_their_weights() -> None:
    """Of 20,000 images a class, shares to .015 (four deviations)."""
    means = torch.tensor([[0.2], [0.8], [0.3], [0.7]], dtype=torch.float64).expand(4, 4)
    weights = torch.tensor([[0.9, 0.1], [0.4, 0.6]], dtype=torch.float64)
    covariances = [1e-4 * torch.eye(4, dtype=torch.float64)] * 4
    torch.manual_seed(0)
    network = CensoredImages((1, 2, 2), means=means, covariances=covariances, spread=0.2, weights=weights)
    images, labels = sample(network, count=40_000, device=torch.device("cpu"))
    assert labels is not None
    bright = images.flatten(start_dim=1).mean(dim=1) > 0.5
    for kind in (0, 1):
        assert float(bright[labels == kind].double().mean()) == pytest.approx(float(weights[kind, 1]), abs=0.015)
