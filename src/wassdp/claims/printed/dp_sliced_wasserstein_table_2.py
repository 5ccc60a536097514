"""Table 2 of *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021), as printed.

Accuracies on real test images of classifiers trained on generated ones, in percent: column ``<method>, mlp`` or
``<method>, logistic``. All methods but SWD are printed at ``epsilon`` with its delta.
"""

from __future__ import annotations

from wassdp.claims.record import PrintedValue

EPSILON, DELTA = 10.0, 1e-5
_ROWS = {
    # method: MNIST MLP and LogReg, Fashion-MNIST MLP and LogReg
    "SWD": (87, 82, 77, 76),
    "GS-WGAN": (79, 79, 65, 68),
    "DP-CGAN": (60, 60, 50, 51),
    "DP-MERF": (76, 75, 72, 71),
    "DP-SWD-c": (77, 78, 67, 66),
    "DP-SWD-b": (76, 77, 67, 66),
}
METHODS = tuple(_ROWS)
CLASSIFIERS = ("mlp", "logistic")
WITHOUT_PRIVACY = "SWD"


def _record(row: str, column: str, printed: float, unit: str, delta: float | None = None) -> PrintedValue:
    return PrintedValue(
        paper="dp-sliced-wasserstein",
        where="Table 2",
        row=row,
        column=column,
        printed=printed,
        unit=unit,
        delta=delta,
    )


RECORDS = tuple(
    record
    for place, dataset in enumerate(("mnist", "fashion_mnist"))
    for record in (
        _record(dataset, "epsilon", EPSILON, "nats", DELTA),
        *(
            _record(dataset, f"{method}, {classifier}", printed[2 * place + which], "percent")
            for method, printed in _ROWS.items()
            for which, classifier in enumerate(CLASSIFIERS)
        ),
    )
)
