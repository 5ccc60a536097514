"""What happens to a model's calls while it is tried: dropout passes everything on, and no value may be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import Tensor
from torch import bool as boolean
from torch.overrides import TorchFunctionMode

DROPOUT = {
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "alpha_dropout",
    "feature_dropout",
    "feature_alpha_dropout",
}
READS = {
    *("__bool__", "__int__", "__float__", "__index__", "__complex__", "__contains__", "__array__"),
    *("item", "tolist", "numpy", "equal", "allclose", "is_nonzero"),
    *("nonzero", "argwhere", "unique", "unique_consecutive", "masked_select"),
}
"""Functions whose result, or the shape of it, is decided by values: with them a model can branch."""


class WithoutDropout(TorchFunctionMode):
    """Dropout multiplies by what is drawn for each place alone: it mixes nothing, and without it values compare."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        given: Mapping[str, Any] = kwargs or {}
        if _name(func).rstrip("_") in DROPOUT:
            values: Tensor = args[0] if args else given["input"]
            inplace = _name(func).endswith("_") or given.get("inplace", args[3] if len(args) > 3 else False)
            return values if inplace else values.clone()
        return func(*args, **given)


class WithoutReading(TorchFunctionMode):
    """A model that looks at values may do with some what it does not do with others, and no trial would show it."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        name = _name(func)
        by_mask = name == "__getitem__" and any(_is_mask(index) for index in _flat(args[1]))
        if name in READS or by_mask or (name == "where" and len(args) == 1 and not kwargs):
            raise ValueError(
                f"model: looks at the values of a tensor ({name.strip('_')}), on which it may decide what it computes, "
                "so that no trial shows whether examples mix; use operations on whole tensors, such as torch.where"
            )
        return func(*args, **(kwargs or {}))


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", "")


def _flat(index: Any) -> Iterable[Any]:
    return index if isinstance(index, tuple) else (index,)


def _is_mask(index: Any) -> bool:
    return isinstance(index, Tensor) and index.dtype == boolean
