"""The published encoders, heads and discriminators."""

from __future__ import annotations

import pytest
import torch

from wassdp.adaptation import networks


@pytest.mark.parametrize(
    ("network", "inputs", "classes", "width", "encoder", "head"),
    [
        # Numbers of parameters, counted by hand: conv 5x5 1-32 and 32-20; dense 320-100-10.
        ("digits", (1, 28, 28), 10, 320, 32 * 26 + 20 * 801, 321 * 100 + 101 * 10),
        ("office", (2048,), 31, 50, 2049 * 100 + 101 * 50, 51 * 50 + 51 * 31),
        ("visda", (2048,), 12, 100, 2049 * 100 + 101 * 100, 101 * 100 + 101 * 12),
    ],
)
def test_networks_have_the_published_sizes(
    network: networks.Network, inputs: tuple[int, ...], classes: int, width: int, encoder: int, head: int
) -> None:
    model = networks.build(network, inputs=inputs, classes=classes)
    assert model.width == width
    assert sum(each.numel() for each in model.encoder.parameters()) == encoder
    assert sum(each.numel() for each in model.head.parameters()) == head
    batch = torch.randn(3, *inputs, generator=torch.Generator().manual_seed(0))
    assert model.encoder(batch).shape == (3, width)
    assert model(batch).shape == (3, classes)
    assert networks.discriminator(width)(model.encoder(batch)).shape == (3, 2)


def test_features_of_digits_lie_in_a_public_ball() -> None:
    """Sigmoids: no image has features longer than the root of their number, whatever the weights."""
    model = networks.build("digits", inputs=(1, 28, 28), classes=10)
    images = 100 * torch.randn(20, 1, 28, 28, generator=torch.Generator().manual_seed(1))
    assert float(model.encoder(images).norm(dim=1).max().detach()) <= 320**0.5


def test_the_reversed_gradient_descends_where_the_discriminator_ascends() -> None:
    features = torch.randn(4, 5, generator=torch.Generator().manual_seed(2), requires_grad=True)
    judge = networks.discriminator(5)
    loss = networks.domain_loss(judge(features), source=True).mean()
    turned = networks.domain_loss(judge(networks.reverse(features)), source=True).mean()
    torch.testing.assert_close(loss, turned)
    for weights, sign in ((features, -1.0), (next(judge.parameters()), 1.0)):
        plain, other = (torch.autograd.grad(each, weights, retain_graph=True)[0] for each in (loss, turned))
        torch.testing.assert_close(other, sign * plain)


def test_the_domain_loss_is_lowest_where_the_domain_is_known() -> None:
    sure = torch.tensor([[9.0, -9.0]])  # for the target, class 0
    assert float(networks.domain_loss(sure, source=False)) < 1e-6
    assert float(networks.domain_loss(sure, source=True)) == pytest.approx(18, rel=1e-3)


@pytest.mark.parametrize(
    ("network", "inputs", "classes", "named"),
    [
        ("mnist", (1, 28, 28), 10, "network = 'mnist'"),
        ("digits", (28, 28), 10, "inputs = "),
        ("digits", (1, 8, 8), 10, "inputs = "),
        ("office", (1, 28, 28), 10, "inputs = "),
        ("visda", (2048,), 1, "classes = 1"),
    ],
)
def test_what_does_not_fit_is_refused(network: str, inputs: tuple[int, ...], classes: int, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        networks.build(network, inputs=inputs, classes=classes)  # type: ignore[arg-type]


def test_projections_train_the_encoder_alone() -> None:
    model = networks.build("office", inputs=(6,), classes=3)
    model.eval()
    projected = networks.Projected(model.encoder, model.head)
    assert [id(each) for each in projected.parameters()] == [id(each) for each in model.encoder.parameters()]
    projected.centre, projected.directions = torch.ones(3), torch.eye(3)[:, :2]
    inputs = torch.randn(4, 6, generator=torch.Generator().manual_seed(0))
    found = projected(inputs)
    torch.testing.assert_close(found, model(inputs)[:, :2] - 1)
    found.sum().backward()
    assert all(each.grad is not None for each in model.encoder.parameters())
    assert all(each.grad is None for each in model.head.parameters())
