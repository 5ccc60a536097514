"""One published statement put to the test: does a search for its worst case contradict it?"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from wassdp import claims, experiment
from wassdp.claims.checking import effort

PHASE = "audit"


class Parameters(experiment.Parameters):
    """A claim and how hard to try."""

    claim: Annotated[str, claims.VERDICTS] = Field(description="file of wassdp.claims.verdicts")
    tried: Annotated[int, Field(ge=1)] | Literal["few", "usual"] = Field(
        default="usual", description="random cases: a number, or one of the claim's own"
    )

    def describe(self) -> experiment.Description:
        return experiment.Description(method=self.claim)


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """What the check found.

    ``claim_holds`` is 1 unless something contradicts, ``claim_tried`` the number of cases, ``claim_ratio`` the largest
    found / stated where the statement has that form; notes hold verdict, figure and counterexample.
    """
    claim = claims.claim(parameters.claim)
    verdict = claim.check(np.random.default_rng(seed), effort(claim, parameters.tried))
    metrics = {"claim_tried": float(verdict.tried), "claim_holds": float(verdict.holds)}
    if verdict.ratio is not None:
        metrics["claim_ratio"] = verdict.ratio
    notes = {"verdict": verdict.status, "figure": verdict.figure}
    if verdict.counterexample is not None:
        notes["counterexample"] = verdict.counterexample.words
    return experiment.Findings(metrics=metrics, notes=notes)
