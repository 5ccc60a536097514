"""No adaptation: the cross-entropy of the source alone. What every method has to beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from wassdp.adaptation import method
from wassdp.adaptation.plain import Plain

if TYPE_CHECKING:
    from torch import Tensor

    from wassdp.noise import Bits


class Options(method.Options):
    """Nothing but the learning rate is open."""

    name: Literal["source_only"]


class Method(Plain):
    """Never looks at the target."""

    def __init__(self, options: Options, setting: method.Setting) -> None:
        super().__init__(setting)

    def sample(self, generator: Bits) -> None:
        return None

    def align(self, source: method.Source, target: Tensor, *, generator: Bits) -> method.Alignment:
        raise AssertionError("no target batch is drawn")
