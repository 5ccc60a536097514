"""Accuracy of a Gibbs draw over its budget: exactly from a finite W, or sampled from a continuous one."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from scipy import special

from wassdp import experiment
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.events.qualified import qualified
from wassdp.noise import Bits, categorical
from wassdp.ranges import AccountedDelta, Epsilon
from wassdp.tangent import estimators, exact_draw, langevin
from wassdp.tangent.losses import TITLES, named
from wassdp.tangent.potentials import LinearScores
from wassdp.tangent.problem import ProblemParameters, SignedExamples
from wassdp.training.reproducible import Streams

PHASE = "generate"

UNNOISED = "accuracies averaged over all draws"
COUNTED = "the number of records of the two classes is taken as public, a neighbour replaces one of them by another"


class Parameters(ProblemParameters, experiment.JudgedParameters):
    """A problem, a bounded loss and a budget; β is ε N / (2 range)."""

    headline = "accuracy"
    other_figures = ("acceptance", "converged", "effective", "r_hat")
    public_figures = ("records", "epsilon_exact_draw", "inverse_temperature")
    no_canaries = "a single draw of weights is released, in which no record has a part of its own"
    evaluation_figures = ("accuracy_draw",)

    epsilon: Annotated[Epsilon, Field(description="pure epsilon of one exact draw, replace one")]
    draw: Literal["finite", "mala"] = Field(
        description="finite: W is a fixed set of random classifiers and the draw exact; mala: W is continuous, and the "
        "draw has no proven budget, since a chain only approaches its target"
    )
    base_std: Annotated[
        float, Field(gt=0, le=1e12, description="deviation of the Gaussian experiment measure, each weight")
    ] = 10.0
    hypotheses: Annotated[int, Field(ge=2, description="finite: size of W, drawn from the experiment measure")] = 10_000
    chains: Annotated[int, Field(ge=2, description="mala")] = 4
    start_std: Annotated[
        float, Field(gt=0, description="mala: deviation of the chains' starts; far out a bounded loss is flat")
    ] = 0.5
    warm_up: Annotated[int, Field(ge=40, description="mala: steps")] = 2000
    draws: Annotated[int, Field(ge=10, description="mala: draws kept of each chain")] = 1000
    thin: Annotated[int, Field(ge=1, description="mala: steps for each draw kept")] = 2
    delta: Annotated[AccountedDelta, Field(description="at which the accountants state the exact draw")] = 1e-5

    def describe(self) -> experiment.Description:
        asked = experiment.asked(epsilon=self.epsilon)
        # A chain has no budget: it only approaches the draw that would have one.
        drawn, asked = ("exact draw", asked) if self.draw == "finite" else ("MALA", f"{asked} of an exact draw")
        return experiment.Description(self.problem.dataset, f"{TITLES[self.loss]} loss, {drawn}", asked)

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release():
            return reason
        if self.draw == "mala" and math.isinf(named(self.loss).range(math.inf)):
            return f"loss {self.loss} is unbounded on a continuous W: no epsilon"
        return super().impossible()

    def expected_event(self) -> Event | None:
        if self.draw != "finite":
            return None
        return repeated(Gibbs(inverse_temperature=1.0, risk_range=1.0, records=1), 1)


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """``accuracy``: what a draw from q has on average on test records; ``accuracy_draw``: that of one draw.

    The draw is what is released; the average is a figure of the posterior itself, which carries no noise.

    ``epsilon_exact_draw`` is the exponential mechanism's ε of an exact draw. Only a finite W gives an event to account
    for: no theorem here bounds a chain's distance to q. Its R-hat says whether it may be taken for one.
    """
    train, test = parameters.problem.load(parameters.judged_on)
    generator = np.random.default_rng(seed)
    metrics: dict[str, float]
    event: Event | None
    if parameters.draw == "finite":
        # Hypotheses are public; the draw among them is the release, from a stream that no other run has.
        metrics, event = _finite(
            parameters, train, test, generator, Streams.of(seed, context.run, before_noise=context.count_attempt).noise
        )
    else:
        metrics, event = _mala(parameters, train, test, generator)
    return experiment.Findings(
        metrics={"records": float(len(train)), "epsilon_exact_draw": parameters.epsilon} | metrics,
        event=event,
        delta=None if event is None else parameters.delta,
    )


def _finite(
    parameters: Parameters, train: SignedExamples, test: SignedExamples, generator: np.random.Generator, bits: Bits
) -> tuple[dict[str, float], Event]:
    dimension = train.features.shape[1]
    weights = parameters.base_std * generator.normal(size=(parameters.hypotheses, dimension))
    intercepts = parameters.base_std * generator.normal(size=parameters.hypotheses)
    risks = train.risks(weights, parameters.loss, intercepts)
    beta = _inverse_temperature(parameters.epsilon, len(train), risks.range)
    log_weights = exact_draw.weights(risks, parameters.epsilon)
    accuracies = test.accuracy(weights @ test.features.T + intercepts[:, None])
    metrics = {
        "inverse_temperature": beta,
        "accuracy_draw": float(accuracies[categorical(log_weights, generator=bits)]),
    }
    if not parameters.release:
        metrics["accuracy"] = float(special.softmax(log_weights) @ accuracies)
    release = Gibbs(inverse_temperature=beta, risk_range=risks.range, records=len(train), largest_risk=risks.largest)
    return metrics, qualified(repeated(release, 1), notes=(COUNTED, *parameters.notes(UNNOISED)))


def _mala(
    parameters: Parameters, train: SignedExamples, test: SignedExamples, generator: np.random.Generator
) -> tuple[dict[str, float], None]:
    beta = _inverse_temperature(parameters.epsilon, len(train), named(parameters.loss).range(math.inf))
    linear = LinearScores(intercept=True)
    potential = train.potential(linear, parameters.loss, beta, parameters.base_std)
    start = langevin.starts(potential, parameters.chains, generator, spread=parameters.start_std)
    sample = langevin.mala(
        potential,
        start,
        warm_up=parameters.warm_up,
        draws=parameters.draws,
        thin=parameters.thin,
        generator=generator,
    )
    r_hat, effective = estimators.convergence(estimators.watched(potential, sample))
    accuracies = np.stack([test.accuracy(linear.forward(chain, test.features)[0]) for chain in sample.draws])
    return {
        "inverse_temperature": beta,
        "accuracy": float(accuracies.mean()),
        "accuracy_draw": float(accuracies[0, -1]),
        "acceptance": float(sample.acceptance.mean()),
        "r_hat": min(r_hat, estimators.WORST_R_HAT),
        "effective": effective,
        "converged": float(estimators.is_converged(r_hat, effective)),
    }, None


def _inverse_temperature(epsilon: float, records: int, risk_range: float) -> float:
    """The inverse temperature of an exponential mechanism: ε = 2 β range / N."""
    return epsilon * records / (2 * risk_range)
