"""The budget of CIFAR-10 in Table 2 of *Wasserstein Differential Privacy*."""

from __future__ import annotations

from wassdp.audit.table_two import TableTwo


class Table2Cifar10(TableTwo):
    """Noise of the published formula on CIFAR-10's row."""

    row = "cifar10"
