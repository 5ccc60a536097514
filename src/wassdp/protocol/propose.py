"""The next setting to try, by Optuna's tree-structured Parzen estimator (Bergstra et al. 2011).

A proposal is a function of the space, the trials so far, their number and a seed: a search that was killed goes on as
if it had not been.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState

from wassdp.files import canonical_json
from wassdp.protocol.trials import Trial
from wassdp.selection import Range, Space, Values

STARTUP = 4
"""So many settings are drawn at random before the estimator is asked."""
DIGITS = 3
"""Significant digits of a number that is proposed: what is tried can be read and typed."""


def propose(space: Space, done: Sequence[Trial], *, seed: str) -> dict[str, Any]:
    """The setting to try after ``done``.

    Args:
        space: what may be chosen.
        done: trials so far, failed ones among them.
        seed: of the search; the number of the trial is added to it.

    >>> space = {"rate": Range(low=0.1, high=10, log=True), "loss": Values(values=["a", {"b": 1}])}
    >>> propose(space, [], seed="x") == propose(space, [], seed="x")
    True
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    number = int.from_bytes(hashlib.sha256(f"{seed}/{len(done)}".encode()).digest()[:4], "big")
    sampler = optuna.samplers.TPESampler(seed=number, n_startup_trials=STARTUP)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    distributions = {name: _distribution(choice) for name, choice in space.items()}
    study.add_trials([_known(trial, space, distributions) for trial in done])
    asked = study.ask(distributions).params
    return {name: _taken(space[name], asked[name]) for name in space}


def _distribution(choice: Range | Values) -> BaseDistribution:
    if isinstance(choice, Values):
        return CategoricalDistribution([canonical_json(value) for value in choice.values])
    if choice.integer:
        return IntDistribution(int(choice.low), int(choice.high), log=choice.log)
    return FloatDistribution(choice.low, choice.high, log=choice.log)


def _known(trial: Trial, space: Space, distributions: Mapping[str, BaseDistribution]) -> FrozenTrial:
    values = {
        name: canonical_json(trial.setting[name]) if isinstance(choice, Values) else trial.setting[name]
        for name, choice in space.items()
    }
    state = TrialState.COMPLETE if trial.state == "complete" else TrialState.FAIL
    return optuna.create_trial(params=values, distributions=dict(distributions), value=trial.value, state=state)


def _taken(choice: Range | Values, value: Any) -> Any:
    if isinstance(choice, Values):
        return json.loads(value)
    if choice.integer:
        return int(value)
    return min(max(float(f"{value:.{DIGITS}g}"), choice.low), choice.high)
