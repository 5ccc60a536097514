"""Averages of weights against sums written out, and what they leave alone."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from wassdp.training.averaging import Average, Exponential, Tail, applied


def path(average: Average, steps: int, seed: int = 0) -> tuple[nn.Parameter, list[torch.Tensor]]:
    """A parameter that wanders, and where it was after each step."""
    generator = torch.Generator().manual_seed(seed)
    parameter = nn.Parameter(torch.zeros(3, dtype=torch.float64))
    places = []
    for _ in range(steps):
        with torch.no_grad():
            parameter += torch.randn(3, generator=generator, dtype=torch.float64)
        average.update([parameter])
        places.append(parameter.detach().clone())
    return parameter, places


def settled(average: Average, parameter: nn.Parameter) -> torch.Tensor:
    with applied(average, [parameter]):
        return parameter.detach().clone()


@pytest.mark.parametrize(("fraction", "steps", "counted"), [(0.5, 10, 5), (1.0, 7, 7), (0.01, 9, 1), (0.26, 10, 3)])
def test_the_tail_is_a_plain_mean(fraction: float, steps: int, counted: int) -> None:
    average = Tail(name="tail", fraction=fraction).over(steps)
    parameter, places = path(average, steps)
    torch.testing.assert_close(settled(average, parameter), torch.stack(places[-counted:]).mean(dim=0))


def test_before_the_tail_the_latest_weights_count() -> None:
    average = Tail(name="tail", fraction=0.2).over(10)
    parameter, places = path(average, 8)
    assert torch.equal(settled(average, parameter), places[-1])
    latest = Average()
    parameter, places = path(latest, 3)
    assert torch.equal(settled(latest, parameter), places[-1])


def test_the_exponential_average_is_its_recursion() -> None:
    average = Exponential(name="exponential", decay=0.7).over(60)
    parameter, places = path(average, 60)
    expected = places[0]
    for step, place in enumerate(places[1:], start=2):
        kept = min(0.7, (1 + step) / (10 + step))
        expected = kept * expected + (1 - kept) * place
    torch.testing.assert_close(settled(average, parameter), expected)
    assert average.share(1000) == pytest.approx(0.3)
    assert average.share(1) == pytest.approx(1 - 2 / 11)


def test_outside_the_block_the_weights_are_untouched_bit_by_bit() -> None:
    average = Exponential(name="exponential", decay=0.9).over(20)
    parameter, places = path(average, 20)
    with applied(average, [parameter]):
        assert not torch.equal(parameter, places[-1])
    assert torch.equal(parameter, places[-1])
    with pytest.raises(KeyError), applied(average, [parameter]):
        raise KeyError
    assert torch.equal(parameter, places[-1])
    average.settle([parameter])
    assert not torch.equal(parameter, places[-1])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Exponential(name="exponential", decay=0.9).over(12),
        lambda: Tail(name="tail", fraction=0.5).over(12),
        Average,
    ],
)
@pytest.mark.parametrize("stop", [1, 5, 9])
def test_a_restored_average_goes_on_bit_by_bit(make: type[Average], stop: int) -> None:
    undisturbed, first, second = make(), make(), make()
    parameter, places = path(undisturbed, 12)
    for place in places[:stop]:
        first.update([nn.Parameter(place)])
    second.load_state_dict(first.state_dict())
    for place in places[stop:]:
        second.update([nn.Parameter(place)])
    assert torch.equal(settled(second, parameter), settled(undisturbed, parameter))


@pytest.mark.parametrize("decay", [0.0, 1.0, float("nan")])
def test_decays_out_of_range_are_named(decay: float) -> None:
    with pytest.raises(ValueError, match="decay"):
        Exponential(name="exponential", decay=decay)


@pytest.mark.parametrize(("fraction", "steps", "name"), [(0.0, 5, "fraction"), (1.1, 5, "fraction"), (0.5, 0, "steps")])
def test_tails_out_of_range_are_named(fraction: float, steps: int, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Tail(name="tail", fraction=fraction).over(steps)
