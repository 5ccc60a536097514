"""SWD Table 2: accuracies of classifiers trained on generated digits, in each reading that has all 60,000 steps."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.printed import dp_sliced_wasserstein_table_2 as table
from wassdp.claims.recomputed import Entry

METHODS = {"2.94": "DP-SWD-b", "0.84": "DP-SWD-c"}
NEAR = 2.0  # points


def _entries(rows: Rows) -> list[Entry]:
    printed = {(record.row, record.column): record.printed for record in table.RECORDS}
    entries = []
    for dataset, name in (("mnist", "mnist"), ("fashion_mnist", "fashion-mnist")):
        for row in rows[f"generation-readings-{name}"]:
            method = METHODS[row["label"].rpartition("σ = ")[2]]
            entries += [
                Entry(
                    name=f"{dataset}, {classifier}, {method}, {row['label']} (%)",
                    printed=printed[dataset, f"{method}, {classifier}"],
                    found=100 * number(row, f"accuracy_{classifier}"),
                    digit=NEAR,
                )
                for classifier in table.CLASSIFIERS
            ]
    return entries


CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Table 2",
    place="Table 2, rows DP-SWD-b and DP-SWD-c",
    statement="accuracies of DP-SWD's rows, up to two points",
    experiments=(
        ("dp-sliced-wasserstein", "generation-readings-mnist"),
        ("dp-sliced-wasserstein", "generation-readings-fashion-mnist"),
    ),
    entries=_entries,
    lacking="how labels enter the distance, and whether rows are scaled; each reading stands for itself",
)
