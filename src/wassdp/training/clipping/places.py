"""A model as a function of its parameters, shared layers and shared parameters included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.func import functional_call


def called_with(model: nn.Module, values: Mapping[str, Tensor], inputs: Tensor) -> Any:
    """The model's output with ``values`` for its parameters, by the names of ``model.named_parameters()``.

    A parameter of two layers gets its value in both; a layer used twice gets each value once: torch's own treatment of
    shared parameters would leave the values in it afterwards, in the place of its parameters.
    """
    by_parameter = {parameter: values[name] for name, parameter in model.named_parameters()}
    places = {
        f"{prefix}.{kind}" if prefix else kind: by_parameter[parameter]
        for prefix, layer in model.named_modules()
        for kind, parameter in layer._parameters.items()
        if parameter is not None
    }
    return functional_call(model, places, (inputs,), tie_weights=False)
