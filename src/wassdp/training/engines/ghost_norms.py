"""Clipped sums from what each layer saw in one forward and one backward pass."""

from __future__ import annotations

import functools

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from wassdp.full_precision import full_precision
from wassdp.mechanisms.dpsgd import clip_factors
from wassdp.training.clipping import layers, recording
from wassdp.training.clipping import parts as _parts
from wassdp.training.clipping.per_example import PerExample, norm_without_overflow
from wassdp.training.clipping.tried import Tried
from wassdp.training.engines import ClippedSum, Loss, empty_sum, finite_sum

Calls = dict[str, list[layers.Call]]
Gradients = dict[nn.Parameter, PerExample]


class GhostNormsEngine(Tried):
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
        super().__init__(model)
        self.names = {parameter: name for name, parameter in model.named_parameters() if parameter.requires_grad}
        self.layers = recording.trainable_layers(model)
        self.dtype = functools.reduce(torch.promote_types, (each.dtype for each in self.names), torch.float32)
        self.on_images = any(isinstance(layer, nn.Conv2d) for layer in model.modules())

    def _together(self, examples: int) -> int:
        return min(examples, _parts.FIRST)

    def _sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        total = empty_sum(self.names)
        summed, zeroed, done, part = total.new_zeros(()), 0, 0, _parts.FIRST
        inputs, targets = batch
        while done < len(targets):
            here = inputs[done : done + part]
            here = _parts.channels_last(here) if self.on_images else here
            losses, calls = recording.record(self.model, self.layers, loss, (here, targets[done : done + part]))
            with torch.no_grad(), full_precision(here.device):
                scratch, lost = self._add(calls, clip_norm, total)
                summed = summed + finite_sum(losses)
            held = [call.outputs.nbytes for seen in calls.values() for call in seen]
            held += [count * self.dtype.itemsize for count in scratch]
            done, zeroed = done + len(losses), zeroed + lost
            fitting = _parts.BYTES[here.device.type == "cpu"] * len(losses) // max(held, default=1)
            part = _parts.equal_part(len(targets) - done, most=max(_parts.FIRST, fitting))
            self._try(loss, batch, together=min(part, len(targets) - done))
        return ClippedSum(total=total, loss=float(summed), zeroed=zeroed)

    def _add(self, calls: Calls, clip_norm: float, total: Tensor) -> tuple[list[int], int]:
        """Add what these calls' examples give; numbers held for it, and how many examples count as zero."""
        gradients, lost = self._gradients(calls), 0
        if not gradients:
            return [], 0
        norms = self._quick_norms(gradients)
        if len(doubtful := (~torch.isfinite(norms)).any(dim=0).nonzero().flatten()):
            lost = self._add_slowly(_chosen(calls, doubtful), clip_norm, total)
            gradients = self._gradients(_without(calls, doubtful))
            norms = self._quick_norms(gradients)
        self._add_clipped(gradients, norms, clip_norm, total)
        return [form.scratch() for form in gradients.values()], lost

    def _add_slowly(self, calls: Calls, clip_norm: float, total: Tensor) -> int:
        """Add gradients as they are, one after the other, each clipped by its own norm; how many count as zero.

        In double precision, which holds the products of all that single precision holds. What is added is what was
        measured: terms that cancel leave another rounding in another order of summation, which no clip factor bounds.
        """
        count, lost = len(next(iter(calls.values()))[0].outputs), 0
        held = torch.ones(count, dtype=torch.bool, device=total.device)
        if self.dtype == torch.float64:
            held = ~_extreme(calls, torch.arange(count, device=total.device))
        added = torch.zeros_like(total)
        for example in range(count):
            forms = self._gradients(_chosen(calls, torch.tensor([example], device=total.device)), torch.float64)
            rows = {parameter: form.row(0) for parameter, form in forms.items()}
            together = [torch.cat([rows[parameter] for parameter in some])[None] for some in self._apart(forms)]
            norms = torch.cat([norm_without_overflow(row) for row in together])
            # Longer gradients than this are none in the precision of the model.
            if not (bool(held[example]) and bool(torch.isfinite(norms.to(self.dtype)).all())):
                lost += 1
                continue
            parts = dict(zip(self.names, added.split([parameter.numel() for parameter in self.names]), strict=True))
            factors = clip_factors(norms, clip_norm=clip_norm).tolist()
            for some, factor in zip(self._apart(forms), factors, strict=True):
                for parameter in some:
                    parts[parameter] += factor * rows[parameter]
        total += added
        return lost

    def _add_clipped(self, gradients: Gradients, norms: Float[Tensor, "m n"], clip_norm: float, total: Tensor) -> None:
        parts = dict(zip(self.names, total.split([parameter.numel() for parameter in self.names]), strict=True))
        for together, lengths in zip(self._apart(gradients), norms, strict=True):
            factors = clip_factors(lengths, clip_norm=clip_norm)
            for parameter in together:
                gradients[parameter].add_weighted(factors, parts[parameter])

    def _apart(self, gradients: Gradients) -> list[list[nn.Parameter]]:
        """The m sets of parameters whose gradient is clipped together."""
        return [list(gradients)]

    def _gradients(self, calls: Calls, dtype: torch.dtype | None = None) -> Gradients:
        gradients: Gradients = {}
        for name, seen in calls.items():
            layer = self.layers[name]
            wanted = dtype or next(parameter.dtype for parameter in layer.parameters(recurse=False))
            by_kind = layers.KINDS[type(layer)](layer, [call.to(wanted) for call in seen])
            for kind, parameter in layer._parameters.items():
                if parameter is not None and parameter.requires_grad:
                    gradients[parameter] = by_kind[kind]
        return gradients

    def _quick_norms(self, gradients: Gradients) -> Float[Tensor, "m n"]:
        """NaN or infinite where a norm cannot be told quickly."""
        squares = [
            torch.stack([gradients[parameter].squared_norms() for parameter in some]).sum(dim=0)
            for some in self._apart(gradients)
        ]
        return torch.stack(squares).sqrt()


def _extreme(calls: Calls, rows: Int64[Tensor, " k"]) -> Bool[Tensor, " k"]:
    """Whether an example's calls hold numbers whose products leave the range of their type, or no numbers at all."""
    extreme = torch.zeros(len(rows), dtype=torch.bool, device=rows.device)
    for seen in calls.values():
        for call in seen:
            for values in (call.inputs, call.outputs):
                if values.is_floating_point():
                    most = torch.finfo(values.dtype).max ** 0.4
                    extreme |= ~(values[rows].abs().flatten(start_dim=1) <= most).all(dim=1)
    return extreme


def _chosen(calls: Calls, rows: Int64[Tensor, " k"]) -> Calls:
    """Calls of these examples only."""
    return {name: [layers.Call(call.inputs[rows], call.outputs[rows]) for call in seen] for name, seen in calls.items()}


def _without(calls: Calls, rows: Int64[Tensor, " k"]) -> Calls:
    return {name: layers.without(seen, rows) for name, seen in calls.items()}
