"""Canaries among the target's records of an adaptation; what one is, and what a release says of it, is a method's."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from wassdp.accounting.event import Event
from wassdp.adaptation.method import Aligner, Alignment, SourceBatch
from wassdp.audit.trainings.swapped import Swapped, numbered
from wassdp.noise import Bits
from wassdp.training.inputs import Examples


class Adapted(Swapped):
    """Canaries among the target's records in one adaptation.

    Args:
        method: what is attacked.
        target: the target's records.
        canaries: their number.
        coins: as `Swapped`.

    Attributes:
        method: the same with canaries; what trains calls it.
        target: the records with canaries. An input is flattened and ends with its canary's number, 0 for a record.
    """

    method: Aligner[Any]

    def __init__(self, method: Aligner[Any], target: Examples, *, canaries: int, coins: Bits) -> None:
        super().__init__(canaries=canaries, records=len(target.targets), coins=coins)
        self.target = Examples(numbered(target.inputs, self.places), target.targets)


class Watched(Aligner[Any]):
    """A method of adaptation whose releases an attack looks at; all else is the method's own."""

    def __init__(self, inner: Aligner[Any]) -> None:
        super().__init__(inner.choice, inner.setting, inner.extra)
        self.inner = inner

    def sample(self, generator: Bits) -> Tensor | None:
        return self.inner.sample(generator)

    def event(self, steps: int) -> Event | None:
        return self.inner.event(steps)

    def metrics(self) -> dict[str, float]:
        return self.inner.metrics()

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        return self.inner.align(source, target, generator=generator)
