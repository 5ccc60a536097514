r"""Inner products between the gradients of several outputs of one example, without the gradients where that is cheaper.

Symbols: d outputs of an example, numbered r and s; a_t and b_{r,t} are a layer's input and the gradient of output r in
the layer's output, at position t.

Everything is summed in double precision: the inner products are exact but for the rounding of a and b themselves, so
that an output whose gradient is small beside another's, or nearly its multiple, keeps its digits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import cast

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from wassdp.training.clipping import layers
from wassdp.training.clipping.convolution import Geometry, PixelGram
from wassdp.training.clipping.per_example import Lookups, Materialised, Outer, OuterSum, PerExample

FEW = 4
"""Outputs up to which pairs are worked off one by one: batched products of such small matrices are slow."""

NORMALISING = (nn.GroupNorm, nn.LayerNorm, nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d)
"""Layers whose weight multiplies inputs that are not those of the call, but normalised ones."""


def of_layer(layer: nn.Module, outputs: Sequence[list[layers.Call]]) -> Float64[Tensor, "n d d"]:
    r"""Inner products :math:`\langle g_{i,r}, g_{i,s} \rangle` of all gradients of one layer's parameters together.

    Args:
        layer: one of `wassdp.training.clipping.layers.KINDS`.
        outputs: for output 1, 2, ..., d, the layer's calls; the same calls for every output.
    """
    trained = [
        kind for kind, parameter in layer._parameters.items() if parameter is not None and parameter.requires_grad
    ]
    if isinstance(layer, nn.Conv2d) and layer.groups == 1 and len(outputs[0]) == 1:
        return _of_convolution(layer, trained, outputs[0][0].inputs, [calls[0].outputs for calls in outputs])
    forms = [layers.KINDS[type(layer)](layer, calls) for calls in outputs]
    weight, bias = forms[0].get("weight"), forms[0].get("bias")
    if (
        len(trained) == 2
        and isinstance(weight, Outer)
        and isinstance(bias, Materialised)
        and bias.gradients.data_ptr() == weight.outputs.data_ptr()
    ):
        # A bias is a weight whose input is 1.
        squares = weight.inputs.double().square().sum(dim=1)
        return (1 + squares)[:, None, None] * _products([_array(form["bias"], "gradients") for form in forms])
    return torch.stack([gram([form[kind] for form in forms]) for kind in trained]).sum(dim=0)


def add_weighted(
    layer: nn.Module,
    outputs: Sequence[list[layers.Call]],
    weights: Float64[Tensor, "n d"],
    totals: Mapping[str, Float64[Tensor, " size"]],
) -> None:
    r"""Add to ``totals`` the sum of all gradients, each times its weight: of the very numbers that `of_layer` measured.

    .. math:: \sum_{i,r} w_{i,r} \sum_t b_{i,r,t} a_{i,t}^\top = \sum_{i,t} b_{i,t} a_{i,t}^\top,
        \qquad b_{i,t} = \sum_r w_{i,r} b_{i,r,t}

    Another backward pass, with the weights in its outputs, would give other b where terms cancel on the way: what they
    are rounded by is then all that is left, and no norm of the first ones bounds the second ones.

    Normalised inputs, whose own rounding `squared_reach` does not know, are multiplied with every output's b in turn.

    Args:
        layer: one of `wassdp.training.clipping.layers.KINDS`.
        outputs: for output 1, 2, ..., d, the layer's calls.
        weights: w; an example whose calls are not finite has to be cleared in both.
        totals: flat, of the parameters that are trained, by their names in the layer.
    """
    if not isinstance(layer, NORMALISING):
        outputs, weights = [_joined(outputs, weights)], torch.ones_like(weights[:, :1])
    for calls, factors in zip(outputs, weights.T, strict=True):
        forms = layers.KINDS[type(layer)](layer, calls)
        for kind, total in totals.items():
            forms[kind].add_weighted(factors.to(total.dtype), total)


def _joined(outputs: Sequence[list[layers.Call]], weights: Float64[Tensor, "n d"]) -> list[layers.Call]:
    """One call for each of the layer's, with the weighted sum of all outputs' gradients, in double until it is whole.

    Weights of long gradients are so small that single precision would round them off, or away.
    """
    joined = []
    for of_call in zip(*outputs, strict=True):
        total = torch.zeros_like(of_call[0].outputs, dtype=torch.float64)
        for call, factors in zip(of_call, weights.T, strict=True):
            total.addcmul_(call.outputs.double(), factors.view(-1, *[1] * (total.ndim - 1)))
        joined.append(layers.Call(of_call[0].inputs, total.to(of_call[0].outputs.dtype)))
    return joined


def squared_reach(layer: nn.Module, outputs: Sequence[list[layers.Call]]) -> Float64[Tensor, "n d"]:
    r"""Of each output's gradient, a bound on the squared size of the terms that it is a sum of.

    .. math:: \Bigl( \sum_t \lVert b_{r,t} \rVert \lVert a_t \rVert \Bigr)^2
        \le \sum_t \lVert a_t \rVert^2 \, \sum_t \lVert b_{r,t} \rVert^2

    Whatever their sum is, the precision of a and b rounds it by a share of this. In a convolution every pixel is in as
    many windows as the kernel has taps at most; normalised inputs and lookups are taken for 1; a bias has inputs 1.

    Inputs so long that, times these, what underflows in b would show have an infinite reach.

    Args:
        layer: one of `wassdp.training.clipping.layers.KINDS`.
        outputs: for output 1, 2, ..., d, the layer's calls.
    """
    taps = layer.weight[0, 0].numel() if isinstance(layer, nn.Conv1d | nn.Conv2d | nn.Conv3d) else 1
    linear = isinstance(layer, nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d)
    columns = []
    for calls in outputs:
        inputs = [taps * _length(call.inputs) if linear else float(call.inputs[0].numel()) for call in calls]
        sums = [sum(inputs) + sum(call.outputs[0].numel() for call in calls), sum(_squared(c.outputs) for c in calls)]
        columns.append(sums[0] * sums[1])
    return torch.stack([torch.as_tensor(column) for column in columns], dim=1)


def _length(inputs: Tensor) -> Float64[Tensor, " n"]:
    """Squared; infinite above the largest number to the power 0.4, 2e15 in single precision.

    The least positive number, 1e-45, times a shorter one is less than any bound that engines take as usable.
    """
    squares = _squared(inputs)
    return squares.masked_fill(squares > torch.finfo(inputs.dtype).max ** 0.8, torch.inf)


def _squared(values: Tensor) -> Float64[Tensor, " n"]:
    norms: Tensor = torch.linalg.vector_norm(values.flatten(start_dim=1), dim=1, dtype=torch.float64)
    return norms.square()


def _of_convolution(
    layer: nn.Conv2d, trained: Sequence[str], inputs: Float[Tensor, "n I *space"], outputs: Sequence[Tensor]
) -> Float64[Tensor, "n d d"]:
    """What the outputs share, the windows or their Gram matrix, is computed once for all of them."""
    geometry, count = Geometry.of(layer), len(outputs)
    inputs, n = geometry.pad(inputs), len(inputs)
    total = torch.zeros(n, count, count, dtype=torch.float64, device=inputs.device)
    if "bias" in trained:
        total += _products([gradients.flatten(start_dim=2).sum(dim=2).double() for gradients in outputs])
    if "weight" not in trained:
        return total
    if geometry.gram_is_cheaper(inputs, outputs[0], count=count):
        return total + gram([PixelGram(geometry, inputs, gradients) for gradients in outputs])
    joined = dataclasses.replace(geometry, shape=(count * geometry.shape[0], *geometry.shape[1:]))
    rows = joined.by_windows(inputs, torch.cat(list(outputs), dim=1)).view(n, count, -1).double()
    return total + rows @ rows.mT


def gram(forms: Sequence[PerExample]) -> Float64[Tensor, "n d d"]:
    r"""Inner products of one parameter's gradients.

    .. math:: \Bigl\langle \sum_t b_{r,t} a_t^\top, \sum_t b_{s,t} a_t^\top \Bigr\rangle
        = \sum_{t,t'} \langle a_t, a_{t'} \rangle \langle b_{r,t}, b_{s,t'} \rangle

    Args:
        forms: the gradients of output 1, 2, ..., d, all in one form and of the same layer inputs.
    """
    first = forms[0]
    if isinstance(first, Outer):
        squares = first.inputs.double().square().sum(dim=1)
        return squares[:, None, None] * _products([_array(form, "outputs") for form in forms])
    if isinstance(first, OuterSum):
        inputs = first.inputs.double()
        return _through(inputs @ inputs.mT, [_array(form, "outputs") for form in forms])
    if isinstance(first, Lookups):
        same = first.rows[:, :, None] == first.rows[:, None, :]
        return _through(same.double(), [_array(form, "outputs") for form in forms])
    if isinstance(first, PixelGram):
        places = first.outputs.shape[2:].numel()
        windows = dataclasses.replace(first, inputs=first.inputs.double()).gram_of_windows()
        outputs = [_array(form, "outputs").flatten(start_dim=2).mT for form in forms]
        return _through(windows.reshape(-1, places, places), outputs)
    assert isinstance(first, Materialised), f"{type(first).__name__} has no Gram matrix yet"
    return _products([_array(form, "gradients").flatten(start_dim=1) for form in forms])


def _array(form: PerExample, kind: str) -> Float64[Tensor, n * shape]:
    return cast(Tensor, getattr(form, kind)).double()


def _through(kernel: Float64[Tensor, "n T T"], outputs: Sequence[Float64[Tensor, "n T O"]]) -> Float64[Tensor, "n d d"]:
    rows = torch.stack(list(outputs), dim=1)
    weighted = kernel[:, None] @ rows
    return rows.flatten(start_dim=2) @ weighted.flatten(start_dim=2).mT


def _products(rows: Sequence[Float64[Tensor, "n size"]]) -> Float64[Tensor, "n d d"]:
    count = len(rows)
    if count > FEW:
        stacked = torch.stack(list(rows), dim=1)
        return stacked @ stacked.mT
    products = rows[0].new_empty(len(rows[0]), count, count)
    for r in range(count):
        for s in range(r, count):
            products[:, r, s] = products[:, s, r] = (rows[r] * rows[s]).sum(dim=1)
    return products
