"""A CUDA device that is none: on a machine without one, it refuses what CUDA refuses.

Tensors "on" it hold ordinary ones, say that they lie on ``cuda:0``, and go through every operation and gradient. As on
a real device it is an error

- to mix them with tensors on the processor (numbers, and indices into them, excepted),
- to draw on one device with a generator of the other,
- to turn them into NumPy arrays,
- to ask for what CUDA has no deterministic form of, while deterministic algorithms are on. The operations are those
  that `torch.use_deterministic_algorithms` lists.

Its numbers are the processor's own: draws and sums are the same, so that a run on it must end as one on the processor
does. The project's own kernel is stood in for by NumPy. What kernels of a real device get wrong, it cannot show: that
is for tests marked ``gpu``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map

from wassdp.noise import philox

CUDA, PROCESSOR = torch.device("cuda", 0), torch.device("cpu")
# Inside torch's own code the device goes by this name: a build without CUDA cannot differentiate on "cuda".
INSIDE = torch.device("meta")
RealGenerator = torch.Generator

INDEXING = {"aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index"}
MOVING = {"aten::_to_copy", "aten::copy_"}
NOT_DETERMINISTIC = {
    "_adaptive_avg_pool2d_backward",
    "_adaptive_avg_pool3d_backward",
    "_ctc_loss_backward",
    "adaptive_max_pool2d_backward",
    "adaptive_max_pool3d_backward",
    "avg_pool3d_backward",
    "fractional_max_pool2d_backward",
    "fractional_max_pool3d_backward",
    "grid_sampler_2d_backward",
    "grid_sampler_3d_backward",
    "histc",
    "kthvalue",
    "max_unpool2d",
    "max_unpool3d",
    "nll_loss2d_forward",
    "put_",
    "reflection_pad1d_backward",
    "reflection_pad2d_backward",
    "reflection_pad3d_backward",
    "upsample_bicubic2d_backward",
    "upsample_bilinear2d_backward",
    "upsample_linear1d_backward",
    "upsample_trilinear3d_backward",
}


@contextlib.contextmanager
def pretended_gpu() -> Iterator[None]:
    """Within, torch has one CUDA device, the pretended one."""
    answers: dict[str, Any] = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "get_device_name": lambda *_: "pretended",
        "get_rng_state": lambda *_: torch.zeros(16, dtype=torch.uint8),
        "set_rng_state": lambda *_: None,
        "manual_seed_all": lambda *_: None,
        "synchronize": lambda *_: None,
    }
    if not torch.cuda.is_available():
        answers["_lazy_init"] = lambda: None
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(philox, "compiles", lambda device: device.type == CUDA.type))
        stack.enter_context(mock.patch.object(philox, "words", _words))
        for name, answer in answers.items():
            stack.enter_context(mock.patch.object(torch.cuda, name, answer))
        stack.enter_context(mock.patch.object(torch, "Generator", _AnyGenerator))
        stack.enter_context(mock.patch.object(torch.autograd, "_engine_run_backward", _backwards))
        stack.enter_context(_Calls())
        stack.enter_context(_Operations())
        yield


class Held(Tensor):
    """A tensor on the pretended device, and the one on the processor that it stands for."""

    inner: Tensor
    device = property(lambda self: CUDA)  # type: ignore[assignment]
    is_cuda = property(lambda self: True)  # type: ignore[assignment]
    is_cpu = property(lambda self: False)  # type: ignore[assignment]
    is_meta = property(lambda self: False)  # type: ignore[assignment]

    @staticmethod
    def __new__(cls, inner: Tensor) -> Held:
        made: Held = Tensor._make_wrapper_subclass(
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=INSIDE,
            requires_grad=inner.requires_grad,
        )
        made.inner = inner
        return made

    def __tensor_flatten__(self) -> tuple[list[str], None]:
        return ["inner"], None

    @staticmethod
    def __tensor_unflatten__(parts: dict[str, Tensor], _meta: None, _size: object, _stride: object) -> Held:
        return Held(parts["inner"])

    def __repr__(self, *, tensor_contents: object = None) -> str:
        return f"Held({self.inner!r})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        # A file of tensors is read with map_location="cpu", here and on a real device.
        return self.inner.detach().__reduce_ex__(protocol)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _carried_out(func, args, kwargs or {})


class _Operations(TorchDispatchMode):
    """Sees what torch's own code asks for, also where no tensor is at hand yet."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if _there(kwargs.get("device")) or any(isinstance(leaf, Held) for leaf in tree_leaves((args, kwargs))):
            return _carried_out(func, args, kwargs)
        return func(*args, **kwargs)


class _Calls(TorchFunctionMode):
    """Sees what Python code asks for, before torch looks for the device."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if (drawn_with := kwargs.get("generator")) is not None:
            where = kwargs.get("device")
            there = _there(where) if where is not None else any(isinstance(leaf, Held) for leaf in tree_leaves(args))
            if there != isinstance(drawn_with, _HeldGenerator):
                raise RuntimeError(f"{func.__name__}: expected a generator on {CUDA if there else PROCESSOR}")
        if func in (Tensor.numpy, Tensor.__array__) and isinstance(args[0], Held):
            raise TypeError("can't convert cuda:0 device type tensor to numpy: use Tensor.cpu() first")
        if func is Tensor.tolist and isinstance(args[0], Held):
            return args[0].inner.tolist()
        if func in (torch.tensor, torch.as_tensor, Tensor.new_tensor) and _there(kwargs.get("device")):
            return func(*args, **kwargs | {"device": PROCESSOR}).to(INSIDE)
        if _there(kwargs.get("device")):
            kwargs["device"] = INSIDE
        if func is Tensor.to:
            args = tuple(_renamed(each) for each in args)
        return func(*args, **kwargs)


_real_backwards: Any = torch.autograd._engine_run_backward  # type: ignore[attr-defined]


def _backwards(*args: Any, **kwargs: Any) -> Any:
    """Hooks that ask for tensors of their own are seen too: within a call, `_Calls` sees no other."""
    with _Calls():
        return _real_backwards(*args, **kwargs)


class _HeldGenerator(RealGenerator):
    @property
    def device(self) -> torch.device:  # type: ignore[override]
        return CUDA


class _ByDevice(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, RealGenerator)


class _AnyGenerator(metaclass=_ByDevice):
    """Stands for `torch.Generator`."""

    def __new__(cls, device: Any = "cpu") -> Any:
        return _HeldGenerator() if _there(device) else RealGenerator(device)


def _there(device: Any) -> bool:
    return device is not None and torch.device(device).type in (CUDA.type, INSIDE.type)


def _renamed(argument: Any) -> Any:
    """Where `torch.Tensor.to` is to go: a device, or that of another tensor."""
    return INSIDE if isinstance(argument, str | torch.device) and _there(argument) else argument


def _carried_out(func: Any, args: Any, kwargs: Any) -> Any:
    """An operation of torch on the tensors that are held, and the result held where it belongs."""
    name = func._schema.name
    wanted = kwargs.get("device")
    there = _there(wanted) if wanted is not None else _result_there(func, name, args, kwargs)
    if there and torch.are_deterministic_algorithms_enabled():
        _deterministic(func, name.removeprefix("aten::"), args, kwargs)
    inner_args, inner_kwargs = tree_map(_inner, (args, kwargs))
    if wanted is not None:
        inner_kwargs["device"] = PROCESSOR
    found = func(*inner_args, **inner_kwargs)
    if not there:
        return found
    held = tree_map(lambda leaf: Held(leaf) if isinstance(leaf, Tensor) else leaf, found)
    return return_and_correct_aliasing(func, args, kwargs, held)


def _words(start: int, count: int, *, counter: list[int], key: list[int], device: torch.device) -> Tensor:
    """What the project's own kernel computes, by NumPy, whose counter goes up before a block."""
    where, named = (np.array(each, dtype=np.int64).view(np.uint64) for each in (counter, key))
    blocks, rest = divmod(start, philox.BLOCK)
    where[0] = (counter[0] + blocks - 1) % (1 << 64)
    found = np.random.Philox(key=named, counter=where).random_raw(rest + count)[rest:]
    return torch.from_numpy(found.view(np.int64)).to(device)


def _inner(leaf: Any) -> Any:
    return leaf.inner if isinstance(leaf, Held) else leaf


def _result_there(func: Any, name: str, args: Any, kwargs: Any) -> bool:
    """Whether an operation is one of the pretended device.

    Raises:
        RuntimeError: tensors of both devices.
    """
    if name in MOVING:
        return isinstance(args[0], Held)
    if name in INDEXING:
        # Indices may lie on the processor, or else where the indexed tensor does.
        there, (together, numbers) = isinstance(args[0], Held), ([args[0], *args[2:3]], True)
        if not there and any(isinstance(index, Held) for index in args[1]):
            raise RuntimeError(f"{name}: indices must be on the processor, as what they index")
    else:
        together = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        numbers = torch.Tag.pointwise in func.tags
        there = any(isinstance(each, Held) for each in together)
    aside = [each for each in together if not isinstance(each, Held) and not (numbers and each.dim() == 0)]
    if there and aside:
        raise RuntimeError(f"{func}: expected all tensors to be on the same device, not {[*map(type, together)]}")
    return there


def _deterministic(func: Any, name: str, args: Any, kwargs: Any) -> None:
    first = args[0] if args else None
    floats = isinstance(first, Tensor) and first.is_floating_point()
    refused = {
        "cumsum": floats,
        "cumsum_": floats,
        "bincount": len(args) > 1 and isinstance(args[1], Tensor),
        "median": "dim" in func._overloadname,
        "scatter_reduce": "prod" in args,
    }
    if name in NOT_DETERMINISTIC or refused.get(name, False):
        raise RuntimeError(f"{name} does not have a deterministic implementation on CUDA")
