"""A budget that was printed or reported, beside what an attack measures of the releases that it is claimed of."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wassdp import experiment
from wassdp.audit.budget import BUDGETS, LEAST, load
from wassdp.audit.budget_attack import put

PHASE = "audit"


class Parameters(experiment.Parameters):
    """The claim, and how many trials there are."""

    budget: Annotated[str, BUDGETS, Field(description="file of wassdp.audit.budgets")]
    trials: int | None = Field(
        default=None, ge=LEAST, le=10_000_000, description="releases in each world; null: as many as are enough"
    )
    confidence: float = Field(default=0.999, gt=0, lt=1, description="of the lower bound, one-sided")

    def describe(self) -> experiment.Description:
        return experiment.Description(method=self.budget.replace("_", " "))


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Attack, and set what was measured beside the claim.

    Metrics: ``claimed``, the ε that the same formula or accountant gives what is attacked; ``printed``, what was
    printed or reported, where something was; ``lower/measured``, a lower bound on the true ε, without any assumption;
    ``upper/proven``, an upper one, where there is one; ``contradicted``, 1 if the measured ε lies above the claimed
    one, else 0; ``trials`` counted, of both worlds.
    """
    claim = load(parameters.budget)
    found = put(claim, trials=parameters.trials, confidence=parameters.confidence, seed=seed)
    metrics = {
        "claimed": found.claimed,
        "lower/measured": found.measured.epsilon,
        "contradicted": float(found.contradicted),
        "trials": float(found.measured.trials),
    }
    metrics |= {} if claim.printed is None else {"printed": claim.printed}
    metrics |= {} if found.proven is None else {"upper/proven": found.proven}
    return experiment.Findings(metrics=metrics, notes={"source": claim.source, "done": claim.done})
