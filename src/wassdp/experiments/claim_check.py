"""One published statement put to the test: does a search for its worst case contradict it?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from wassdp import claims, experiment

PHASE = "audit"


class Parameters(experiment.Parameters):
    """A claim and how hard to try."""

    claim: Annotated[str, claims.VERDICTS] = Field(description="file of wassdp.claims.verdicts")
    tried: Annotated[int, Field(ge=1, description="random cases")] = 2000

    def describe(self) -> experiment.Description:
        return experiment.Description(method=self.claim)


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """``claim_ratio``, the largest found / stated; ``claim_tried``; ``claim_holds``, 1 unless a case contradicts."""
    verdict = claims.claim(parameters.claim).check(np.random.default_rng(seed), parameters.tried)
    return experiment.Findings(
        metrics={
            "claim_ratio": verdict.largest,
            "claim_tried": float(verdict.tried),
            "claim_holds": float(verdict.holds),
        }
    )
