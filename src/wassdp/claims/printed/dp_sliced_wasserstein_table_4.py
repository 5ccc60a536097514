"""Table 4 of *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021), as printed.

Each row is a problem with the noise that the paper calibrates for a budget of ε = 10. ``SETTINGS`` has the inputs,
``RECORDS`` the noise, by the private dataset: column ``sigma, <problem>``. Rows (b) are said to use the Bernstein
bound, rows (c) the central limit theorem; those of adaptation use the Bernstein bound (section 6.2).
"""

from __future__ import annotations

from typing import NamedTuple

from wassdp.claims.record import PrintedValue

EPSILON = 10.0


class Setting(NamedTuple):
    """A row: names and inputs as printed. ``records`` of CelebA is printed as 162K."""

    problem: str
    dataset: str
    delta: float
    dimension: int
    projections: int
    records: int
    epochs: int
    batch: int
    sigma: float
    digit: float  # of ``sigma``

    @property
    def steps(self) -> int:
        """Whole and started batches of all epochs."""
        return self.epochs * -(-self.records // self.batch)


SETTINGS = (
    Setting("U-M", "mnist", 1e-5, 784, 200, 10000, 100, 128, 4.74, 0.01),
    Setting("M-U", "usps", 1e-5, 784, 200, 7438, 100, 128, 5.34, 0.01),
    Setting("VisDA", "visda", 1e-5, 100, 1000, 55387, 50, 128, 6.40, 0.01),
    Setting("Office", "office31", 1e-3, 50, 100, 497, 50, 32, 8.05, 0.01),
    Setting("MNIST (b)", "mnist", 1e-5, 784, 1000, 60000, 100, 100, 2.94, 0.01),
    Setting("MNIST (c)", "mnist", 1e-5, 784, 1000, 60000, 100, 100, 0.84, 0.01),
    Setting("CelebA (b)", "celeba", 1e-6, 8192, 2000, 162000, 100, 256, 2.392, 0.001),
    Setting("CelebA (c)", "celeba", 1e-6, 8192, 2000, 162000, 100, 256, 0.37, 0.01),
)

RECORDS = tuple(
    PrintedValue(
        paper="dp-sliced-wasserstein",
        where="Table 4",
        row=setting.dataset,
        column=f"sigma, {setting.problem}",
        printed=setting.sigma,
        unit="noise",
    )
    for setting in SETTINGS
)
