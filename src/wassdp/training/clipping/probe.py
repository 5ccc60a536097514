"""Whether clipping bounds what one example does: model, loss and engine are tried on made-up examples before first use.

Nothing of it depends on a record, so that a refusal says nothing about one, nor does the time it takes.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from wassdp.finite import all_finite
from wassdp.full_precision import full_precision
from wassdp.training.clipping import random, recording
from wassdp.training.clipping.layers import KINDS
from wassdp.training.clipping.modes import WithoutDropout, WithoutReading
from wassdp.training.engines import Loss, per_example

EXAMPLES = 4
MORE = 33
"""Examples of a larger batch, in which the first must come out as they do in a small one."""

CLOSE = 1e-3
"""Share of its size by which a number may differ between two ways to compute it: single precision, deep networks."""

FRESH = 2
"""Sets of weights that are tried besides the model's own, where a use may be hidden by a factor that is zero."""

AT_ONCE = 2**20
"""Made-up numbers that are drawn in double precision at a time: those of a large batch take twice its memory."""

MIXES = "so that no gradient belongs to one example; no layer and no loss may use other examples of the batch"


@dataclass(frozen=True)
class Made:
    """Made-up examples: inputs and targets in the shapes of real ones."""

    inputs: Tensor
    targets: Tensor | None

    def __getitem__(self, places: slice | Tensor) -> Made:
        return Made(self.inputs[places], None if self.targets is None else self.targets[places])

    def with_one(self, place: int, other: Made, factor: float = 1.0) -> Made:
        """With another example in one place; ``factor`` multiplies its inputs where they are no indices."""
        inputs = self.inputs.clone()
        inputs[place] = other.inputs[place] * factor if inputs.is_floating_point() else other.inputs[place]
        targets = self.targets
        if targets is not None and other.targets is not None:
            targets = targets.clone()
            targets[place] = other.targets[place]
        return Made(inputs, targets)


Compare = Callable[[Made], str | None]
"""What an engine computes of examples, against automatic differentiation of one at a time; the difference in words."""


class Probe:
    """Tries a model once for every shape of its inputs and every loss.

    Args:
        model: its weights are others for the time of a trial; afterwards all is as before, random numbers included.
        call: calls the model.
        hooked: gradients are followed by hooks on layers, so that a weight used elsewhere escapes them.
    """

    def __init__(self, model: nn.Module, *, call: Callable[[Tensor], Any] | None = None, hooked: bool = False) -> None:
        self.model, self.call, self.hooked = model, call or model, hooked
        self._tried: dict[Hashable, tuple[int, Any]] = {}  # the largest batch, and what must not be freed
        self._trying = False

    def __call__(
        self, loss: Loss | None, inputs: Tensor, targets: Tensor | None, compare: Compare, *, together: int
    ) -> None:
        """Refuse a model that mixes examples, or whose gradients the engine gets wrong.

        Args:
            loss: one loss for each example; None if there is none.
            inputs: in the shape of real ones; their values are not looked at.
            targets: likewise; None without a loss.
            compare: the engine's own comparison.
            together: examples that the model is about to see at once.

        Raises:
            ValueError: naming what is wrong.
            FloatingPointError: a trained weight is not finite.
        """
        if self._trying:
            return  # a comparison uses the engine itself
        key = (self._setting(), _shape(inputs), _shape(targets), _identity(loss))
        largest = self._tried.get(key, (0, None))[0]
        if largest >= together:
            return
        values = _Values(self.call, loss)
        with self._undisturbed(inputs.device):
            try:
                if not largest:
                    self._try(values, inputs, targets, compare)
                    self._refuse_dependence_on_size(values, inputs, targets, largest := MORE)
                if together > largest:
                    largest = 2 ** math.ceil(math.log2(together))
                    self._refuse_dependence_on_size(values, inputs, targets, largest)
            except (RuntimeError, IndexError) as error:
                raise ValueError(
                    f"model: cannot be tried on made-up inputs of shape {tuple(inputs.shape[1:])}: "
                    + str(error).splitlines()[0].split(". ")[0]
                ) from error
        self._tried[key] = (largest, (loss, getattr(loss, "__closure__", None)))

    def _setting(self) -> Hashable:
        trained = tuple(parameter.requires_grad for parameter in self.model.parameters())
        return trained, tuple(layer.training for layer in self.model.modules())

    @contextlib.contextmanager
    def _undisturbed(self, device: torch.device) -> Iterator[None]:
        drawn, weights = random.state(device), {parameter: parameter.data for parameter in self.model.parameters()}
        self._trying = True
        try:
            with torch.enable_grad(), full_precision(device), WithoutDropout():
                yield
        finally:
            for parameter, value in weights.items():
                parameter.data = value
            random.restore(drawn, device)
            self._trying = False

    def _try(self, values: _Values, inputs: Tensor, targets: Tensor | None, compare: Compare) -> None:
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        if not all(all_finite(parameter) for parameter in trained):
            raise FloatingPointError("a weight is not finite")
        generator = torch.Generator().manual_seed(0)
        weights = [parameter.data for parameter in trained]
        for fresh in range(FRESH + 1):
            if fresh:
                for parameter, value in zip(trained, weights, strict=True):
                    parameter.data = _other_weights(value, generator)
            examples = self._examples(values, inputs, targets, generator)
            if examples is None and fresh:
                # Weights that are no ordinary ones, such as scales under a root: smaller changes of the model's own.
                for parameter, value in zip(trained, weights, strict=True):
                    parameter.data = value + 0.1 * value.abs() * _other_weights(value, generator).clamp(-1, 1)
                examples = self._examples(values, inputs, targets, generator)
            if examples is None:
                raise ValueError("model: gives no finite numbers for made-up inputs, so that it cannot be tried")
            made, others = examples
            try:
                self._refuse_mixing(values, made, others)
            except RuntimeError:
                compare(made)  # the engine may say better what is wrong
                raise
            if self.hooked:
                self._refuse_hidden_uses(values, made)
            # A unit at the very edge of its range may tip over by rounding: only what happens twice counts.
            if (wrong := compare(made)) and (wrong := compare(others)):
                raise ValueError(f"model: {wrong}")

    def _examples(
        self, values: _Values, inputs: Tensor, targets: Tensor | None, generator: torch.Generator
    ) -> tuple[Made, Made] | None:
        """Two sets of examples of which the model makes finite numbers: normal inputs, or uniform ones."""
        for normal in (True, False):
            made = self._made(values, inputs, targets, 2 * EXAMPLES, generator, normal=normal)
            with torch.no_grad():
                if all_finite(values(made)):
                    return made[:EXAMPLES], made[EXAMPLES:]
        return None

    def _made(
        self,
        values: _Values,
        inputs: Tensor,
        targets: Tensor | None,
        count: int,
        generator: torch.Generator,
        *,
        normal: bool = True,
    ) -> Made:
        rows = [layer.num_embeddings for layer in self.model.modules() if isinstance(layer, nn.Embedding)]
        made = _like(inputs, count, generator, normal=normal, below=min(rows, default=2))
        if targets is None:
            return Made(made, None)
        with torch.no_grad():
            output = next(leaf for leaf in tree_leaves(values.call(made.clone())) if isinstance(leaf, Tensor))
        classes = 2 if output.ndim < 2 else min(2, output.shape[1], output.shape[-1])
        return Made(made, _like(targets, count, generator, normal=False, below=classes))

    def _refuse_mixing(self, values: _Values, made: Made, others: Made) -> None:
        kept = {name: buffer.clone() for name, buffer in self.model.named_buffers()}
        whole, again = values.constant(made), values.constant(made)
        for name, buffer in self.model.named_buffers():
            if not torch.equal(buffer, kept[name]):
                with torch.no_grad():
                    buffer.copy_(kept[name])
                raise ValueError(f"model: buffer {name!r} keeps what it saw of one batch for the next, {MIXES}")
        exact = torch.equal(whole, again)
        if not exact and not _close(again, whole, 1e-5):
            raise ValueError(
                "model: gives other values when it is called again; what it draws at random (but for dropout) or keeps "
                "from one call to the next cannot be told from mixing"
            )
        for place in range(EXAMPLES):
            rest = torch.arange(EXAMPLES) != place
            for factor in (1.0, 30.0):
                moved = values.constant(made.with_one(place, others, factor))[rest]
                if not (torch.equal(moved, whole[rest]) if exact else _close(moved, whole[rest], 1e-5)):
                    raise ValueError(f"model: an example's values change when another of its batch does, {MIXES}")
            if not _close(values.constant(made[place : place + 1])[0], whole[place], CLOSE):
                raise ValueError(f"model: an example has other values alone than in a batch, {MIXES}")
        if made.inputs.is_floating_point():
            self._refuse_slopes(values, made)

    def _refuse_slopes(self, values: _Values, made: Made) -> None:
        """No derivative of one example's values in another's inputs: exactly none, whatever the values do."""
        leaf = made.inputs.detach().requires_grad_()
        rows = values(Made(leaf.clone(), made.targets))
        if not rows.requires_grad:
            return
        weights = torch.linspace(0.5, 1.5, rows.shape[1], dtype=rows.dtype, device=rows.device)
        for place in range(EXAMPLES):
            slope = torch.autograd.grad(rows[place] @ weights, leaf, retain_graph=True, allow_unused=True)[0]
            rest = torch.arange(EXAMPLES) != place
            if slope is not None and bool((slope[rest] != 0).any()):
                raise ValueError(f"model: an example's values have a slope in another's inputs, {MIXES}")

    def _refuse_dependence_on_size(self, values: _Values, inputs: Tensor, targets: Tensor | None, count: int) -> None:
        made = self._made(values, inputs, targets, count, torch.Generator().manual_seed(1))
        with torch.no_grad():
            few, all_ = values.constant(made[:EXAMPLES]), values.constant(made)
        if not _close(all_[:EXAMPLES], few, CLOSE):
            raise ValueError(f"model: an example's values depend on the size of its batch, {MIXES}")

    def _refuse_hidden_uses(self, values: _Values, made: Made) -> None:
        layers = {
            name: layer
            for name, layer in self.model.named_modules()
            if type(layer) in KINDS and any(parameter.requires_grad for parameter in layer.parameters(recurse=False))
        }
        called: list[str] = []

        def count(name: str) -> Callable[..., None]:
            return lambda *_: called.append(name)

        handles = [layer.register_forward_hook(count(name)) for name, layer in layers.items()]
        try:
            rows = values(made)
        finally:
            for handle in handles:
                handle.remove()
        recording.refuse_hidden_uses([rows], layers, called)


@dataclass(frozen=True)
class _Values:
    """All that is computed of each example, one row each: the model's outputs, and its loss."""

    call: Callable[[Tensor], Any]
    loss: Loss | None

    def __call__(self, made: Made) -> Float[Tensor, "n k"]:
        with WithoutReading():
            output = self.call(made.inputs)
            count = len(made.inputs)
            leaves = [leaf for leaf in tree_leaves(output) if isinstance(leaf, Tensor) and leaf.is_floating_point()]
            rows = [leaf.reshape(count, -1) for leaf in leaves if leaf.ndim and len(leaf) == count]
            if self.loss is not None:
                assert made.targets is not None, "a loss has targets"
                rows.append(per_example(self.loss(output, made.targets), made.targets)[:, None])
            if not rows:
                raise ValueError(f"model: has no output with the {count} examples first")
            return torch.cat(rows, dim=1)

    def constant(self, made: Made) -> Float[Tensor, "n k"]:
        """Without a gradient, of a copy of the inputs, which a model may change."""
        return self(Made(made.inputs.clone(), made.targets)).detach()


def gradient(value: Tensor, parameters: list[nn.Parameter]) -> Float[Tensor, " dim"]:
    """Flat gradient of one number by automatic differentiation, in double precision; zero where it does not depend."""
    slopes = torch.autograd.grad(value, parameters, allow_unused=True, retain_graph=True)
    flat = [
        torch.zeros_like(parameter).flatten() if slope is None else slope.to_dense().flatten()
        for parameter, slope in zip(parameters, slopes, strict=True)
    ]
    return torch.cat(flat).double()


def _close(values: Tensor, expected: Tensor, share: float) -> bool:
    share = max(share, 30 * torch.finfo(values.dtype).eps) if share == CLOSE else share
    return bool((values - expected).abs().max() <= share * expected.abs().max())


def _other_weights(value: Tensor, generator: torch.Generator) -> Tensor:
    entering = max(1, value[:1].numel()) if value.ndim > 1 else 1
    return (torch.randn(value.shape, generator=generator, dtype=torch.float64) / math.sqrt(entering)).to(value)


def _like(real: Tensor, count: int, generator: torch.Generator, *, normal: bool, below: int) -> Tensor:
    shape = (count, *real.shape[1:])
    if real.is_floating_point():
        draw, made = torch.randn if normal else torch.rand, real.new_empty(shape)
        for some in made.split(max(1, AT_ONCE // max(1, math.prod(shape[1:])))):
            some.copy_(draw(some.shape, generator=generator, dtype=torch.float64))
        return made
    return torch.randint(0, max(1, below), shape, generator=generator).to(real)


def _shape(values: Tensor | None) -> Hashable:
    return None if values is None else (values.shape[1:], values.dtype, values.device)


def _identity(loss: Loss | None) -> Hashable:
    """What a loss does, as far as its code and what it holds say so: a function made anew for each step is the same."""
    code = getattr(loss, "__code__", None)
    if code is None:
        return id(loss)
    held = [*(getattr(loss, "__closure__", None) or ()), *(getattr(loss, "__defaults__", None) or ())]
    return (code, id(getattr(loss, "__self__", None)), *map(_held, held))


def _held(item: Any) -> Hashable:
    with contextlib.suppress(AttributeError, ValueError):
        item = item.cell_contents
    return (type(item), item) if isinstance(item, bool | int | float | str) else id(item)
