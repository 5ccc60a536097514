"""DP-SWD's Proposition 2 with the Bernstein bound, as printed."""

from __future__ import annotations

from wassdp.accounting.formulas import sliced_tails
from wassdp.accounting.statements.sliced import SlicedAccountant


class SWDBernsteinAccountant(SlicedAccountant):
    """w = k/d + (2/3) L + (2/d) √(k (d-1)/(d+2) L), L = log(2/δ); ε = min_α [T D_α + log(2/δ)/(α-1)]."""

    source = "SWD Lemma 2, Proposition 2; subsampling: Wang et al. (2019), Theorem 9"
    squared_sensitivity = staticmethod(sliced_tails.bernstein)
