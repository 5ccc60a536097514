"""The budget of MNIST in Table 2 of *Wasserstein Differential Privacy*."""

from __future__ import annotations

from wassdp.audit.table_two import TableTwo


class Table2Mnist(TableTwo):
    """Noise of the published formula on MNIST's row."""

    row = "mnist"
