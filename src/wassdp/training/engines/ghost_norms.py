"""Clipped sums from what each layer saw in one forward and one backward pass."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp.mechanisms.dpsgd import clip_factors
from wassdp.training.engines import ClippedSum, Loss, _layers, _recording, refuse_mixing, usable
from wassdp.training.engines._per_example import PerExample, norm_without_overflow

FIRST = 16
"""Examples in a call's first part; what its layers held says how many fit in the next."""

BYTES = {True: 8 * 2**20, False: 2**28}
"""About what one layer may hold of a part: on a processor (True) what its caches hold, elsewhere more."""


class Engine:
    r"""Norms without gradients where that is cheaper, and no second backward pass.

    A layer's gradient is a sum over positions of its output's gradient times its input. Both are
    recorded; the norms follow from them (`_per_example`), and the clipped sum is one more product of
    the inputs with the output gradients, scaled by each example's clip factor.

    An example's clip factor depends on no other example, so a batch is worked off in parts that stay in
    the processor's caches.

    Source: ghost norms, Li et al. (2022), arXiv:2110.05679; book-keeping, Bu et al. (2023), Differentially
    Private Optimization on Large Model at Small Cost, arXiv:2210.00038.

    Args:
        model: hooks are there during a call only.

    Raises:
        ValueError: a layer mixes examples, is of a kind that is not understood, or shares a parameter with another.
    """

    def __init__(self, model: nn.Module) -> None:
        refuse_mixing(model)
        self.model = model
        self.names = {each: name for name, each in model.named_parameters() if each.requires_grad}
        self.layers = _recording.trainable_layers(model)
        self.on_images = any(isinstance(layer, nn.Conv2d) for layer in model.modules())

    def clipped_gradient_sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        usable(clip_norm, self.model)
        self.model.train()
        total = torch.cat([torch.zeros_like(each).flatten() for each in self.names])
        summed, done, part = torch.zeros_like(total[:1]).sum(), 0, FIRST
        inputs, targets = batch
        while done < len(targets):
            here = inputs[done : done + part]
            here = _channels_last(here) if self.on_images else here
            losses, calls = _recording.record(self.model, self.layers, loss, (here, targets[done : done + part]))
            with torch.no_grad(), _full_precision(here.device):
                found = self._gradients(calls)
                self._add(found, clip_norm, total)
                summed = summed + losses.sum()
            held = [call.outputs.nbytes for seen in calls.values() for call in seen]
            held += [each.scratch() * total.itemsize for each in found.values()]
            done += len(losses)
            fitting = BYTES[here.device.type == "cpu"] * len(losses) // max(held, default=1)
            part = _equal_part(len(targets) - done, most=max(FIRST, fitting))
        if not bool(torch.isfinite(total).all()):
            raise FloatingPointError("the sum of the clipped gradients is not finite")
        return ClippedSum(total=total, loss=float(summed))

    def _add(self, found: dict[nn.Parameter, PerExample], clip_norm: float, total: Tensor) -> None:
        if not found:
            return
        factors = clip_factors(self._norms(found), clip_norm=clip_norm)
        parts = total.split([each.numel() for each in self.names])
        for parameter, part in zip(self.names, parts, strict=True):
            if parameter in found:
                found[parameter].add_weighted(factors, part)

    def _gradients(self, calls: dict[str, list[_layers.Call]]) -> dict[nn.Parameter, PerExample]:
        found: dict[nn.Parameter, PerExample] = {}
        for name, seen in calls.items():
            layer = self.layers[name]
            dtype = next(each.dtype for each in layer.parameters(recurse=False))
            by_kind = _layers.KINDS[type(layer)](layer, [call.to(dtype) for call in seen])
            for kind, parameter in layer._parameters.items():
                if parameter is not None and parameter.requires_grad:
                    found[parameter] = by_kind[kind]
        return found

    def _norms(self, gradients: dict[nn.Parameter, PerExample]) -> Float[Tensor, " n"]:
        norms = torch.stack([each.squared_norms() for each in gradients.values()]).sum(dim=0).sqrt()
        chosen = (~torch.isfinite(norms)).nonzero().flatten()
        if len(chosen) == 0:
            return norms
        exact = {parameter: each.exact_norms(chosen) for parameter, each in gradients.items()}
        found = norm_without_overflow(torch.stack(list(exact.values()), dim=1)).to(norms.dtype)
        if not bool(torch.isfinite(found).all()):
            bad = ~torch.isfinite(found)
            where = [self.names[each] for each, value in exact.items() if not bool(torch.isfinite(value).all())]
            raise FloatingPointError(
                f"{int(bad.sum())} of {len(norms)} gradient norms are not finite"
                + (f", by the gradient of {where[0]!r} first" if where else "")
            )
        return norms.index_copy(0, chosen, found)


@contextlib.contextmanager
def _full_precision(device: torch.device) -> Iterator[None]:
    """Without TF32, whose factors have 10 bits: norms and clipped sums that differ by that much are not clipped."""
    if device.type == "cpu":
        yield
        return
    before, cudnn = torch.get_float32_matmul_precision(), torch.backends.cudnn
    torch.set_float32_matmul_precision("highest")
    try:
        with cudnn.flags(
            enabled=cudnn.enabled, benchmark=cudnn.benchmark, deterministic=cudnn.deterministic, allow_tf32=False
        ):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def _channels_last(inputs: Tensor) -> Tensor:
    """Images with their channels last in memory, which a processor's convolutions and poolings run fastest on."""
    if inputs.ndim != 4 or inputs.device.type != "cpu":
        return inputs
    _, channels, height, width = inputs.shape
    # One channel is in both orders at once; the strides say which one is meant.
    strides = (channels * height * width, 1, width * channels, channels)
    return inputs.contiguous(memory_format=torch.channels_last).as_strided(inputs.shape, strides)


def _equal_part(left: int, *, most: int) -> int:
    """Size of equal parts: a small last one costs as much overhead as a full one."""
    return math.ceil(left / max(1, math.ceil(left / most)))
