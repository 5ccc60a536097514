"""SWD Table 2: accuracies of classifiers trained on generated images, in each reading that has all 60,000 steps."""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Row, Rows, mean
from wassdp.claims.printed import dp_sliced_wasserstein_table_2 as table
from wassdp.claims.recomputed import Entry

ROWS = {"σ = 2.94": "DP-SWD-b", "σ = 0.84": "DP-SWD-c", "no privacy": "SWD", "ε = 10": "DP-MERF"}
"""Privacy of a setting, to the row that it is compared with; MERF without privacy is none of them."""
NEAR = 2.0  # points


def _entries(rows: Rows) -> list[Entry]:
    printed = {(record.row, record.column): record.printed for record in table.RECORDS}
    entries = []
    for dataset, name in (("mnist", "mnist"), ("fashion_mnist", "fashion-mnist")):
        settings: dict[str, list[Row]] = {}
        for row in rows[f"generation-readings-{name}"]:
            settings.setdefault(row["label"], []).append(row)
        for label, runs in settings.items():
            method = ROWS[runs[0]["privacy"]]
            if not label.startswith(method.removesuffix("-b").removesuffix("-c")):
                continue
            entries += [
                Entry(
                    name=f"{dataset}, {classifier}, {method}, {label} (%)",
                    printed=printed[dataset, f"{method}, {classifier}"],
                    found=100 * mean(runs, f"accuracy_{classifier}"),
                    digit=NEAR,
                )
                for classifier in table.CLASSIFIERS
            ]
    return entries


CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Table 2",
    place="Table 2, rows SWD, DP-MERF, DP-SWD-b and DP-SWD-c",
    statement="accuracies of SWD's, DP-MERF's and DP-SWD's rows, means over seeds, up to two points",
    formula="|E acc - printed| ≤ 2 points, each row, classifier and reading",
    experiments=(
        ("dp-sliced-wasserstein", "generation-readings-mnist"),
        ("dp-sliced-wasserstein", "generation-readings-fashion-mnist"),
    ),
    entries=_entries,
    lacking="how labels enter the distance, and whether rows are scaled; each reading stands for itself",
)
