"""What the engines that use Opacus share: wrapping a model, calling it, and leaving nothing behind."""

from __future__ import annotations

import abc
import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from jaxtyping import Float
from opacus.grad_sample.gsm_base import AbstractGradSampleModule
from torch import Tensor, nn

from wassdp.training.clipping.tried import Tried
from wassdp.training.engines import ClippedSum, Loss, empty_sum, losses_of


class Wrapped(Tried):
    """A model whose layers Opacus follows.

    Args:
        model: its layers' forward hooks are used; the model itself stays callable as before.
        wrapper: the class of Opacus that follows it.

    Raises:
        ValueError: a layer mixes examples, or Opacus refuses the model.
    """

    hooked = True

    def __init__(self, model: nn.Module, wrapper: type[AbstractGradSampleModule]) -> None:
        super().__init__(model)
        refuse_wrong(model)
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        try:
            self.wrapped = wrapper(model, batch_first=True, loss_reduction="sum")
        except NotImplementedError as error:
            raise ValueError(f"model: refused by Opacus: {error}") from error

    def _call(self, inputs: Tensor) -> Any:
        self.wrapped.disable_hooks()  # until the next sum: what is differentiated here is not to be followed either
        with quiet():
            return outputs(self.wrapped, self.model, inputs)

    def _sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        inputs, targets = batch
        if len(targets) == 0:  # which not every layer accepts
            return self._nothing()
        self.wrapped.train()
        self.wrapped.enable_hooks()
        try:
            with quiet():
                return self._followed(loss, inputs, targets, clip_norm)
        finally:
            forget(self.wrapped, self.model)

    @abc.abstractmethod
    def _followed(self, loss: Loss, inputs: Tensor, targets: Tensor, clip_norm: float) -> ClippedSum:
        """The sum of a batch, while Opacus follows the layers."""

    def _losses(self, loss: Loss, inputs: Tensor, targets: Tensor) -> Float[Tensor, " batch"]:
        return losses_of(loss, outputs(self.wrapped, self.model, inputs), targets)

    def _nothing(self) -> ClippedSum:
        return ClippedSum(total=empty_sum(self.parameters), loss=0.0)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the warning, at every step, that the gradient of the inputs is absent: Opacus does not need it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Full backward hook is firing")
        yield


def refuse_wrong(model: nn.Module) -> None:
    """Check that no trained layer is one for which Opacus (1.6.0) computes another gradient than torch.

    Raises:
        ValueError: a layer is; the message names it.
    """
    for name, layer in model.named_modules():
        if not any(parameter.requires_grad for parameter in layer.parameters(recurse=False)):
            continue
        wrong = None
        if isinstance(layer, nn.modules.conv._ConvNd) and layer.padding_mode != "zeros":
            wrong = f"padding_mode = {layer.padding_mode!r}, in whose place Opacus takes zeros"
        if isinstance(layer, nn.Embedding) and layer.padding_idx is not None:
            wrong = f"padding_idx = {layer.padding_idx!r}, whose gradient Opacus does not leave out"
        if wrong:
            raise ValueError(f"model: layer {name!r} is {type(layer).__name__} with {wrong}; use another engine")


def outputs(wrapped: AbstractGradSampleModule, model: nn.Module, inputs: Tensor) -> Tensor:
    """The model's outputs.

    Raises:
        ValueError: Opacus refuses the way in which the model uses a layer.
    """
    try:
        result: Tensor = wrapped(inputs)
    except NotImplementedError as error:
        for name, layer in model.named_modules():
            if any(getattr(weight, "_forward_counter", 0) > 1 for weight in layer.parameters(recurse=False)):
                raise ValueError(f"model: layer {name!r} is refused by Opacus: {error}") from error
        raise ValueError(f"model: refused by Opacus: {error}") from error
    except RuntimeError as error:
        if "BackwardHookFunction is a view" not in str(error):
            raise
        raise ValueError("model: changes a layer's output in place, which Opacus's hooks cannot follow") from error
    return result


def forget(wrapped: AbstractGradSampleModule, model: nn.Module) -> None:
    """Remove what a step leaves behind: were it refused halfway, the next step would take it for its own."""
    wrapped.enable_hooks()
    wrapped.zero_grad(set_to_none=True)
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.__dict__.pop("_current_grad_sample", None)
            parameter.__dict__["_forward_counter"] = 0
    for layer in model.modules():
        layer.__dict__.pop("activations", None)
        layer.__dict__.pop("max_batch_len", None)
