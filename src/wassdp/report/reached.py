"""The epoch at which runs first reach an accuracy, by the framework whose noise they train with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar

import pandas as pd
from pydantic import Field

from wassdp import claims
from wassdp.claims.printed.wasserstein_dp_epochs import LEVEL
from wassdp.report.frames import curves, require
from wassdp.report.settings import DATASET
from wassdp.sections import Section

NOISE = "parameters.privacy.noise_multiplier"
WITHOUT = "no privacy"


class EpochsToLevel(Section):
    """Options and caption of what shows the epochs to an accuracy."""

    caption: ClassVar[str] = """
    Epochs until the test accuracy on MNIST first reaches {{ "%g" | format(level) }} %, after *Wasserstein Differential
    Privacy* (Yang, Qi and Zhou 2024), "Deep Learning", whose text says 16 (WDP), 50 (BDP) and more than 100 (DP). Each
    framework is a noise multiplier of the authors' step, on the mean gradient and not divided by the batch; the paper
    prints none of the three, and the ones used here are named. Everything else is the same: network, learning rate,
    batches, and one coordinate in ten kept. Accuracies are evaluation, normalised with the statistics of each test
    batch as in the published code.
    """

    frameworks: dict[str, float] = Field(description="framework to the noise multiplier that its runs train with")
    claim: Annotated[str, claims.PRINTED] = Field(
        default="wasserstein-dp-epochs", description="the printed epochs, as in wassdp.claims"
    )
    level: float = Field(default=LEVEL, gt=0, le=100, description="accuracy to reach, percent")

    def printed(self) -> dict[str, float]:
        """Framework to the epochs that the paper prints."""
        return {record.column: record.printed for record in claims.load(self.claim)}


def curves_by_noise(runs: pd.DataFrame, history: pd.DataFrame, frameworks: Mapping[str, float]) -> pd.DataFrame:
    """Accuracy curves in percent: run, seed, framework, noise, epoch, accuracy; least noise first, no privacy last.

    Args:
        runs: of one dataset.
        history: their curves.
        frameworks: name to noise multiplier; a run with another noise is named by it.

    Raises:
        ValueError: a column is missing, the runs are of several datasets, or one has no accuracy along epochs.
    """
    require(runs, ["run", "seed", "delta", DATASET])
    if runs[DATASET].nunique() != 1:
        raise ValueError(f"runs: are of the datasets {', '.join(sorted(runs[DATASET].unique()))}; must be of one")
    private = runs["delta"].notna()
    noise = runs[NOISE].astype(float) if NOISE in runs else pd.Series(math.nan, index=runs.index)
    names = [_name(noisy, level, frameworks) for noisy, level in zip(private, noise, strict=True)]
    # Without privacy there is no noise multiplier: such runs are sorted behind all others.
    named = runs[["run", "seed"]].assign(framework=names, noise=noise.where(private))
    points = curves(named, history, "accuracy", "epoch").drop(columns="metric").rename(columns={"value": "accuracy"})
    points["accuracy"] *= 100
    return points.sort_values(["noise", "seed", "epoch"], na_position="last", ignore_index=True)


def first_epochs(points: pd.DataFrame, level: float) -> pd.DataFrame:
    """One row for each framework: noise, seeds, epochs (the fewest run), and what was reached.

    ``first`` and ``last`` are the epochs at which the first and the last seed had an accuracy of ``level`` percent
    for the first time, infinite for a seed that never had; ``best`` is the best mean accuracy after any epoch.
    """
    reached = points["epoch"].where(points["accuracy"] >= level, math.inf)
    by_run = points.assign(reached=reached).groupby(["framework", "run"], sort=False)
    runs = by_run.agg(epochs=("epoch", "max"), reached=("reached", "min")).groupby("framework", sort=False)
    best = points.groupby(["framework", "epoch"])["accuracy"].mean().groupby("framework").max()
    table = points.groupby("framework", sort=False).agg(noise=("noise", "first"), seeds=("seed", "nunique"))
    table["epochs"] = runs["epochs"].min().astype(int)
    return table.assign(first=runs["reached"].min(), last=runs["reached"].max(), best=best).reset_index()


def _name(private: bool, noise: float, frameworks: Mapping[str, float]) -> str:
    if not private:
        return WITHOUT
    for name, level in frameworks.items():
        if math.isclose(level, noise, rel_tol=1e-9):
            return name
    return f"σ = {noise:g}"
