"""SWD Proposition 2 over T steps: what its own argument costs when each step gets its share of δ/2.

Found / stated is the size of the effect on ε. Not a figure of what the release costs: the bound has room for T steps as
it is (Proposition 2, T steps), and an exact account of the same release is far lower (docs/theory.md, section 8).
"""

from __future__ import annotations

import math

from wassdp.accounting.formulas.sliced_tails import bernstein
from wassdp.claims.inequality import Inequality
from wassdp.claims.steps_of_releases import Run, budget, draw, plain_budget


def _ratio(case: Run) -> float:
    row = case.setting
    return budget(row, bernstein, row.steps) / budget(row, bernstein, 1)


def _plain(case: Run) -> float:
    row = case.setting
    return plain_budget(row, math.log(row.steps)) / plain_budget(row, 0.0)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Proposition 2, δ/T in each step",
    place="Section 4, tracking the privacy loss; Table 4, rows with the Bernstein bound",
    statement="by the argument of Proposition 2, T steps cost no more than with w(k, δ/2) in each of them",
    formula="min_α [T D_α(w(k, δ/(2T))) + log(2/δ)/(α-1)] ≤ min_α [T D_α(w(k, δ/2)) + log(2/δ)/(α-1)]",
    compared="ε with δ/(2T) / ε with δ/2",
    draw=lambda generator: draw(generator, central=False),
    ratio=_ratio,
    verified=_plain,
    corrupted=lambda case: budget(case.setting, bernstein, 1) / budget(case.setting, bernstein, case.setting.steps),
    usual=20,
    few=12,
)
