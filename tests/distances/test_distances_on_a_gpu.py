"""Distances and their gradients on a GPU, deterministic algorithms on: a pretended one, and a real one if there is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from wassdp import noise
from wassdp.distances import directions, max_sliced, one_d, parts, sliced, smoothed
from wassdp.training import reproducible

Distance = Callable[[Tensor, Tensor, noise.Bits], Tensor]


def weights(count: int, like: Tensor) -> Tensor:
    return torch.arange(1, count + 1, device=like.device, dtype=like.dtype)


def unit(like: Tensor) -> Tensor:
    drawn = directions.draw("orthogonal", dimension=5, count=10, generator=noise.seeded(2))
    return drawn.to(like)


def largest(x: Tensor, y: Tensor, stream: noise.Bits) -> Tensor:
    return max_sliced.max_sliced_wasserstein(x, y, generator=stream, starts=3, steps=5).distance


DISTANCES: dict[str, Distance] = {
    "sliced": lambda x, y, _: sliced.sliced_wasserstein(x, y[: len(x)], unit(x)),
    "sliced, order 1, unequal": lambda x, y, _: sliced.sliced_wasserstein(x, y, unit(x), p=1.0),
    "sliced, order 3, in chunks": lambda x, y, _: sliced.sliced_wasserstein_power(x, y, unit(x), p=3.0, chunk=4),
    "sliced, weighted": lambda x, y, _: sliced.sliced_wasserstein(
        x, y, unit(x), x_weights=weights(len(x), x), y_weights=weights(len(y), y)
    ),
    "line": lambda x, y, _: one_d.wasserstein(x[:, 0], y[:, 0]),
    "line, largest gap": lambda x, y, _: one_d.wasserstein(x[:, 0], y[:, 0], p=float("inf")),
    "line, weighted": lambda x, y, _: one_d.wasserstein(x[:, 0], y[:, 0], x_weights=weights(len(x), x)),
    "max-sliced": largest,
    "smoothed": lambda x, y, stream: smoothed.empirical(x, y, unit(x), sigma=0.3, generator=stream),
    "parts": lambda x, _, __: parts.means_of_parts(x.T, 4).square().sum(),
}


def value_and_slope(distance: Distance, device: str) -> tuple[Tensor, Tensor]:
    points = torch.Generator().manual_seed(0)
    x, y = (torch.randn(count, 5, generator=points).to(device) for count in (37, 50))
    x.requires_grad_()
    with reproducible.surroundings(bytes(32), torch.device(device)):
        value = distance(x, y, noise.seeded(1))
        (slope,) = torch.autograd.grad(value, x)
    assert value.device.type == slope.device.type == device
    return value.detach().cpu(), slope.cpu()


@pytest.mark.parametrize("name", DISTANCES)
def test_a_pretended_gpu_finds_what_the_processor_does(name: str, request: pytest.FixtureRequest) -> None:
    expected = value_and_slope(DISTANCES[name], "cpu")
    request.getfixturevalue("pretended_gpu")
    torch.testing.assert_close(value_and_slope(DISTANCES[name], "cuda"), expected)


# Max-sliced is left out: the ascent multiplies what sums in another order differ by.
@pytest.mark.gpu
@pytest.mark.parametrize("name", [name for name in DISTANCES if name != "max-sliced"])
def test_a_gpu_finds_what_the_processor_does(name: str) -> None:
    torch.testing.assert_close(value_and_slope(DISTANCES[name], "cuda"), value_and_slope(DISTANCES[name], "cpu"))
