"""One published statement put to the test: does a search for its worst case contradict it?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from wassdp import checks, experiment
from wassdp.claims import verdicts

PHASE = "audit"


class Parameters(experiment.Parameters):
    """A claim and how hard to try."""

    claim: str = Field(description="name of a claim in wassdp.claims.verdicts")
    tried: Annotated[int, Field(ge=1, description="random cases")] = 2000

    @field_validator("claim")
    @classmethod
    def _known(cls, claim: str) -> str:
        return checks.one_of("claim", claim, verdicts.names())

    def describe(self) -> experiment.Description:
        return experiment.Description(method=self.claim)

    def modules(self) -> tuple[str, ...]:
        return verdicts.modules()


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """``claim_ratio``, the largest found / stated; ``claim_tried``; ``claim_holds``, 1 unless a case contradicts."""
    verdict = verdicts.load(parameters.claim).check(np.random.default_rng(seed), parameters.tried)
    return experiment.Findings(
        metrics={
            "claim_ratio": verdict.largest,
            "claim_tried": float(verdict.tried),
            "claim_holds": float(verdict.holds),
        }
    )
