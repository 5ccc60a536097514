"""No adaptation: the cross-entropy of the source alone. What every method has to beat."""

from __future__ import annotations

from typing import ClassVar, Literal

from wassdp.adaptation.method import AdaptationMethod, AdaptationSetting, Aligner
from wassdp.noise import Bits


class SourceOnlyMethod(AdaptationMethod):
    """Nothing but the learning rate is open."""

    title: ClassVar[str] = "source only"
    name: Literal["source_only"]

    def build(self, setting: AdaptationSetting) -> SourceOnly:
        return SourceOnly(self, setting)

    def describe(self) -> str:
        # The published methods differ in this by themselves; a baseline has it to be like one of them.
        return self.title + ("" if self.dropout_epochs is None else f", dropout in {self.dropout_epochs} epoch")


class SourceOnly(Aligner[SourceOnlyMethod]):
    """Never looks at the target."""

    def sample(self, generator: Bits) -> None:
        return None
