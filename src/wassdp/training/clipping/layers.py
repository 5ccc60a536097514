"""What a layer's recorded calls say about its parameters' gradients, one function per kind of layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from wassdp.training.clipping import convolution as _convolution
from wassdp.training.clipping.per_example import Lookups, Materialised, Outer, OuterSum, PerExample


@dataclass(frozen=True)
class Call:
    """One call of a layer: its input, and the gradient of the summed loss in its output; examples come first."""

    inputs: Tensor
    outputs: Tensor

    def to(self, dtype: torch.dtype) -> Call:
        """In the precision of the parameters, where the call was in another; indices stay what they are."""
        return Call(self.inputs.to(dtype) if self.inputs.is_floating_point() else self.inputs, self.outputs.to(dtype))


def without(calls: list[Call], rows: Int64[Tensor, " k"]) -> list[Call]:
    """With zeros in the place of these examples: 0 times infinity would be no number."""
    if not len(rows):
        return calls
    return [Call(call.inputs.index_fill(0, rows, 0), call.outputs.index_fill(0, rows, 0)) for call in calls]


Gradients = Callable[[nn.Module, list[Call]], dict[str, PerExample]]
"""A layer and its calls to the gradients of its trainable parameters, by the parameter's name."""


def linear(layer: nn.Module, calls: list[Call]) -> dict[str, PerExample]:
    """`torch.nn.Linear`, on inputs of two or more dimensions."""
    A, B = (_positions([getattr(call, kind) for call in calls]) for kind in ("inputs", "outputs"))
    forms: dict[str, PerExample] = {"bias": Materialised(B.sum(dim=1) if B.shape[1] > 1 else B[:, 0])}
    _, T, inputs = A.shape
    if T == 1:
        forms["weight"] = Outer(A[:, 0], B[:, 0])
    elif T * (inputs + B.shape[2]) < inputs * B.shape[2]:
        forms["weight"] = OuterSum(A, B)
    else:
        forms["weight"] = Materialised(B.mT @ A)
    return forms


def _positions(values: list[Tensor]) -> Float[Tensor, "n T width"]:
    parts = [value.flatten(1, -2) if value.ndim > 2 else value[:, None] for value in values]
    # One part is not copied.
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)


def embedding(layer: nn.Module, calls: list[Call]) -> dict[str, PerExample]:
    """`torch.nn.Embedding`, one lookup for each example or several."""
    assert isinstance(layer, nn.Embedding)
    rows = torch.cat(
        [call.inputs.flatten(start_dim=1) if call.inputs.ndim > 1 else call.inputs[:, None] for call in calls], dim=1
    )
    outputs = _positions([call.outputs for call in calls])
    if layer.padding_idx is not None:
        outputs = outputs.masked_fill((rows == layer.padding_idx)[:, :, None], 0)
    return {"weight": Lookups(rows, outputs, layer.num_embeddings)}


def group_norm(layer: nn.Module, calls: list[Call]) -> dict[str, PerExample]:
    """`torch.nn.GroupNorm`: channels are the second dimension."""
    assert isinstance(layer, nn.GroupNorm)
    return _affine(calls, lambda x: nn.functional.group_norm(x, layer.num_groups, eps=layer.eps), channel=True)


def instance_norm(layer: nn.Module, calls: list[Call]) -> dict[str, PerExample]:
    """`torch.nn.InstanceNorm1d` and its kin, without running statistics."""
    assert isinstance(layer, nn.InstanceNorm1d | nn.InstanceNorm2d | nn.InstanceNorm3d)
    return _affine(calls, lambda x: nn.functional.instance_norm(x, eps=layer.eps), channel=True)


def layer_norm(layer: nn.Module, calls: list[Call]) -> dict[str, PerExample]:
    """`torch.nn.LayerNorm`: the last dimensions are normalised, and have a weight each."""
    assert isinstance(layer, nn.LayerNorm)
    shape = list(layer.normalized_shape)
    normalise = lambda x: nn.functional.layer_norm(x, shape, eps=layer.eps)  # noqa: E731
    return _affine(calls, normalise, channel=False, trailing=len(shape))


def _affine(
    calls: list[Call], normalise: Callable[[Tensor], Tensor], *, channel: bool, trailing: int = 0
) -> dict[str, PerExample]:
    weights: list[Tensor] = []
    biases: list[Tensor] = []
    for call in calls:
        ndim = call.outputs.ndim
        summed = list(range(2, ndim)) if channel else list(range(1, ndim - trailing))
        for values, parts in ((call.outputs * normalise(call.inputs), weights), (call.outputs, biases)):
            parts.append(values.sum(dim=summed) if summed else values)
    return {"weight": Materialised(_convolution.total(weights)), "bias": Materialised(_convolution.total(biases))}


def convolution(layer: nn.Module, calls: list[Call]) -> dict[str, PerExample]:
    """`torch.nn.Conv1d` and its kin."""
    assert isinstance(layer, nn.Conv1d | nn.Conv2d | nn.Conv3d)
    bias = _convolution.total([call.outputs.flatten(start_dim=2).sum(dim=2) for call in calls])
    weight = _convolution.weight_gradients(layer, [(call.inputs, call.outputs) for call in calls])
    return {"weight": weight, "bias": Materialised(bias)}


KINDS: dict[type[nn.Module], Gradients] = {
    nn.Linear: linear,
    nn.Embedding: embedding,
    nn.GroupNorm: group_norm,
    nn.LayerNorm: layer_norm,
    nn.InstanceNorm1d: instance_norm,
    nn.InstanceNorm2d: instance_norm,
    nn.InstanceNorm3d: instance_norm,
    nn.Conv1d: convolution,
    nn.Conv2d: convolution,
    nn.Conv3d: convolution,
}
"""Exact types only: what a subclass does in its forward pass is not known."""


def refusal(layer: nn.Module) -> str | None:
    """Why a layer with trainable parameters of its own is not understood, or None."""
    if type(layer) not in KINDS:
        return f"is {type(layer).__name__}, whose per-example gradients are not known"
    if set(layer._parameters) - {"weight", "bias"} or any(hook for hook in layer._forward_pre_hooks.values()):
        return f"is {type(layer).__name__} with parameters or hooks of its own making"
    if isinstance(layer, nn.Embedding) and (layer.max_norm is not None or layer.scale_grad_by_freq):
        return "is Embedding with max_norm or scale_grad_by_freq, which depend on the whole batch"
    return None
