"""WDP Table 2: accuracies and budgets, by the authors' published defaults."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Row, Rows, number
from wassdp.claims.printed import wasserstein_dp_table_2 as table
from wassdp.claims.recomputed import Entry

COLUMNS = {
    "DP": "epsilon/published/moments",
    "BDP": "epsilon/published/bayesian_printed_delta",
    "WDP": "epsilon/published/wasserstein_printed_delta",
}


def _entries(rows: Rows) -> list[Entry]:
    runs = rows["published-table-2"]
    printed = {(record.row, record.column): record.printed for record in table.RECORDS}
    entries = []
    for dataset in dict.fromkeys(row["parameters.dataset"] for row in runs):
        own = [row for row in runs if row["parameters.dataset"] == dataset]
        for row in own:
            entries += _of_run(dataset, row, printed)
    return entries


def _of_run(dataset: str, row: Row, printed: dict[tuple[str, str], float]) -> list[Entry]:
    private = row["privacy"] != "no privacy"
    column = "accuracy" if private else "accuracy without privacy"
    found = 100 * number(row, "accuracy")
    about = f"{dataset}, seed {row['seed']}"
    entries = [Entry(name=f"{about}, {column} (%)", printed=printed[dataset, column], found=found, digit=1.0)]
    for framework, name in COLUMNS.items() if private else ():
        budget = Entry(
            name=f"{about}, ε of {framework}", printed=printed[dataset, framework], found=number(row, name), digit=0.1
        )
        entries.append(budget)
    return entries


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Table 2",
    place="Table 2, without its row on SVHN, of which there are no data here",
    statement="accuracies and budgets of the printed table",
    formula="|acc - printed| ≤ 1 point, |ε_X - printed| ≤ 0.1, X = DP, BDP, WDP, each row and seed",
    experiments=(("wasserstein-dp", "published-table-2"),),
    entries=_entries,
    lacking="noise, epochs and learning rates behind the table; taken are the defaults of the authors' code",
)
