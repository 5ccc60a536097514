"""Proposition 2 of *Differentially Private Sliced Wasserstein Distance*, on trainings by the release as published."""

from __future__ import annotations

from wassdp.accounting.accountants.published.swd_clt import SWDCLTAccountant
from wassdp.audit.budget import AttackedBudget
from wassdp.audit.trainings.published_sliced import PublishedSlicedTrainings


class PropositionTwo(AttackedBudget):
    """Rows are divided by the largest norm of their batch, which one record sets."""

    source = (
        "Differentially Private Sliced Wasserstein Distance (Rakotomamonjy and Ralaivola 2021), Proposition 2 with the "
        "central limit bound"
    )
    done = "trainings of two steps by the published release, σ = 5, whose divisor is not looked at"
    trials = 20_000

    def game(self) -> PublishedSlicedTrainings:
        return PublishedSlicedTrainings(sigma=5.0)

    def claimed(self) -> float:
        return SWDCLTAccountant().epsilon(self.game().event(), self.delta).value
