"""Per-example Jacobians, measured and summed: from what each layer saw, or, for other layers, by `torch.func`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn
from torch.func import jacrev, vmap

from wassdp.full_precision import refuse_few_digits
from wassdp.training.clipping import gram as _gram
from wassdp.training.clipping import layers as _layers
from wassdp.training.clipping import parts as _parts
from wassdp.training.clipping import recording
from wassdp.training.clipping.places import called_with
from wassdp.training.engines import Loss, losses_of

HELD = 1 << 24
"""Numbers of the Jacobians that `Functional` holds at a time."""

Calls = dict[str, list[list[_layers.Call]]]
"""Of each layer, for every output its calls."""


@dataclass(frozen=True)
class JacobianPart:
    """Some examples of one group, whose forward pass is done and whose graph is kept.

    Args:
        inputs: of the model.
        targets: of the loss; None without one.
        output: what the model gave.
        outputs: what of it is compared, shape (n, d).
        losses: shape (n,); None without a loss.
        loss: what gave the losses; None without one.
        seen: what the layers saw, where that is recorded.
    """

    inputs: Tensor
    targets: Tensor | None
    output: Any
    outputs: Float[Tensor, "n d"]
    losses: Float[Tensor, " n"] | None
    loss: Loss | None
    seen: list[recording.Seen]


@dataclass(frozen=True)
class Measured:
    """The R gradients of each example of a part: of all outputs (if wanted), then of the loss (if wanted).

    Args:
        gram: their inner products.
        reach: of each, how large the terms are that it is a sum of: they may cancel.
        weighted: weights to the sum of all gradients, each times its weight, in the order of the parameters. Of the
            very numbers that ``gram`` measured, since what is rounded otherwise is not bounded by it. An example whose
            weights are all 0 is left out, whatever its gradients are.
    """

    gram: Float64[Tensor, "n R R"]
    reach: Float64[Tensor, "n R"]
    weighted: Callable[[Float64[Tensor, "n R"]], Float64[Tensor, " dim"]]


class Jacobians(Protocol):
    """One way to the gradients."""

    def forward(self, inputs: Tensor) -> tuple[Any, list[recording.Seen]]:
        """The model's output, and what its layers saw."""

    def check(self, part: JacobianPart) -> None:
        """Refuse a part whose outputs or losses depend on parameters in a way that `measured` does not see."""

    def together(self, seen: list[recording.Seen], *, count: int, device: torch.device) -> int:
        """Examples of a part, ``count`` gradients of each of which are held at a time.

        Args:
            seen: what the layers saw of one example.
            count: R.
            device: of the inputs.
        """

    def measured(self, part: JacobianPart, *, outputs: bool, losses: bool) -> Measured:
        """The gradients of all outputs (if wanted), then of the loss (if wanted)."""


def outputs_of(output: Any) -> Float[Tensor, "n d"]:
    """What is compared: the model's output, or the first of several; one number for each example is one column.

    Raises:
        ValueError: it has more than two dimensions, or fewer digits than single precision.
    """
    compared = output if isinstance(output, Tensor) else output[0]
    if compared.ndim not in (1, 2) or not compared.is_floating_point():
        raise ValueError(f"model: its output has shape {tuple(compared.shape)}: must be (examples,) or (examples, d)")
    # One record moves the others' pull on a distance, each by its rounding.
    refuse_few_digits("model: its output is", compared.dtype)
    return compared[:, None] if compared.ndim == 1 else compared


class Recorded:
    """For the layers of `wassdp.training.clipping.layers`: one backward pass through the activations for each output.

    Raises:
        ValueError: a layer is not of that kind, or shares a parameter with another.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.layers = recording.trainable_layers(model)

    def forward(self, inputs: Tensor) -> tuple[Any, list[recording.Seen]]:
        recorded = recording.forward(self.model, self.layers, inputs, examples=len(inputs))
        return recorded.outputs, recorded.seen

    def check(self, part: JacobianPart) -> None:
        values = [part.outputs] if part.losses is None else [part.outputs, part.losses]
        recording.refuse_hidden_uses(values, self.layers, [call.layer for call in part.seen])

    def together(self, seen: list[recording.Seen], *, count: int, device: torch.device) -> int:
        held = max((call.held for call in seen), default=1)
        return max(1, _parts.BYTES[device.type == "cpu"] // (held * count))

    def measured(self, part: JacobianPart, *, outputs: bool, losses: bool) -> Measured:
        gradients = []
        if outputs:
            for column in torch.eye(part.outputs.shape[1], dtype=part.outputs.dtype, device=part.outputs.device):
                weights = column.expand_as(part.outputs)
                gradients.append(recording.backward(part.outputs, weights, part.seen, retain=True))
        if losses:
            assert part.losses is not None, "the caller has a loss"
            ones = torch.ones_like(part.losses)
            gradients.append(recording.backward(part.losses, ones, part.seen, retain=True))
        by_output = [recording.calls(part.seen, each) for each in _filled(gradients)]
        shape = (len(part.outputs), len(gradients), len(gradients))
        gram = torch.zeros(shape, dtype=torch.float64, device=part.outputs.device)
        reach = torch.zeros_like(gram[:, 0])
        calls: Calls = {}
        for name in by_output[0]:
            layer = self.layers[name]
            dtype = next(each.dtype for each in layer.parameters(recurse=False))
            calls[name] = [[call.to(dtype) for call in each[name]] for each in by_output]
            gram += _gram.of_layer(layer, calls[name])
            reach += _gram.squared_reach(layer, calls[name])
        reach = torch.maximum(reach, gram.diagonal(dim1=1, dim2=2))
        return Measured(gram, reach.sqrt(), lambda weights: self._weighted(calls, weights))

    def _weighted(self, calls: Calls, weights: Float64[Tensor, "n R"]) -> Float64[Tensor, " dim"]:
        without = (weights == 0).all(dim=1).nonzero().flatten()
        totals = {
            parameter: torch.zeros_like(parameter, dtype=torch.float64, requires_grad=False).flatten()
            for parameter in self.model.parameters()
            if parameter.requires_grad
        }
        with torch.no_grad():
            for name, outputs in calls.items():
                layer = self.layers[name]
                wanted = {kind: totals[each] for kind, each in layer.named_parameters(recurse=False) if each in totals}
                _gram.add_weighted(layer, [_layers.without(each, without) for each in outputs], weights, wanted)
        return torch.cat(list(totals.values()))


def _filled(gradients: list[tuple[Tensor | None, ...]]) -> list[list[Tensor | None]]:
    """Zeros where a call has no part in one output and some part in another: the same calls for every output."""
    filled: list[list[Tensor | None]] = [[] for _ in gradients]
    for of_call in zip(*gradients, strict=True):
        some = next((gradient for gradient in of_call if gradient is not None), None)
        for column, gradient in zip(filled, of_call, strict=True):
            column.append(torch.zeros_like(some) if gradient is None and some is not None else gradient)
    return filled


class Functional:
    """For every layer that `torch.func.vmap` understands; Jacobians are held, a part's at a time.

    The model must not draw random numbers: each pass would draw others. Of what a layer sums nothing is known, so that
    the length of a gradient stands for the size of its terms.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.trained = [name for name, parameter in model.named_parameters() if parameter.requires_grad]

    def forward(self, inputs: Tensor) -> tuple[Any, list[recording.Seen]]:
        return self.model(inputs), []

    def check(self, part: JacobianPart) -> None:
        if part.loss is None:
            return
        assert part.targets is not None, "there is a loss"
        with torch.no_grad():
            outputs = self.model(part.inputs[:1])
        if losses_of(part.loss, outputs, part.targets[:1]).requires_grad:
            raise ValueError("loss: depends on parameters beside the model's outputs; must be a function of those")

    def together(self, seen: list[recording.Seen], *, count: int, device: torch.device) -> int:
        size = sum(parameter.numel() for parameter in self.model.parameters() if parameter.requires_grad)
        return max(1, HELD // (count * size))

    def measured(self, part: JacobianPart, *, outputs: bool, losses: bool) -> Measured:
        parameters = {name: parameter.detach() for name, parameter in self.model.named_parameters()}
        trained = {name: parameters.pop(name) for name in self.trained}

        def rows(trained: dict[str, Tensor], value: Tensor, target: Tensor) -> Tensor:
            found = called_with(self.model, parameters | trained, value[None])
            parts = [outputs_of(found)[0]] if outputs else []
            if losses:
                assert part.loss is not None, "the caller has a loss"
                parts.append(losses_of(part.loss, found, target[None]))
            return torch.cat(parts)

        targets = part.inputs if part.targets is None else part.targets
        try:
            found = vmap(jacrev(rows), in_dims=(None, 0, 0), randomness="error")(trained, part.inputs, targets)
        except RuntimeError as error:
            if "vmap" not in str(error):
                raise
            raise ValueError(f"model: torch.func cannot vectorise it: {str(error).splitlines()[0]}") from error
        count = part.outputs.shape[1] * outputs + losses
        flat = torch.cat([found.pop(name).reshape(len(part.inputs), count, -1) for name in self.trained], dim=2)
        held = flat.double()
        gram = held @ held.mT

        def weighted(weights: Float64[Tensor, "n R"]) -> Float64[Tensor, " dim"]:
            some = (weights != 0).any(dim=1)
            chosen = held if bool(some.all()) else held[some]
            return weights[some].flatten() @ chosen.flatten(end_dim=1)

        return Measured(gram, gram.diagonal(dim1=1, dim2=2).sqrt(), weighted)


def of(model: nn.Module, method: str) -> Jacobians:
    """The way to the gradients of ``model``: ``recorded``, ``functional``, or ``auto``, the first that can.

    Raises:
        ValueError: the model has a layer that ``recorded`` does not know.
    """
    if method == "functional":
        return Functional(model)
    try:
        return Recorded(model)
    except ValueError as error:
        if method == "recorded":
            raise
        reason = str(error).removesuffix("; use another engine")
        warnings.warn(f"{reason}; its Jacobians are computed by torch.func, which is slower", stacklevel=3)
        return Functional(model)
