"""The exponential mechanism with the range of losses that this data set happens to have."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp.accounting.event import Event
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.audit.specimen import Specimen
from wassdp.noise import Bits, categoricals
from wassdp.tangent import gibbs
from wassdp.tangent.risks import MatrixRisks

RECORDS, HYPOTHESES = 10, 64


class RangeOfTheData(Specimen):
    """Hypotheses, of which one has less risk on the record in question than all others."""

    fault = "β is calibrated with the range of the losses at hand, not with that of the loss: they can be a record's"
    source = "diffprivlib issue 20: bounds that nobody gives are read off the data, which is no differential privacy"
    neighbours = (
        "a record whose loss is 1 at all hypotheses but the first, or one of loss .05; all others have .05 there"
    )
    attacks = ("first_hypothesis",)

    def event(self) -> Event:
        return Gibbs(inverse_temperature=20.0, risk_range=1.0, records=RECORDS)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Int64[Tensor, " trials"]:
        risks = np.full((HYPOTHESES, RECORDS), 0.05)
        risks[0] = 0.0
        risks[1:, 0] = 1.0 if present else 0.05
        event = self.event()
        assert isinstance(event, Gibbs), "it is stated above"
        beta = event.inverse_temperature
        if self.wrong:
            beta *= event.risk_range / float(np.ptp(risks))
        posterior = gibbs.posterior(MatrixRisks(risks, most=1.0), beta)
        return torch.from_numpy(categoricals(posterior.log_probabilities, trials, generator=generator))

    def first_hypothesis(self, released: Int64[Tensor, " trials"]) -> Float[Tensor, " trials"]:
        """Whether it was drawn: losses that are small everywhere are blown up to the whole range."""
        return (released != 0).double()
