"""Batches of a fixed size, drawn without replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wassdp.accounting import limits
from wassdp.accounting.event import Event, Orders
from wassdp.accounting.formulas import renyi
from wassdp.accounting.guarantee import REPLACING
from wassdp.accounting.subsampled import Subsampled

THEOREM_11 = "sampling without replacement under replace-one: Zhu, Dong, Wang (2022), Theorem 11"
_MOST = 256
"""Orders up to which sampling is accounted for: larger ones matter only where it hardly helps."""


@dataclass(frozen=True, kw_only=True)
class SampledWithoutReplacement(Subsampled):
    """``event`` on a uniformly drawn batch of exactly ``batch`` of ``records`` records.

    Args:
        event: what is released of the batch; its relation has to replace a record, for any proven bound.
        records: N, a whole number of at least 1, public.
        batch: from 1 to N.

    Raises:
        ValueError: a number is outside its range.

    Source: Zhu, Dong and Wang (2022), arXiv:2106.08567, Theorem 11.
    """

    event: Event
    records: int
    batch: int
    sampling = "without-replacement"

    def __post_init__(self) -> None:
        limits.count("records", self.records, least=1)
        limits.count("batch", self.batch, least=1)
        if self.batch > self.records:
            raise ValueError(f"batch = {self.batch}: must be at most records = {self.records}")

    @property
    def rate(self) -> float:  # type: ignore[override]  # no event's attribute can be set
        """The batch's share of the records."""
        return self.batch / self.records

    def uncovered(self) -> str | None:
        if self.adjacency in REPLACING:
            return None
        return f"sampling without replacement fixes the batch size: no theorem covers adjacency {self.adjacency!r}"

    def assumptions(self) -> tuple[str, ...]:
        return (*self.event.assumptions(), *((THEOREM_11,) if self.rate < 1 else ()))

    def renyi(self, orders: Orders) -> Orders:
        """As for every event; sampled: Wang, Balle, Kasiviswanathan (2019), Theorems 9 and 27."""
        base = self.event.reduced()
        if self.rate == 1:
            return base.renyi(orders)
        few = orders[orders <= _MOST]
        whole = renyi.up_to(few)
        # Asked for first: what has no closed form on sampled batches is refused here too.
        base.log_moments(whole[:1])
        most = 2 * (whole.size // 2 + 1)
        sampled = renyi.without_replacement_divergence(few, self.rate, base.renyi(whole), base.log_differences(most))
        return np.concatenate((sampled, base.renyi(orders[orders > _MOST])))
