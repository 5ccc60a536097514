"""What every mechanism offers, and what those have in common whose batches have a fixed size."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.noise import Bits


class Mechanism(abc.ABC):
    """A private release: who enters it, what leaves, and the event by which an accountant knows it."""

    def sample(self, *, generator: Bits) -> Any:
        """Who enters a release: indices of records. None where `release` is handed all records and draws by itself."""
        return None

    @abc.abstractmethod
    def release(self, *args: Any, **kwargs: Any) -> Any:
        """What leaves, of the records that `sample` chose; its noise comes from the argument ``generator``."""

    @abc.abstractmethod
    def event(self, steps: int) -> Event:
        """What ``steps`` releases are, for an accountant."""

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        """Small releases, one of each kind that it makes, by which its contract is put to the test.

        Args:
            noise: the mechanism's own parameter of noise; 0 for none.
        """
        raise NotImplementedError(f"{cls.__name__}: give examples, by which the contract of mechanisms is tested")


@dataclass(frozen=True, kw_only=True)
class Example:
    """A small mechanism together with the way from records, as rows of numbers, to the numbers that leave.

    It tells every mechanism's sensitivity and noise in the same words, so that they can be tried on any records.

    Args:
        mechanism: which it is.
        rows: how many records are a full batch.
        width: numbers of one record. Any are allowed, infinite ones too.
        shape: of what leaves.
        sensitivity: L2 distance that neighbouring batches move it by at most, before noise; infinity where the event
            says that nothing is proved.
        noise_std: standard deviation of the noise on each number.
        released: from a batch, shape (at most ``rows``, ``width``), and random bits to what leaves.
    """

    mechanism: Mechanism
    rows: int
    width: int
    shape: tuple[int, ...]
    sensitivity: float
    noise_std: float
    released: Callable[[Float[Tensor, "batch width"], Bits], Float[Tensor, ...]]


@dataclass(frozen=True, kw_only=True)
class FixedBatches(Mechanism):
    """A mechanism for batches of one size, drawn without replacement and afresh for every release.

    Args:
        records: N >= 1, public.
        batch: n of them that enter a release, at least 1.

    Raises:
        ValueError: an argument is outside its range.
    """

    records: int
    batch: int

    def __post_init__(self) -> None:
        checks.whole("batch", self.batch, least=1)
        if checks.whole("records", self.records, least=1) < self.batch:
            raise ValueError(f"records = {self.records}: must be at least batch = {self.batch}")

    def sample(self, *, generator: Bits) -> Int64[Tensor, " batch"]:
        return noise.subset(self.records, self.batch, generator=generator)

    @abc.abstractmethod
    def step(self) -> Event:
        """What one release is, of a batch that is given."""

    def event(self, steps: int) -> Composed:
        sampled = SampledWithoutReplacement(event=self.step(), records=self.records, batch=self.batch)
        return repeated(sampled, steps)
