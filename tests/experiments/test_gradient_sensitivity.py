"""No neighbouring batches exceed the sensitivity theorems; some reach them."""

from __future__ import annotations

import pytest
import torch

from wassdp import experiment
from wassdp.distances.one_d import wasserstein, wasserstein_power
from wassdp.experiments import gradient_sensitivity

ROUNDING = 1 + 1e-9


def run(tmp_path, **parameters) -> dict[str, float]:
    chosen = gradient_sensitivity.Parameters(**({"restarts": 3, "tries": 80} | parameters))
    found = gradient_sensitivity.run(chosen, seed=0, context=experiment.Context(folder=tmp_path, code="test"))
    return found.metrics


@pytest.mark.parametrize("relation", ["replace-one", "k-end"])
@pytest.mark.parametrize(
    ("shape", "least"),
    [
        ({"dimension": 1}, 0.99),
        ({"dimension": 1, "left": 3, "right": 5, "jacobian_norms": (1.0, 2.0)}, 0.95),
        ({"dimension": 1, "left": 5, "right": 2, "jacobian_norms": (2.0, 0.5), "output_norm": 3.0}, 0.9),
        ({"dimension": 2, "projections": 2, "directions": "orthogonal"}, 0.7),
        ({"dimension": 2, "projections": 50, "left": 3, "right": 5}, 0.5),
    ],
)
def test_clipped_gradients(tmp_path, relation, shape, least):
    found = run(tmp_path, theorem="clipped", relation=relation, **shape)
    assert least < found["ratio"] <= ROUNDING
    assert found["published_ratio"] < found["ratio"]


@pytest.mark.parametrize(
    ("shape", "least"),
    [
        ({"dimension": 1}, 0.99),
        ({"dimension": 2, "projections": 2, "directions": "orthogonal"}, 0.95),
        ({"dimension": 40, "projections": 30, "left": 3, "right": 6}, 0.1),
        ({"dimension": 784, "projections": 784, "directions": "orthogonal", "restarts": 1, "tries": 20}, 0.3),
    ],
)
def test_output_gradients(tmp_path, shape, least):
    found = run(tmp_path, theorem="output", **shape)
    assert least < found["ratio"] <= ROUNDING


def test_what_cannot_be_asked_for():
    wrong = gradient_sensitivity.Parameters(theorem="output", relation="k-end")
    assert "public" in str(wrong.impossible())
    uneven = gradient_sensitivity.Parameters(theorem="clipped", dimension=3, projections=5, directions="orthogonal")
    assert "multiple" in str(uneven.impossible())


@pytest.mark.parametrize("n", [2, 10, 1000])
@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_appendix_d_the_gradient_of_the_distance_itself_jumps_by_two(n, p):
    places = torch.arange(1, n + 1, dtype=torch.float64)
    x, other, z = places / n, (places - 1) / n, (2 * places - 1) / (2 * n)
    slopes, powers = [], []
    for sample in (x, other):
        theta = torch.zeros((), dtype=torch.float64, requires_grad=True)
        slopes.append(float(torch.autograd.grad(wasserstein(sample + theta, z, p=p), theta)[0]))
        powers.append(float(torch.autograd.grad(wasserstein_power(sample + theta, z), theta)[0]))
    # The datasets differ in one record: 1 in place of 0.
    assert slopes == pytest.approx([1.0, -1.0])
    # The square, whose gradient is released, moves by 2/n only.
    assert powers[0] - powers[1] == pytest.approx(2 / n)
