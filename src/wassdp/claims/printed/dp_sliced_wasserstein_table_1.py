"""Table 1 of *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021), as printed.

Rows are the target's dataset. Columns ``<method>, <source> to <target>`` hold the accuracy on the target in percent,
``spread of <method>, ...`` the number printed after its ± sign, and ``epsilon, <source> to <target>`` the budget that
the caption states for the private methods, with its delta. The caption's delta for VisDA, 1e-6, is not that of the
paper's Table 4, 1e-5.
"""

from __future__ import annotations

from wassdp.claims.record import PrintedValue

EPSILON = 10.0
METHODS = ("DANN", "SWD", "DP-DANN", "DP-SWD")
_ROWS = {
    # target's dataset, delta, source and target: accuracy and spread of DANN, SWD, DP-DANN, DP-SWD
    ("usps", 1e-5, "mnist", "usps"): (93.9, 0, 95.5, 1, 87.1, 2, 94.0, 0),
    ("mnist", 1e-5, "usps", "mnist"): (86.2, 2, 84.8, 2, 73.5, 2, 83.4, 2),
    ("visda", 1e-6, "train", "validation"): (57.4, 1, 53.8, 1, 49.0, 1, 47.0, 1),
    ("office31", 1e-3, "dslr", "webcam"): (90.9, 1, 90.7, 1, 88.0, 1, 90.9, 1),
    ("office31", 1e-3, "dslr", "amazon"): (58.6, 1, 59.4, 1, 56.5, 1, 55.2, 2),
    ("office31", 1e-3, "amazon", "webcam"): (70.4, 3, 74.5, 1, 68.7, 1, 72.6, 1),
    ("office31", 1e-3, "amazon", "dslr"): (78.6, 2, 78.5, 1, 73.7, 1, 79.8, 1),
    ("office31", 1e-3, "webcam", "amazon"): (54.7, 3, 59.1, 0, 56.0, 1, 59.0, 1),
    ("office31", 1e-3, "webcam", "dslr"): (91.1, 0, 95.7, 1, 63.4, 3, 92.6, 1),
}


def _record(row: str, column: str, printed: float, unit: str, delta: float | None = None) -> PrintedValue:
    return PrintedValue(
        paper="dp-sliced-wasserstein", where="Table 1", row=row, column=column, printed=printed, unit=unit, delta=delta
    )


def _records(row: str, delta: float, task: str, printed: tuple[float, ...]) -> tuple[PrintedValue, ...]:
    found = [_record(row, f"epsilon, {task}", EPSILON, "nats", delta)]
    for method, accuracy, spread in zip(METHODS, printed[::2], printed[1::2], strict=True):
        found.append(_record(row, f"{method}, {task}", accuracy, "percent"))
        found.append(_record(row, f"spread of {method}, {task}", spread, "percent"))
    return tuple(found)


RECORDS = tuple(
    record
    for (row, delta, source, target), printed in _ROWS.items()
    for record in _records(row, delta, f"{source} to {target}", printed)
)
"""In the order of the printed table."""
