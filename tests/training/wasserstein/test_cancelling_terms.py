"""Terms that cancel: what rounding leaves of their sum is no more than the sensitivity allows."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective, statistical_parity
from wassdp.training.wasserstein.clipping import shortened
from wassdp.training.wasserstein.engine import Method, WassersteinEngine

COUNT = 4
SEEDS = range(20)


class Averaged(nn.Module):
    """One layer at every position of an example; one number of its outputs' mean."""

    def __init__(self) -> None:
        super().__init__()
        self.everywhere = nn.Linear(64, 64, bias=False)

    def forward(self, values: Tensor) -> Tensor:
        mean: Tensor = self.everywhere(values).mean(dim=1)
        return mean[:, :1]


class First(nn.Module):
    """One layer at every position; the sum of its outputs' mean."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.everywhere = nn.Linear(width, width, bias=False)

    def forward(self, values: Tensor) -> Tensor:
        total: Tensor = self.everywhere(values).mean(dim=1).sum(dim=1, keepdim=True)
        return total


class Gated(nn.Module):
    """A product of two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(2, 1, bias=False), nn.Linear(2, 1, bias=False)
        for layer in (self.left, self.right):
            nn.init.ones_(layer.weight)

    def forward(self, values: Tensor) -> Tensor:
        product: Tensor = self.left(values[:, :2]) * self.right(values[:, 2:])
        return product


class Both(nn.Module):
    """A model's outputs, twice: what is compared, and what the loss sees."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, values: Tensor) -> tuple[Tensor, Tensor]:
        outputs = self.model(values)
        return outputs, outputs


def moved(
    engine: WassersteinEngine, record: Tensor, others: Tensor, *, norm: float, dimension: int = 1, ball: float = 1.0
) -> float:
    """How far a record in the place of zeros moves the gradient, over the sensitivity."""
    model_side = Group(name="model", records=COUNT, batch=COUNT, jacobian_norm=norm)
    points_side = Group(name="points", records=COUNT, batch=COUNT, jacobian_norm=None, private=False)
    objective = Objective(
        groups=(model_side, points_side), pairs=(ComparedGroups("model", "points"),), output_norm=ball
    )
    points = ball * torch.linspace(-0.9, 0.9, COUNT)[:, None] * torch.tensor([1.0, -0.5])[:dimension]
    gradients = []
    for first in (record, torch.zeros_like(record)):
        batches = {"model": torch.cat([first[None], others]), "points": points.to(others)}
        gradients.append(engine.gradient(objective, batches, directions=torch.eye(dimension).to(others)).gradient)
    return float((gradients[0] - gradients[1]).norm()) / objective.sensitivity


def redrawn(model: nn.Module, seed: int) -> torch.Generator:
    """The generator that drew other weights for ``model``, uniform in [-1/2, 1/2]."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.rand(parameter.shape, generator=generator) - 0.5)
    return generator


def unseen(layer: nn.Module, generator: torch.Generator) -> Tensor:
    """A direction of length 1 that the two outputs of a linear layer do not tell apart."""
    assert isinstance(layer, nn.Linear)
    weight = layer.weight.detach()
    across = torch.linalg.cross(weight[0] - weight[1], torch.randn(3, generator=generator))
    direction: Tensor = across / across.norm()
    return direction


def test_terms_that_cancel_over_positions() -> None:
    generator = torch.Generator().manual_seed(11)
    half = 1e8 * torch.randn(8, 64, generator=generator)
    record = torch.cat([half, -half.flip(0)])[torch.randperm(16, generator=generator)]
    torch.manual_seed(0)
    # Their exact sum is 0, so that the Jacobian is not clipped: 681 sensitivities left.
    assert moved(WassersteinEngine(Averaged()), record, torch.zeros(COUNT - 1, 16, 64), norm=1e-3) <= 1


def test_terms_that_cancel_between_outputs() -> None:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(8, 1, bias=False), nn.Linear(1, 2, bias=False))
    with torch.no_grad():
        model[0].weight.copy_(torch.eye(1, 8))  # type: ignore[operator]  # a linear layer
    record = torch.tensor([0.5, 1.2345e12, *[0.0] * 6])
    others = torch.zeros(COUNT - 1, 8)
    others[:, 0] = torch.tensor([0.3, -0.3, 0.1])
    # A direction of the outputs in which the Jacobian is short is not clipped: 101 sensitivities left.
    assert moved(WassersteinEngine(model), record, others, norm=1.0, dimension=2) <= 1


@pytest.mark.parametrize("method", ["recorded", "functional"])
def test_a_backward_pass_that_cancels_inside_the_network(method: Method) -> None:
    # Two equal hidden outputs: normalised, they have no slope, and what rounding leaves of one differs from pass to
    # pass. A second pass, multiplied with a record of this length, gave up to 3e7 sensitivities.
    model = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2), nn.Linear(2, 1))
    engine, worst = WassersteinEngine(model, method=method), 0.0
    for seed in SEEDS:
        record = 1e6 * unseen(model[0], redrawn(model, seed))
        worst = max(worst, moved(engine, record, torch.zeros(COUNT - 1, 3), norm=1.0))
    assert worst <= 1


def test_the_backward_pass_of_a_loss_that_cancels_inside_the_network() -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2), nn.Linear(2, 1))
    objective = statistical_parity(
        alpha=0.5, records=(2, 2), batches=(2, 2), output_norm=1.0, jacobian_norm=1.0, loss_norm=0.5
    )
    engine, worst = WassersteinEngine(Both(model)), 0.0
    zeros = torch.zeros(2, 3)
    for seed in SEEDS:
        record = 1e6 * unseen(model[0], redrawn(model, seed))
        found = [
            engine.gradient(
                objective,
                {"0": torch.stack([first, zeros[0]]), "1": zeros},
                loss=lambda both, targets: (both[1] - targets).square().sum(dim=1),
                targets={"0": torch.ones(2, 1), "1": torch.ones(2, 1)},
            ).gradient
            for first in (record, zeros[0])
        ]
        worst = max(worst, float((found[0] - found[1]).norm()) / objective.sensitivity)
    assert worst <= 1


def test_three_linear_layers_whose_product_is_nothing() -> None:
    model = nn.Sequential(nn.Linear(2, 1, bias=False), nn.Linear(1, 3, bias=False), nn.Linear(3, 1, bias=False))
    engine, zeros, worst = WassersteinEngine(model), torch.zeros(COUNT - 1, 2), 0.0
    moved(engine, torch.ones(2), zeros, norm=1.0)  # a model is tried once, with ordinary weights
    for seed in SEEDS:
        redrawn(model, seed)
        into, out = model[1].weight, model[2].weight
        with torch.no_grad():
            model[0].weight.copy_(torch.tensor([[1.0, 0.0]]))  # type: ignore[operator]  # a linear layer
            out[0, 2] = -(out[0, :2] @ into[:2, 0]) / into[2, 0]  # type: ignore[index,operator]  # likewise
        worst = max(worst, moved(engine, torch.tensor([0.0, 1e12]), zeros, norm=1.0))
    assert worst <= 1


@pytest.mark.parametrize("length", [1e10, 1e18])
def test_terms_of_explicit_jacobians_that_cancel(length: float) -> None:
    engine, worst = WassersteinEngine(First(3), method="functional"), 0.0
    for seed in range(10):
        record = length * torch.randn(3, 3, generator=redrawn(engine.model, seed))
        record[2] = -(record[0] + record[1])
        worst = max(worst, moved(engine, record, torch.zeros(COUNT - 1, 3, 3), norm=1.0))
    assert worst <= 1


def test_a_finite_jacobian_whose_factors_leave_the_range_stops_nothing() -> None:
    # The Jacobian's entries are 2; the factors of one are 2e38 and 1e-38, and the pull on the output, -3.5, takes the
    # first one out of range.
    record, others = torch.tensor([1e-38, 0.0, 2e38, 0.0]), torch.zeros(COUNT - 1, 4)
    assert 0 < moved(WassersteinEngine(Gated(), method="functional"), record, others, norm=4.0, ball=10.0) <= 1


def test_terms_that_cancel_in_double_precision() -> None:
    # Terms of 1e11 leave a Jacobian of some hundreds: its square is lost beside theirs in double precision too.
    width, length = 40, 1e11
    model = First(width).double()
    with torch.no_grad():
        model.everywhere.weight.zero_()
        model.everywhere.weight[:, 0] = 1 / width
    engine, worst = WassersteinEngine(model), 0.0
    for seed in range(8):
        rows = torch.randn(2, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        rows[:, 0] = 0
        rows /= rows.norm(dim=1, keepdim=True)
        record = torch.stack([length * rows[0], -length * rows[0] + 1e-8 * length * rows[1]])
        record[0, 0] = 2
        worst = max(worst, moved(engine, record, torch.zeros(COUNT - 1, 2, width, dtype=torch.float64), norm=1.0))
    assert worst <= 1


@pytest.mark.parametrize("reach", [0.0, 1e3, 1e6, 1e30, torch.inf, torch.nan])
def test_a_factor_keeps_a_share_of_the_terms_below_a_thousandth_of_the_bound(reach: float) -> None:
    factor = float(shortened(torch.tensor([reach], dtype=torch.float64), norm=0.5)[0])
    assert 0 <= factor <= 1
    assert factor == 1 if reach <= 1e3 else not factor * reach * torch.finfo(torch.float32).eps > 0.5e-3 * (1 + 1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_the_gram_matrix_loses_is_below_a_thousandth_of_the_bound(dtype: torch.dtype) -> None:
    reach = torch.tensor([1e12], dtype=torch.float64)
    lost = torch.finfo(torch.float64).eps ** 0.5 * float(reach)
    assert float(shortened(reach, norm=0.5, dtype=dtype)[0]) * lost <= 0.5e-3 * (1 + 1e-9)
