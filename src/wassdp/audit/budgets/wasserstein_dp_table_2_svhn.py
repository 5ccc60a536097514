"""The budget of SVHN in Table 2 of *Wasserstein Differential Privacy*."""

from __future__ import annotations

from wassdp.audit.table_two import TableTwo


class Table2Svhn(TableTwo):
    """Noise of the published formula on SVHN's row."""

    row = "svhn"
