"""The budget of Fashion-MNIST in Table 2 of *Wasserstein Differential Privacy*."""

from __future__ import annotations

from wassdp.audit.table_two import TableTwo


class Table2FashionMnist(TableTwo):
    """Noise of the published formula on Fashion-MNIST's row."""

    row = "fashion_mnist"
