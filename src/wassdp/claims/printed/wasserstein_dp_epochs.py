"""Epochs to an accuracy of 96 % on MNIST, from the text of *Wasserstein Differential Privacy*, section Deep Learning.

Printed are 16 for WDP, 50 for BDP and, as a number that is exceeded, 100 for DP. Each of the three frameworks trains
with a noise of its own; the paper prints none of them.
"""

from __future__ import annotations

from wassdp.claims.record import PrintedValue

LEVEL = 96.0  # percent
_EPOCHS = {"DP": 100, "BDP": 50, "WDP": 16}

RECORDS = tuple(
    PrintedValue(
        paper="wasserstein-dp", where="Deep Learning", row="mnist", column=framework, printed=epochs, unit="epochs"
    )
    for framework, epochs in _EPOCHS.items()
)
