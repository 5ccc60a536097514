"""No adaptation: the cross-entropy of the source alone. What every method has to beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from wassdp.adaptation import method
from wassdp.adaptation.plain import Plain

if TYPE_CHECKING:
    from torch import Tensor

    from wassdp.noise import Bits


class Options(method.Options):
    """Nothing but the learning rate is open."""

    title: ClassVar[str] = "source only"
    name: Literal["source_only"]

    def describe(self) -> str:
        # The published methods differ in this by themselves; a baseline has it to be like one of them.
        return self.title + ("" if self.dropout_epochs is None else f", dropout in {self.dropout_epochs} epoch")


class Method(Plain):
    """Never looks at the target."""

    def __init__(self, options: Options, setting: method.Setting) -> None:
        super().__init__(setting)

    def sample(self, generator: Bits) -> None:
        return None

    def align(self, source: method.Source, target: Tensor, *, generator: Bits) -> method.Alignment:
        raise AssertionError("no target batch is drawn")
