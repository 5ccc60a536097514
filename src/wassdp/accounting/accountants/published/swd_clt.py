"""DP-SWD's Proposition 2 with the central limit bound, as printed."""

from __future__ import annotations

from wassdp.accounting.formulas import sliced_tails
from wassdp.accounting.statements.sliced import ONE_TAIL, SlicedAccountant


class SWDCLTAccountant(SlicedAccountant):
    """w = k/d + (z/d) √(2k(d-1)/(d+2)), z the 1 - δ/2 quantile of N(0, 1); ε = min_α [T D_α + log(2/δ)/(α-1)]."""

    source = "SWD Section 3.1 (CLT bound), Proposition 2; subsampling: Wang et al. (2019), Theorem 9"
    notes = (ONE_TAIL, "the central limit theorem is taken as exact for the sensitivity's tail")
    squared_sensitivity = staticmethod(sliced_tails.central_limit)
