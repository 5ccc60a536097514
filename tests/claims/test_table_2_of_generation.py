"""Table 2 of *DP sliced Wasserstein*: each setting's mean stands beside the printed row of its method."""

import pytest

from wassdp.claims.measured.dp_sliced_wasserstein_table_2 import CLAIM

EXPERIMENTS = ("generation-readings-mnist", "generation-readings-fashion-mnist")


def run(label: str, privacy: str, mlp: float) -> dict[str, str]:
    return {"label": label, "privacy": privacy, "accuracy_mlp": str(mlp), "accuracy_logistic": "0.5"}


def test_settings_are_beside_the_row_of_their_method():
    digits = [
        *(run("DP-SWD, raw rows, σ = 2.94", "σ = 2.94", value) for value in (0.70, 0.80)),
        run("DP-SWD, raw rows, σ = 0.84", "σ = 0.84", 0.77),
        run("SWD, raw rows, no privacy", "no privacy", 0.87),
        run("DP-MERF, ε = 10", "ε = 10", 0.76),
        run("MERF, no privacy", "no privacy", 0.99),
    ]
    entries = [
        entry for entry in CLAIM.entries(dict(zip(EXPERIMENTS, (digits, []), strict=True))) if "mlp" in entry.name
    ]
    assert [entry.printed for entry in entries] == [76, 77, 87, 76]
    assert [entry.found for entry in entries] == pytest.approx([75, 77, 87, 76])
