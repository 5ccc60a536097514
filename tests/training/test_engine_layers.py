"""Every engine on every kind of layer, in both precisions, against a loop in double precision."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from wassdp.training import engines


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.cross_entropy(outputs, targets, reduction="none")


def naive(model: nn.Module, batch: tuple[Tensor, Tensor], clip_norm: float) -> Tensor:
    model = copy.deepcopy(model).double()
    trained = [each for each in model.parameters() if each.requires_grad]
    inputs, targets = (each.double() if each.is_floating_point() else each for each in batch)
    total = torch.zeros(sum(each.numel() for each in trained), dtype=torch.float64)
    for value, target in zip(inputs, targets, strict=True):
        loss = cross_entropy(model(value[None]), target[None]).squeeze()
        found = torch.autograd.grad(loss, trained, allow_unused=True, materialize_grads=True)
        gradient = torch.cat([each.flatten() for each in found])
        total += gradient / max(1.0, float(gradient.norm()) / clip_norm)
    return total


class Mean(nn.Module):
    def forward(self, values: Tensor) -> Tensor:
        return values.mean(dim=1)


class Residual(nn.Module):
    """One convolution used twice, at two sizes, and a layer that nothing calls."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Conv2d(3, 3, 3, padding=1)
        self.unused = nn.Linear(2, 2)
        self.last = nn.Linear(3, 4)

    def forward(self, images: Tensor) -> Tensor:
        images = images + self.shared(images).tanh()
        images = nn.functional.avg_pool2d(images, 2)
        return self.last(self.shared(images).tanh().mean(dim=(2, 3)))


class InPlace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(6, 5), nn.Linear(5, 4)

    def forward(self, values: Tensor) -> Tensor:
        return self.last(self.first(input=values).relu_())


def frozen(model: nn.Sequential, *names: str) -> nn.Module:
    for name in names:
        model.get_parameter(name).requires_grad_(False)
    return model


IMAGE = (4, 9, 8)
NETWORKS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "linear without bias": (lambda: nn.Sequential(nn.Flatten(), nn.Linear(288, 4, bias=False)), IMAGE),
    "groups, stride, dilation": (
        lambda: nn.Sequential(
            nn.Conv2d(4, 8, 3, stride=2, padding=1, groups=2),
            nn.Tanh(),
            nn.Conv2d(8, 6, (3, 2), padding=(2, 1), dilation=(2, 1), bias=False),
            nn.Tanh(),
            nn.Flatten(),
            nn.LazyLinear(4),
        ),
        IMAGE,
    ),
    "depthwise": (
        lambda: nn.Sequential(nn.Conv2d(4, 8, 3, groups=4), nn.Tanh(), nn.Flatten(), nn.LazyLinear(4)),
        IMAGE,
    ),
    "padding by name": (
        lambda: nn.Sequential(nn.Conv2d(4, 5, (4, 3), padding="same"), nn.Tanh(), nn.Flatten(), nn.LazyLinear(4)),
        IMAGE,
    ),
    "padding by reflection": (
        lambda: nn.Sequential(
            nn.Conv2d(4, 3, 3, padding=1, padding_mode="reflect"), nn.Tanh(), nn.Flatten(), nn.LazyLinear(4)
        ),
        IMAGE,
    ),
    "many channels on few pixels": (
        lambda: nn.Sequential(
            nn.Conv2d(4, 40, 3, stride=2),
            nn.Tanh(),
            nn.Conv2d(40, 48, 3, padding=1, stride=2),
            nn.Tanh(),
            nn.Conv2d(48, 48, 2, padding=1, dilation=2),
            nn.Flatten(),
            nn.LazyLinear(4),
        ),
        IMAGE,
    ),
    "one dimension": (
        lambda: nn.Sequential(
            nn.Conv1d(4, 6, 3, stride=2), nn.LayerNorm([6, 9]), nn.Tanh(), nn.Flatten(), nn.LazyLinear(4)
        ),
        (4, 19),
    ),
    "three dimensions": (
        lambda: nn.Sequential(nn.Conv3d(2, 3, 2), nn.Tanh(), nn.Flatten(), nn.LazyLinear(4)),
        (2, 4, 3, 5),
    ),
    "group and instance normalisation": (
        lambda: nn.Sequential(
            nn.Conv2d(4, 8, 3),
            nn.GroupNorm(2, 8),
            nn.Tanh(),
            nn.Conv2d(8, 6, 3),
            nn.InstanceNorm2d(6, affine=True),
            nn.Flatten(),
            nn.LayerNorm(120),
            nn.Linear(120, 4),
        ),
        IMAGE,
    ),
    "tokens": (
        lambda: nn.Sequential(nn.Embedding(5, 6), nn.Linear(6, 7), nn.LayerNorm(7), nn.Tanh(), Mean(), nn.Linear(7, 4)),
        (),
    ),
    "tokens, one for padding": (
        lambda: nn.Sequential(nn.Embedding(5, 6, padding_idx=0), nn.Linear(6, 7), Mean(), nn.Linear(7, 4)),
        (),
    ),
    "wide layers on few tokens": (
        lambda: nn.Sequential(nn.Linear(30, 40), nn.Tanh(), nn.Linear(40, 30), Mean(), nn.Linear(30, 4)),
        (3, 30),
    ),
    "shared convolution, unused layer": (Residual, (3, 8, 8)),
    "changes in place": (InPlace, (6,)),
    "frozen weight, frozen bias": (
        lambda: frozen(
            nn.Sequential(nn.Conv2d(4, 5, 3), nn.Tanh(), nn.Conv2d(5, 3, 3), nn.Flatten(), nn.Linear(60, 4)),
            "0.weight",
            "2.bias",
            "4.bias",
        ),
        IMAGE,
    ),
}

# What Opacus refuses, or cannot do right: the reason is in the message.
REFUSED = {
    ("opacus_hooks", "padding by reflection"): "layer '0'.*padding_mode = 'reflect'",
    ("opacus_hooks", "tokens, one for padding"): "layer '0'.*padding_idx = 0",
    ("opacus_hooks", "changes in place"): "changes a layer's output in place",
    ("opacus_hooks", "shared convolution, unused layer"): "Opacus gave no per-example gradient",
}


def examples(shape: tuple[int, ...], dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(3)
    targets = torch.randint(0, 4, (21,), generator=generator)
    if not shape:
        return torch.randint(0, 5, (21, 7), generator=generator), targets
    sizes = torch.logspace(-2, 1, 21, dtype=torch.float64).view(-1, *(1 for _ in shape))
    return (sizes * torch.randn(21, *shape, generator=generator, dtype=torch.float64)).to(dtype), targets


@pytest.mark.parametrize("engine", engines.ENGINES.names())
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["double", "single"])
def test_agrees_with_the_loop(engine: str, name: str, dtype: torch.dtype) -> None:
    build, shape = NETWORKS[name]
    torch.manual_seed(5)
    network = build()
    batch = examples(shape, dtype)
    network(batch[0].float() if shape else batch[0])  # makes lazy layers
    network = network.to(dtype)
    expected = {clip_norm: naive(network, batch, clip_norm) for clip_norm in (0.5, 1e3)}
    if reason := REFUSED.get((engine, name)):
        with pytest.raises(ValueError, match=reason):
            engines.load(engine, network).clipped_gradient_sum(cross_entropy, batch, 0.5)
        return
    prepared = engines.load(engine, network)
    for clip_norm, total in expected.items():
        found = prepared.clipped_gradient_sum(cross_entropy, batch, clip_norm)
        assert found.total.dtype == torch.float64
        difference = float((found.total - total).norm() / total.norm())
        assert difference <= (1e-10 if dtype == torch.float64 else 1e-5)
