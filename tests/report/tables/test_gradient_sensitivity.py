"""The table of sensitivities keeps the worst seed of every setting."""

import pandas as pd
import pytest

from wassdp.report.tables import gradient_sensitivity


def test_the_worst_seed_counts():
    row = dict.fromkeys(gradient_sensitivity.COLUMNS, 1.0) | {"parameters.theorem": "clipped", "seed": 0}
    runs = pd.DataFrame([row | {"ratio": 0.4}, row | {"ratio": 0.9, "seed": 1}, row | {"parameters.dimension": 2.0}])
    table = gradient_sensitivity.GradientSensitivityTable().build(runs, pd.DataFrame())
    assert table["ratio"].tolist() == [0.9, 1.0]
    assert table["d"].tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="ratio"):
        gradient_sensitivity.GradientSensitivityTable().build(runs.drop(columns="ratio"), pd.DataFrame())
