"""Norms against double precision: of short rows, and of long ones."""

from __future__ import annotations

import pytest
import torch

from wassdp.mechanisms.dpsgd import clipped_sum
from wassdp.mechanisms.dpswd import clip
from wassdp.mechanisms.norms import BLOCK, norms


@pytest.mark.parametrize("length", [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 5 * BLOCK + 17])
def test_every_length_is_added_up(length: int) -> None:
    rows = torch.randn(3, length, generator=torch.Generator().manual_seed(length))
    torch.testing.assert_close(norms(rows), rows.double().norm(dim=1).float(), rtol=1e-6, atol=0)
    torch.testing.assert_close(norms(rows.double()), rows.double().norm(dim=1))
    transposed = rows.T.contiguous().T
    torch.testing.assert_close(norms(transposed), norms(rows), rtol=1e-6, atol=0)


@pytest.mark.parametrize("leading", [1, 8, 64])
def test_short_numbers_beside_a_long_sum_are_not_lost(leading: int) -> None:
    """Added up in single precision the norm is too small by 1 in 100, and what is clipped by it too long."""
    row = torch.full((1, 2**22), 0.9 * 2.0**-12)
    row[0, :leading] = 1.0
    assert float(clipped_sum(row, clip_norm=1.0).double().norm()) == pytest.approx(1, abs=2e-5)
    assert float(clip(row, 1.0)[0].double().norm()) == pytest.approx(1, abs=2e-5)


def test_rows_that_are_not_finite_have_no_finite_norm() -> None:
    rows = torch.ones(3, 3 * BLOCK)
    rows[0, 5], rows[1, -1] = torch.nan, torch.inf
    found = norms(rows)
    assert torch.isnan(found[0])
    assert torch.isinf(found[1])
    assert torch.isfinite(found[2])
