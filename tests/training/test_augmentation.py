"""Augmentation: views are what they say, and an example's clipped gradient is that of its mean loss."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from wassdp import noise
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.models.cnn_tiny import TinyCNN
from wassdp.training import engines, gradients
from wassdp.training.augmentation import Augmentation, OfViews, cross_entropy


def images(count: int = 6, channels: int = 2, side: int = 8) -> Tensor:
    return torch.randn(count, channels, side, side, generator=torch.Generator().manual_seed(1))


def model() -> OfViews:
    torch.manual_seed(4)
    return OfViews(TinyCNN(normalisation="group").build((2, 8, 8), 3))


def test_every_view_is_a_crop_of_the_mirrored_or_straight_padded_image() -> None:
    given = images()
    found = Augmentation(copies=5, crop=2, flip=True)(given, generator=noise.seeded(0))
    assert found.shape == (6, 5, 2, 8, 8)
    padded = nn.functional.pad(given, (2, 2, 2, 2), mode="reflect")
    kinds = set()
    for example in range(6):
        for view in range(5):
            places = [
                (down, right, flip)
                for down in range(5)
                for right in range(5)
                for flip in (False, True)
                if torch.equal(_crop(padded[example], down, right, flip), found[example, view])
            ]
            assert len(places) == 1
            kinds.add(places[0])
    assert len(kinds) > 15


def _crop(padded: Tensor, down: int, right: int, flip: bool) -> Tensor:
    part = padded[:, down : down + 8, right : right + 8]
    return part.flip(2) if flip else part


def test_moves_and_mirrorings_are_uniform() -> None:
    # 4000 views of a single bright pixel, 9 places: each expected 444 times, 5 standard deviations allowed.
    spot = torch.zeros(80, 1, 8, 8)
    spot[:, 0, 4, 3] = 1
    found = Augmentation(copies=50, crop=1, flip=False)(spot, generator=noise.seeded(0))[:, :, 0].flatten(end_dim=1)
    counts = found.sum(dim=0)[3:6, 2:5]
    assert int(counts.sum()) == 4000
    assert bool(((counts - 4000 / 9).abs() < 5 * (4000 / 9 * 8 / 9) ** 0.5).all())
    flipped = Augmentation(copies=50, crop=0)(spot, generator=noise.seeded(0))[:, :, 0].flatten(end_dim=1)
    assert int(flipped[:, 4, 3].sum() + flipped[:, 4, 4].sum()) == 4000
    assert abs(int(flipped[:, 4, 4].sum()) - 2000) < 5 * 32


def test_one_unmoved_view_is_the_image() -> None:
    given = images()
    assert torch.equal(Augmentation(copies=1, crop=0, flip=False)(given, generator=noise.seeded(0))[:, 0], given)
    assert Augmentation(copies=3, crop=4)(given[:0], generator=noise.seeded(0)).shape == (0, 3, 2, 8, 8)


def test_the_loss_is_the_mean_over_views() -> None:
    views, targets, network = images(12).view(4, 3, 2, 8, 8), torch.tensor([0, 2, 1, 0]), model()
    each = torch.stack([cross_entropy(network(views[:, place]), targets) for place in range(3)])
    torch.testing.assert_close(cross_entropy(network(views), targets), each.mean(dim=0))


def test_the_clipped_sum_is_that_of_the_examples_mean_gradients() -> None:
    views, targets, network = images(12).view(4, 3, 2, 8, 8), torch.tensor([0, 2, 1, 0]), model()
    parameters = list(network.parameters())
    total = torch.zeros(sum(each.numel() for each in parameters))
    norms, clip = [], 8.5
    for example in range(4):
        mean = torch.zeros_like(total)
        for place in range(3):
            loss = nn.functional.cross_entropy(network.model(views[example, place][None]), targets[example][None])
            found = torch.autograd.grad(loss, parameters)
            mean += torch.cat([part.flatten() for part in found]) / 3
        norms.append(float(mean.norm()))
        total += mean * min(1.0, clip / norms[-1])
    assert min(norms) < clip < max(norms)
    found = engines.load("functional", network).clipped_gradient_sum(cross_entropy, (views, targets), clip)
    torch.testing.assert_close(found.total, total.double(), rtol=1e-4, atol=1e-6)


def test_what_views_are_drawn_moves_the_sum_by_no_more_than_the_clip_norm() -> None:
    network, targets = model(), torch.tensor([0, 2, 1, 0])
    views = 100 * images(12).view(4, 3, 2, 8, 8)
    engine = engines.load("functional", network)
    whole = engine.clipped_gradient_sum(cross_entropy, (views, targets), 0.1).total
    rest = engine.clipped_gradient_sum(cross_entropy, (views[1:], targets[1:]), 0.1).total
    assert float((whole - rest).norm()) <= 0.1 * (1 + 1e-5)


def test_a_private_source_takes_views() -> None:
    network = model()
    source = gradients.Private(
        mechanism=DPSGD(clip_norm=0.5, noise_multiplier=0.0, rate=0.5, records=8),
        engine=engines.load("functional", network),
        loss=cross_entropy,
        micro_batch=2,
    )
    views, targets = images(12).view(4, 3, 2, 8, 8), torch.tensor([0, 2, 1, 0])
    found = source.step(views, targets, noise.seeded(0))
    assert found.gradient.shape == (sum(each.numel() for each in network.parameters()),)


@pytest.mark.parametrize(("changes", "name"), [({"copies": 0}, "copies"), ({"copies": 1, "crop": -1}, "crop")])
def test_arguments_out_of_range_are_named(changes: dict[str, int], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Augmentation(**changes)  # type: ignore[arg-type]
