"""Table 2 of *Wasserstein Differential Privacy*: printed, recomputed, and what the same runs prove."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import pandas as pd
from pydantic import Field

from wassdp import claims
from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.accounting.guarantee import Kind
from wassdp.accounting.rounding import of_all
from wassdp.claims import PrintedValue
from wassdp.claims.paired_seeds import half_width
from wassdp.report.frames import require
from wassdp.report.kinds import Table
from wassdp.report.settings import DATASET
from wassdp.report.shares import DELTA_RECORDS, largest
from wassdp.report.table_files import bounds

FRAMEWORKS = ("DP", "BDP", "WDP")
NOISE = "parameters.privacy.noise_multiplier"
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
    recomputed from the printed ε, and **recomputed** from trainings with the authors' networks, step and noise (their
    code's defaults; **± 95 %** is half the width of Student's interval of the mean over seeds), at the δ that the table
    prints and at the one that the code sets. DP, BDP and WDP are the moments, Bayesian and Wasserstein accountants as
    coded (order 16, β = 32), all from the same steps: the paper lets each framework choose a noise of its own and
    prints none, so one noise serves all three. By itself none of these ε proves anything about these runs. The step
    clips the *mean* gradient of a shuffled batch, for which the moments accountant (Poisson samples of per-example
    gradients) is no bound; a BDP budget is an estimate for records drawn like the measured ones; a WDP budget is a
    distance in the unit of the gradients, grows with the noise, and bounds no likelihood ratio, so that no P(A) follows
    from it. **proved ε** is a theorem about the same runs: replace one record, shuffled passes, one full Gaussian
    release for each pass ({{ proved }}), for the noisy gradients alone: without running statistics of batch
    normalisation, and with the input constants taken as public. Its P(A) is (e^ε + δ)/(e^ε + 1). A dataset without
    recomputed rows was not run.
    """

    claim: Annotated[str, claims.PRINTED] = Field(
        default="wasserstein-dp-table-2", description="the printed table, as in wassdp.claims"
    )
    recomputed: dict[str, dict[str, str]] = Field(
        default={
            "δ as printed": {
                "DP": "published/moments",
                "BDP": "published/bayesian_printed_delta",
                "WDP": "published/wasserstein_printed_delta",
            },
            "δ as coded": {"DP": "published/moments", "BDP": "published/bayesian", "WDP": "published/wasserstein"},
        },
        description="name of a row to the accountant of each framework; the deltas are those of the results",
    )
    proved: str = Field(default="upper/pld", description="accountant whose budget the same runs prove")

    def accountants_needed(self) -> tuple[str, ...]:
        return self.proved, *(name for row in self.recomputed.values() for name in row.values())

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """For each dataset: the printed row, its probabilities recomputed, and the row recomputed from runs.

        Recomputed rows are means over the seeds, missing where a seed lacks its share, one group for each noise. A
        dataset that was not run keeps its printed rows. ``proved ε`` is a bound for the very runs of the row, under the
        neighbouring relation and sampling of their kind, at ``proved δ``; ∞ where nothing is proved.

        Raises:
            ValueError: a column is missing, or private runs of one dataset and noise differ in delta.
        """
        columns = ["run", "seed", "accuracy", "delta", DATASET, NOISE, "parameters.epochs"]
        require(runs, [*columns, f"epsilon/{self.proved}"])
        if not self.proved.startswith("upper/"):
            raise ValueError(f"proved = {self.proved!r}: must be an upper bound, upper/...")
        printed = {(record.row, record.column): record for record in claims.load(self.claim)}
        rows: list[dict[str, Any]] = []
        for dataset in dict.fromkeys(row for row, _ in printed):
            rows += [_printed(dataset, name, printed) for name in (PRINTED, CHECKED)]
            of_dataset = runs[runs[DATASET] == dataset]
            without = of_dataset[of_dataset["delta"].isna()]
            for noise, private in of_dataset[of_dataset["delta"].notna()].groupby(NOISE, dropna=False):
                for name, accountants in self.recomputed.items():
                    if private["delta"].nunique() != 1:
                        raise ValueError(f"runs: recomputed, {name} with noise {noise:g} has several deltas")
                    row = {"dataset": dataset, "row": f"recomputed, {name}", "noise σ": float(str(noise))}
                    rows.append(row | _recomputed(private, without, accountants, self.proved))
        first = ["dataset", "row", "noise σ", "epochs", "seeds"]
        table = pd.DataFrame(rows)
        kinds: dict[str, Kind] = dict.fromkeys(("proved ε", "proved δ", "proved P(A)"), "upper")
        return bounds(table.reindex(columns=[*first, *(name for name in table if name not in first)]), kinds)


def _printed(dataset: str, name: str, printed: Printed) -> dict[str, Any]:
    """A printed row, or one whose probabilities are recomputed from its budgets."""

    def value(column: str) -> float:
        return float(printed[dataset, column].printed)

    row: dict[str, Any] = {"dataset": dataset, "row": name}
    row |= _accuracies(value("accuracy without privacy"), value("accuracy")) | {"accuracy ± 95 %": math.nan}
    for framework in FRAMEWORKS:
        epsilon = value(framework)
        attack = value(f"P(A) {framework}") if name == PRINTED else attack_success(epsilon)
        row |= _budget(framework, epsilon, printed[dataset, framework].delta, attack)
    return row | _proof(PROVES_PRINTED, math.nan, math.nan, math.nan)


def _recomputed(
    private: pd.DataFrame, without: pd.DataFrame, accountants: Mapping[str, str], proved: str
) -> dict[str, Any]:
    row = {"epochs": float(private["parameters.epochs"].max()), "seeds": float(private["seed"].nunique())}
    row |= _accuracies(*(100 * rows["accuracy"].mean(skipna=False) for rows in (without, private)))
    row["accuracy ± 95 %"] = 100 * half_width(private["accuracy"].tolist())
    for framework in FRAMEWORKS:
        accountant = accountants[framework]
        require(private, [f"epsilon/{accountant}"])
        epsilon = float(private[f"epsilon/{accountant}"].astype(float).mean(skipna=False))
        attack = math.nan if math.isnan(epsilon) else attack_success(epsilon)
        row |= _budget(framework, epsilon, float(private[f"delta/{accountant}"].iloc[0]), attack)
    # The worst of the runs: a proof for the row has to hold for each of them.
    worst = of_all(private[f"epsilon/{proved}"].astype(float), "upper")
    delta = float(private[f"delta/{proved}"].max())
    return row | _proof(PROVES_RECOMPUTED, worst, delta, largest(private, proved))


def _accuracies(without: float, private: float) -> dict[str, float]:
    return {"accuracy without privacy (%)": float(without), "accuracy (%)": float(private)}


def _budget(framework: str, epsilon: float, delta: float | None, attack: float) -> dict[str, Any]:
    return {f"{framework} ε": epsilon, f"{framework} δ": delta, f"{framework} P(A)": attack}


def _proof(words: str, epsilon: float, delta: float, share: float) -> dict[str, Any]:
    """What the runs of a row prove, as a budget and as a bound on every attack; missing for printed rows."""
    attack = math.nan if math.isnan(epsilon) else attack_success(epsilon, delta)
    proof = {"what these ε prove": words, "proved ε": epsilon, "proved δ": delta, "proved P(A)": attack}
    return proof | {DELTA_RECORDS: share}
