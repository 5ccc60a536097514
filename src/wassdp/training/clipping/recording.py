"""One forward and one backward pass that keep what each layer saw: its input, and its output's gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from wassdp.training.clipping import layers as _layers
from wassdp.training.engines import Loss, losses_of


@dataclass(frozen=True)
class Seen:
    """One call of a layer: its input, and where its output's gradient is found."""

    layer: str
    inputs: Tensor
    version: int
    held: int  # bytes of input and output
    output: Any  # torch.autograd.graph.GradientEdge: later in-place changes of the output do not move it


def trainable_layers(model: nn.Module) -> dict[str, nn.Module]:
    """Layers that own trainable parameters, by name, all of them understood.

    Raises:
        ValueError: one is not understood, or a parameter belongs to two layers; the message names them.
    """
    trained: dict[str, nn.Module] = {}
    owner: dict[nn.Parameter, str] = {}
    for name, layer in model.named_modules():
        parameters = [
            parameter for parameter in layer._parameters.values() if parameter is not None and parameter.requires_grad
        ]
        if not parameters:
            continue
        if reason := _layers.refusal(layer):
            raise ValueError(f"model: layer {name!r} {reason}; use another engine")
        for parameter in parameters:
            if parameter in owner:
                raise ValueError(
                    f"model: layer {name!r} shares a parameter with layer {owner[parameter]!r}; use another engine"
                )
            owner[parameter] = name
        trained[name] = layer
    return trained


@dataclass(frozen=True)
class Forward:
    """A model's output, and what its layers saw on the way to it."""

    outputs: Any
    seen: list[Seen]


def forward(model: nn.Module, layers: Mapping[str, nn.Module], inputs: Tensor, *, examples: int) -> Forward:
    """The model's output for ``examples`` inputs, every call of every layer kept.

    Raises:
        ValueError: a layer is used in a way that its calls do not show.
    """
    seen: list[Seen] = []

    def hook(name: str) -> Any:
        def keep(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            values = args[0] if args else kwargs["input"]
            if not output.requires_grad:
                raise ValueError(f"model: layer {name!r} ran without recording gradients; use another engine")
            if values.shape[0] != examples or output.shape[0] != examples:
                raise ValueError(
                    f"model: layer {name!r} has an input of shape {tuple(values.shape)}: "
                    f"must have the {examples} examples first"
                )
            edge = torch.autograd.graph.get_gradient_edge(output)
            seen.append(Seen(name, values.detach(), values._version, values.nbytes + output.nbytes, edge))

        return keep

    handles = [layer.register_forward_hook(hook(name), with_kwargs=True) for name, layer in layers.items()]
    try:
        return Forward(model(inputs), seen)
    finally:
        for handle in handles:
            handle.remove()


def backward(
    value: Tensor, weights: Tensor, seen: Sequence[Seen], *, retain: bool = False
) -> tuple[Tensor | None, ...]:
    """The gradient of the weighted sum of ``value`` in each call's output; None where it does not depend on it.

    Gradients are asked for in the layers' outputs only, so that torch computes none in the weights,
    and none in the inputs of the first layer.
    """
    return torch.autograd.grad(
        value, [call.output for call in seen], grad_outputs=weights, allow_unused=True, retain_graph=retain
    )


def calls(seen: Sequence[Seen], gradients: Sequence[Tensor | None]) -> dict[str, list[_layers.Call]]:
    """The calls of each layer, with these gradients in their outputs; calls without one are left out.

    Raises:
        ValueError: an input was changed in place.
    """
    by_layer: dict[str, list[_layers.Call]] = {}
    for call, gradient in zip(seen, gradients, strict=True):
        if call.inputs._version != call.version:
            raise ValueError(f"model: the input of layer {call.layer!r} was changed in place; use another engine")
        if gradient is not None:
            by_layer.setdefault(call.layer, []).append(_layers.Call(call.inputs, gradient))
    return by_layer


def record(
    model: nn.Module, layers: Mapping[str, nn.Module], loss: Loss, batch: tuple[Tensor, Tensor]
) -> tuple[Tensor, dict[str, list[_layers.Call]]]:
    """The losses, and the calls of each layer.

    Raises:
        ValueError: the loss is not per-example, or a layer is used in a way that its calls do not show.
    """
    inputs, targets = batch
    recorded = forward(model, layers, inputs, examples=len(targets))
    losses = losses_of(loss, recorded.outputs, targets)
    refuse_hidden_uses([losses], layers, [call.layer for call in recorded.seen])
    return losses.detach(), calls(recorded.seen, backward(losses, torch.ones_like(losses), recorded.seen))


def refuse_hidden_uses(values: Sequence[Tensor], layers: Mapping[str, nn.Module], called: Sequence[str]) -> None:
    """Check that ``values`` depend on the layers' parameters through the layers' calls only.

    Args:
        values: roots of the graph.
        layers: by name.
        called: a layer's name for each of its calls.

    Raises:
        ValueError: a parameter is read outside its layer's call (tied by hand, a penalty in the loss), so that it has
            a gradient that hooks miss.
    """
    uses: Counter[Any] = Counter()
    waiting = [value.grad_fn for value in values]
    known = set(waiting)
    while waiting:
        node = waiting.pop()
        for following, _ in node.next_functions if node is not None else ():
            if following is None:
                continue
            if not following.next_functions:
                uses[getattr(following, "variable", None)] += 1
            elif following not in known:
                known.add(following)
                waiting.append(following)
    counts = Counter(called)
    for name, layer in layers.items():
        for kind, parameter in layer._parameters.items():
            if parameter is not None and uses[parameter] > counts[name]:
                raise ValueError(f"model: {kind} of layer {name!r} is used outside the layer; use another engine")
