"""Batches that each record enters on its own."""

from __future__ import annotations

from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting.event import Event, Orders, UnknownError
from wassdp.accounting.formulas import renyi
from wassdp.accounting.guarantee import REPLACING
from wassdp.accounting.profiles.sampled import Side
from wassdp.accounting.subsampled import Subsampled

REPLACED = (
    "Poisson sampling under replace-one: advanced joint convexity (Balle, Barthe, Gaboardi 2018, Theorem 2); "
    "leaving a record out moves the query no further than replacing it"
)
ZEROED = "Poisson sampling under zero-out: batches padded with noised zero rows to a fixed size"
REVEALED = "batches are not padded: the size of each batch is released, and sampling gives delta -> q delta only"


@dataclass(frozen=True, kw_only=True)
class PoissonSampled(Subsampled):
    """``event`` on a batch that each record enters independently with probability ``rate``.

    Args:
        event: what is released of the batch.
        rate: q in [0, 1]; expected batch over number of records.

    Raises:
        ValueError: the rate is no such number.

    Source: Mironov, Talwar, Zhang (2019), arXiv:1908.10530, Section 3; docs/theory.md, profiles.
    """

    event: Event
    rate: float
    sampling = "poisson"

    def __post_init__(self) -> None:
        checks.probability("rate", self.rate)

    def sides(self) -> tuple[Side, ...]:
        if not self.event.padded:
            return ("revealed",)
        return ("replace",) if self.adjacency in REPLACING else ("add", "remove")

    def assumptions(self) -> tuple[str, ...]:
        assumed = self.event.assumptions()
        if self.rate == 1 or (self.event.padded and self.adjacency == "add-remove"):
            return assumed
        padded = REPLACED if self.adjacency in REPLACING else ZEROED
        return (*assumed, padded if self.event.padded else REVEALED)

    def renyi(self, orders: Orders) -> Orders:
        """As for every event; sampled: Mironov, Talwar, Zhang (2019), Section 3.3."""
        base = self.event.reduced()
        if self.rate == 1:
            return base.renyi(orders)
        log_moments = base.log_moments(renyi.up_to(orders))
        if not base.padded:
            raise UnknownError("batches are not padded: no closed form here; pld has it")
        if self.adjacency in REPLACING:
            raise UnknownError(f"Poisson sampling under {self.adjacency}: no closed form here; pld has it")
        return renyi.sampled_divergence(orders, self.rate, log_moments)
