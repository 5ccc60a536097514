"""Long numbers: with gmpy2, as while testing, and without it, as for users, mpmath gives the same ones."""

from __future__ import annotations

import os
import subprocess
import sys

import gmpy2
import mpmath.libmp
import pytest

NUMBERS = """
import mpmath, mpmath.libmp
import numpy as np
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.formulas.absolute_moment import log_kummer
from wassdp.accounting.numerics import exact
from wassdp.noise import settle

print(mpmath.libmp.BACKEND)
with mpmath.workdps(200):
    print(*(f(mpmath.mpf(x) / 7) for f in (mpmath.erfc, mpmath.exp, mpmath.log, mpmath.zeta) for x in (1, 30, 400)))
for bits in (40, 300):
    with mpmath.workprec(bits + 100):
        print(*settle.interval(3, bits), *settle.interval(2**bits // 2 - 5, bits))
print(log_kummer(2.5, np.array([0.1, 30.0, 1e5])))
for noise in (0.1, 3.0):
    print(exact.epsilon(Gaussian(noise_multiplier=noise, adjacency="add-remove"), 1e-5))
    print(exact.epsilon(SlicedProjections(noise_std=noise, projections=50, dimension=20), 1e-5))
"""


def answers(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", NUMBERS], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.skipif("MPMATH_NOGMPY" in os.environ, reason="MPMATH_NOGMPY is set")
def test_numbers_are_the_same_with_gmpy2_and_without() -> None:
    assert mpmath.libmp.BACKEND == "gmpy", f"gmpy2 {gmpy2.version()} is installed"
    (one, *fast), (other, *slow) = answers(), answers(MPMATH_NOGMPY="1")
    assert (one, other) == ("gmpy", "python")
    assert fast == slow
    assert len(fast) == 8
