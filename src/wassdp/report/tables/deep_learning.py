"""Table 2 of *Wasserstein Differential Privacy*: printed, recomputed, and what the same runs prove."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import pandas as pd
from pydantic import Field

from wassdp import claims
from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.accounting.guarantee import Kind
from wassdp.claims import PrintedValue
from wassdp.report.frames import require
from wassdp.report.kinds import Table
from wassdp.report.shares import DELTA_RECORDS, largest
from wassdp.report.table_files import bounds

FRAMEWORKS = ("DP", "BDP", "WDP")
DATASET, NOISE = "parameters.dataset", "parameters.privacy.noise_multiplier"
PRINTED = "printed"
CHECKED = "printed ε, P(A) recomputed"
PROVES_PRINTED = "nothing that can be checked: the noise behind each is not printed"
PROVES_RECOMPUTED = (
    "DP: nothing about this step, which does not clip each example; BDP: an estimate for records drawn like the "
    "measured ones; WDP: a distance, no bound on any attack"
)
Printed = dict[tuple[str, str], PrintedValue]


class DeepLearningTable(Table):
    """The table; its fields are its options. An accountant is named ``kind/name``."""

    caption: ClassVar[str] = """
    *Wasserstein Differential Privacy* (Yang, Qi and Zhou 2024), Table 2: as **printed**, with P(A) = 1/(1+e^-ε)
    recomputed from the printed ε, and **recomputed** from trainings with the authors' networks, step and noise
    (their code's defaults), at the δ that the table prints and at the one that the code sets. DP, BDP and WDP are
    the moments, Bayesian and Wasserstein accountants as coded (order 16, β = 32), all from the same steps: the
    paper lets each framework choose a noise of its own and prints none, so one noise serves all three. By itself
    none of these ε proves anything about these runs. The step clips the *mean* gradient of a shuffled batch, for
    which the moments accountant (Poisson samples of per-example gradients) is no bound; a BDP budget is an estimate
    for records drawn like the measured ones; a WDP budget is a distance in the unit of the gradients, grows with
    the noise, and bounds no likelihood ratio, so that no P(A) follows from it. **proved ε** is a theorem about the
    same runs: replace one record, shuffled passes, one full Gaussian release for each pass ({{ proved }}), for the
    noisy gradients alone: without running statistics of batch normalisation, and with the input constants taken as
    public. Its P(A) is (e^ε + δ)/(e^ε + 1). A dataset without recomputed rows was not run.
    """

    claim: str = Field(default="wasserstein-dp-table-2", description="the printed table, as in wassdp.claims")
    recomputed: dict[str, dict[str, str]] = Field(
        default={
            "δ as printed": {
                "DP": "published/moments",
                "BDP": "published/bayesian_printed_delta",
                "WDP": "published/wasserstein_printed_delta",
            },
            "δ as coded": {
                "DP": "published/moments",
                "BDP": "published/bayesian",
                "WDP": "published/wasserstein",
            },
        },
        description="name of a row to the accountant of each framework; the deltas are those of the results",
    )
    proved: str = Field(default="upper/pld", description="accountant whose budget the same runs prove")

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """For each dataset: the printed row, its probabilities recomputed, and the row recomputed from runs.

        Recomputed rows are means over the seeds, one group for each noise. A dataset that was not run keeps its printed
        rows. ``proved ε`` is a bound for the very runs of the row, under the neighbouring relation and sampling of
        their kind, at ``proved δ``; ∞ where nothing is proved.

        Raises:
            ValueError: a column is missing, or private runs of one dataset and noise differ in delta.
        """
        require(
            runs, ["run", "seed", "accuracy", "delta", DATASET, NOISE, "parameters.epochs", f"epsilon/{self.proved}"]
        )
        if not self.proved.startswith("upper/"):
            raise ValueError(f"proved = {self.proved!r}: must be an upper bound, upper/...")
        printed = {(record.row, record.column): record for record in claims.load(self.claim)}
        rows: list[dict[str, Any]] = []
        for dataset in dict.fromkeys(row for row, _ in printed):
            rows += _printed_rows(dataset, printed)
            own = runs[runs[DATASET] == dataset]
            for noise, private in own[own["delta"].notna()].groupby(NOISE):
                without = own[own["delta"].isna()]
                rows += [
                    _recomputed(f"recomputed, {name}", float(str(noise)), private, without, accountants, self)
                    for name, accountants in self.recomputed.items()
                ]
        kinds: dict[str, Kind] = dict.fromkeys(("proved ε", "proved δ", "proved P(A)"), "upper")
        return bounds(pd.DataFrame(rows), kinds)


def _printed_rows(dataset: str, printed: Printed) -> list[dict[str, Any]]:
    def value(column: str) -> float:
        return printed[dataset, column].printed

    rows = []
    for name in (PRINTED, CHECKED):
        row = _row(dataset, name, value("accuracy without privacy"), value("accuracy"))
        for framework in FRAMEWORKS:
            epsilon = value(framework)
            attack = value(f"P(A) {framework}") if name == PRINTED else attack_success(epsilon)
            row |= _budget(framework, epsilon, printed[dataset, framework].delta, attack)
        rows.append(row | _proof(PROVES_PRINTED, math.nan, math.nan) | {DELTA_RECORDS: math.nan})
    return rows


def _recomputed(
    name: str,
    noise: float,
    private: pd.DataFrame,
    without: pd.DataFrame,
    accountants: Mapping[str, str],
    options: DeepLearningTable,
) -> dict[str, Any]:
    if private["delta"].nunique() != 1:
        raise ValueError(f"runs: {name} with noise {noise:g} has several deltas")
    dataset = str(private[DATASET].iloc[0])
    row = _row(dataset, name, _percent(without), _percent(private))
    row |= {"noise σ": noise, "epochs": float(private["parameters.epochs"].max())}
    row["seeds"] = float(private["seed"].nunique())
    for framework in FRAMEWORKS:
        column = f"epsilon/{accountants[framework]}"
        require(private, [column])
        epsilon = float(private[column].astype(float).mean())
        row |= _budget(
            framework, epsilon, float(private[f"delta/{accountants[framework]}"].iloc[0]), attack_success(epsilon)
        )
    # The worst of the runs: a proof for the row has to hold for each of them.
    worst = float(private[f"epsilon/{options.proved}"].astype(float).max())
    delta = float(private[f"delta/{options.proved}"].iloc[0])
    # At the delta of the proof: it may be another than the run's.
    share = delta / float(private["delta"].iloc[0]) * largest(private)
    return row | _proof(PROVES_RECOMPUTED, worst, delta) | {DELTA_RECORDS: share}


def _row(dataset: str, name: str, without: float, accuracy: float) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "row": name,
        "noise σ": math.nan,
        "epochs": math.nan,
        "seeds": math.nan,
        "accuracy without privacy (%)": float(without),
        "accuracy (%)": float(accuracy),
    }


def _budget(framework: str, epsilon: float, delta: float | None, attack: float) -> dict[str, Any]:
    return {f"{framework} ε": epsilon, f"{framework} δ": delta, f"{framework} P(A)": attack}


def _proof(words: str, epsilon: float, delta: float) -> dict[str, Any]:
    """What the runs of a row prove, as a budget and as a bound on every attack; missing for printed rows."""
    attack = math.nan if math.isnan(epsilon) else attack_success(epsilon, delta)
    return {"what these ε prove": words, "proved ε": epsilon, "proved δ": delta, "proved P(A)": attack}


def _percent(runs: pd.DataFrame) -> float:
    return 100 * float(runs["accuracy"].mean()) if len(runs) else math.nan
