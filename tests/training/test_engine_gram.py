"""Gram matrices of every form of per-example gradients, against the gradients themselves."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from wassdp.training.clipping import convolution, gram, layers

CASES = {
    "linear": (lambda: nn.Linear(5, 3), (4, 5), (4, 3)),
    "linear on few long positions": (lambda: nn.Linear(40, 30), (4, 2, 40), (4, 2, 30)),
    "linear on many positions": (lambda: nn.Linear(3, 2), (4, 9, 3), (4, 9, 2)),
    "group norm": (lambda: nn.GroupNorm(2, 4), (4, 4, 3, 3), (4, 4, 3, 3)),
    "layer norm": (lambda: nn.LayerNorm(6), (4, 5, 6), (4, 5, 6)),
    "convolution": (lambda: nn.Conv2d(3, 4, 3, padding=1), (4, 3, 6, 6), (4, 4, 6, 6)),
    "convolution in one dimension": (lambda: nn.Conv1d(3, 4, 3), (4, 3, 8), (4, 4, 6)),
}


def gradients(layer: nn.Module, inputs: Tensor, outputs: Tensor) -> dict[str, Tensor]:
    """Every example's gradient by automatic differentiation, double precision."""
    layer = layer.double()
    found: dict[str, list[Tensor]] = {kind: [] for kind, _ in layer.named_parameters()}
    for value, pull in zip(inputs, outputs, strict=True):
        given = value[None].double() if value.is_floating_point() else value[None]
        each = torch.autograd.grad(layer(given), list(layer.parameters()), pull[None].double())
        for (kind, _), gradient in zip(layer.named_parameters(), each, strict=True):
            found[kind].append(gradient.flatten())
    layer.float()
    return {kind: torch.stack(each) for kind, each in found.items()}


def check(layer: nn.Module, inputs: Tensor, pulls: list[Tensor]) -> None:
    calls = [[layers.Call(inputs, pull)] for pull in pulls]
    forms = [layers.KINDS[type(layer)](layer, each) for each in calls]
    explicit = [gradients(layer, inputs, pull) for pull in pulls]
    whole = torch.zeros(len(inputs), len(pulls), len(pulls), dtype=torch.float64)
    for kind, _ in layer.named_parameters():
        rows = torch.stack([each[kind] for each in explicit], dim=1)
        torch.testing.assert_close(gram.gram([each[kind] for each in forms]), rows @ rows.mT, atol=1e-4, rtol=1e-5)
        whole += rows @ rows.mT
    torch.testing.assert_close(gram.of_layer(layer, calls), whole, atol=1e-4, rtol=1e-5)
    weights = torch.randn(len(inputs), len(pulls), dtype=torch.float64)
    totals = {kind: torch.zeros(each.numel(), dtype=torch.float64) for kind, each in layer.named_parameters()}
    with torch.no_grad():
        gram.add_weighted(layer, calls, weights, totals)
    for kind, total in totals.items():
        expected = torch.einsum("nr,rnp->p", weights, torch.stack([each[kind] for each in explicit]))
        torch.testing.assert_close(total, expected, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("count", [1, 3, 6])
@pytest.mark.parametrize("name", list(CASES))
def test_inner_products_are_those_of_the_gradients(name, count):
    torch.manual_seed(0)
    make, inputs, outputs = CASES[name]
    check(make(), torch.randn(inputs), [torch.randn(outputs) for _ in range(count)])


@pytest.mark.parametrize("count", [2, 6])
def test_lookups(count):
    torch.manual_seed(0)
    check(nn.Embedding(5, 3), torch.randint(0, 5, (4, 6)), [torch.randn(4, 6, 3) for _ in range(count)])


@pytest.mark.parametrize("form", ["gram", "windows", "groups"])
def test_every_form_of_a_convolution(monkeypatch, form):
    monkeypatch.setattr(convolution.Geometry, "cheapest", lambda *_, **__: form)
    torch.manual_seed(0)
    layer = nn.Conv2d(2, 3, 3, stride=2, padding=1)
    check(layer, torch.randn(4, 2, 7, 7), [torch.randn(4, 3, 4, 4) for _ in range(3)])


@pytest.mark.parametrize("cheaper", [True, False])
def test_both_ways_for_many_outputs_of_a_convolution(monkeypatch, cheaper):
    monkeypatch.setattr(convolution.Geometry, "gram_is_cheaper", lambda *_, **__: cheaper)
    torch.manual_seed(0)
    for layer in (nn.Conv2d(2, 3, 3, stride=2, padding=1), nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect")):
        side = 4 if layer.stride[0] == 2 else 7
        check(layer, torch.randn(4, 2, 7, 7), [torch.randn(4, 3, side, side) for _ in range(5)])


def test_parameters_that_are_not_trained_do_not_count():
    torch.manual_seed(0)
    layer, inputs, pulls = nn.Linear(5, 3), torch.randn(4, 5), [torch.randn(4, 3) for _ in range(2)]
    layer.bias.requires_grad_(False)
    found = gram.of_layer(layer, [[layers.Call(inputs, pull)] for pull in pulls])
    rows = torch.stack([(pull[:, :, None] * inputs[:, None]).flatten(start_dim=1) for pull in pulls], dim=1).double()
    torch.testing.assert_close(found, rows @ rows.mT, atol=1e-5, rtol=1e-5)
