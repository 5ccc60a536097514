"""Terms that cancel: what single precision leaves of their sum is no more than the sensitivity allows."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective
from wassdp.training.wasserstein.clipping import shortened
from wassdp.training.wasserstein.engine import WassersteinEngine

COUNT = 4


class Averaged(nn.Module):
    """One layer at every position of an example; one number of its outputs' mean."""

    def __init__(self) -> None:
        super().__init__()
        self.everywhere = nn.Linear(64, 64, bias=False)

    def forward(self, values: Tensor) -> Tensor:
        mean: Tensor = self.everywhere(values).mean(dim=1)
        return mean[:, :1]


def moved(model: nn.Module, record: Tensor, others: Tensor, *, norm: float, dimension: int) -> float:
    """How far a record in the place of zeros moves the gradient, over the sensitivity."""
    model_side = Group(name="model", records=COUNT, batch=COUNT, jacobian_norm=norm)
    points_side = Group(name="points", records=COUNT, batch=COUNT, jacobian_norm=None, private=False)
    objective = Objective(groups=(model_side, points_side), pairs=(ComparedGroups("model", "points"),), output_norm=1.0)
    points = torch.linspace(-0.9, 0.9, COUNT)[:, None] * torch.tensor([1.0, -0.5])[:dimension]
    engine, gradients = WassersteinEngine(model), []
    for first in (record, torch.zeros_like(record)):
        batches = {"model": torch.cat([first[None], others]), "points": points}
        gradients.append(engine.gradient(objective, batches, directions=torch.eye(dimension)).gradient)
    return float((gradients[0] - gradients[1]).norm()) / objective.sensitivity


def test_terms_that_cancel_over_positions() -> None:
    generator = torch.Generator().manual_seed(11)
    half = 1e8 * torch.randn(8, 64, generator=generator)
    record = torch.cat([half, -half.flip(0)])[torch.randperm(16, generator=generator)]
    torch.manual_seed(0)
    # Their exact sum is 0, so that the Jacobian is not clipped: 681 sensitivities left.
    assert moved(Averaged(), record, torch.zeros(COUNT - 1, 16, 64), norm=1e-3, dimension=1) <= 1


def test_terms_that_cancel_between_outputs() -> None:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(8, 1, bias=False), nn.Linear(1, 2, bias=False))
    with torch.no_grad():
        model[0].weight.copy_(torch.eye(1, 8))  # type: ignore[operator]  # a linear layer
    record = torch.tensor([0.5, 1.2345e12, *[0.0] * 6])
    others = torch.zeros(COUNT - 1, 8)
    others[:, 0] = torch.tensor([0.3, -0.3, 0.1])
    # A direction of the outputs in which the Jacobian is short is not clipped: 101 sensitivities left.
    assert moved(model, record, others, norm=1.0, dimension=2) <= 1


@pytest.mark.parametrize("reach", [0.0, 1e3, 1e6, 1e30, torch.inf, torch.nan])
def test_a_factor_keeps_a_share_of_the_terms_below_a_thousandth_of_the_bound(reach: float) -> None:
    factor = float(shortened(torch.tensor([reach], dtype=torch.float64), norm=0.5)[0])
    assert 0 <= factor <= 1
    assert factor == 1 if reach <= 1e3 else not factor * reach * torch.finfo(torch.float32).eps > 0.5e-3 * (1 + 1e-9)
