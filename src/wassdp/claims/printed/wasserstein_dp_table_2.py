"""Table 2 of *Wasserstein Differential Privacy* (Yang, Qi and Zhou, AAAI 2024), as printed.

Columns: ``accuracy without privacy`` and ``accuracy`` in percent; the budgets ``DP``, ``BDP`` and ``WDP`` at their
printed delta; ``P(A) DP``, ``P(A) BDP`` and ``P(A) WDP``, the probabilities printed in parentheses after them.
"""

from __future__ import annotations

from wassdp.claims.record import PrintedValue

FRAMEWORKS = {"DP": 1e-5, "BDP": 1e-10, "WDP": 1e-10}
_ROWS = {
    # dataset: accuracies, then budget and probability for DP, BDP and WDP
    "mnist": (99, 96, 2.2, 0.898, 0.95, 0.721, 0.76, 0.681),
    "cifar10": (86, 73, 8.0, 0.999, 0.76, 0.681, 0.52, 0.627),
    "svhn": (93, 92, 5.0, 0.999, 0.87, 0.705, 0.40, 0.599),
    "fashion_mnist": (92, 90, 2.9, 0.623, 0.91, 0.713, 0.45, 0.611),
}


def _record(row: str, column: str, printed: float, unit: str, delta: float | None = None) -> PrintedValue:
    return PrintedValue(
        paper="wasserstein-dp", where="Table 2", row=row, column=column, printed=printed, unit=unit, delta=delta
    )


def _records(row: str, without: float, accuracy: float, *budgets: float) -> tuple[PrintedValue, ...]:
    found = [
        _record(row, "accuracy without privacy", without, "percent"),
        _record(row, "accuracy", accuracy, "percent"),
    ]
    for place, (framework, delta) in enumerate(FRAMEWORKS.items()):
        epsilon, attack = budgets[2 * place : 2 * place + 2]
        found.append(_record(row, framework, epsilon, "nats", delta))
        found.append(_record(row, f"P(A) {framework}", attack, "probability"))
    return tuple(found)


RECORDS = tuple(record for row, printed in _ROWS.items() for record in _records(row, *printed))
