"""Clipped sums from what each layer saw in one forward and one backward pass."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp.mechanisms.dpsgd import clip_factors
from wassdp.training.engines import ClippedSum, Loss, _layers, _parts, _recording, refuse_mixing, usable
from wassdp.training.engines._per_example import PerExample, norm_without_overflow


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
        summed, done, part = torch.zeros_like(total[:1]).sum(), 0, _parts.FIRST
        inputs, targets = batch
        while done < len(targets):
            here = inputs[done : done + part]
            here = _parts.channels_last(here) if self.on_images else here
            losses, calls = _recording.record(self.model, self.layers, loss, (here, targets[done : done + part]))
            with torch.no_grad(), _parts.full_precision(here.device):
                found = self._gradients(calls)
                self._add(found, clip_norm, total)
                summed = summed + losses.sum()
            held = [call.outputs.nbytes for seen in calls.values() for call in seen]
            held += [each.scratch() * total.itemsize for each in found.values()]
            done += len(losses)
            fitting = _parts.BYTES[here.device.type == "cpu"] * len(losses) // max(held, default=1)
            part = _parts.equal_part(len(targets) - done, most=max(_parts.FIRST, fitting))
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
