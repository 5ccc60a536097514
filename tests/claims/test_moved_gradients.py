"""The gradient as printed is the library's, and both ways to it agree; searches stay within what theorems assume."""

import dataclasses

import numpy as np
import pytest
import torch

from wassdp.claims import fair_gradients, moved_gradients
from wassdp.distances.sliced import sliced_wasserstein_power
from wassdp.mechanisms.wasserstein_objective import equality_of_odds, statistical_parity


def by_torch(case):
    theta = torch.zeros((), dtype=torch.float64, requires_grad=True)
    left, right, slopes, right_slopes, directions = (
        torch.tensor(rows, dtype=torch.float64)
        for rows in (case.left, case.right, case.slopes, case.right_slopes, case.directions)
    )
    value = sliced_wasserstein_power(left + theta * slopes, right + theta * right_slopes, directions.T, p=2.0)
    return float(torch.autograd.grad(value, theta)[0])


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_printed_gradient_is_the_library_s_and_the_plain_one(dimension):
    generator = np.random.default_rng(dimension)
    for _ in range(20):
        case = moved_gradients.draw(generator, dimensions=(dimension,))
        case = moved_gradients.nearby(generator, case)
        rows = np.array((*case.left, *case.right)) + 1e-6 * generator.normal(
            size=(len(case.left + case.right), dimension)
        )
        case = dataclasses.replace(  # without ties, where any order gives another gradient
            case,
            left=tuple(map(tuple, rows[: len(case.left)].tolist())),
            right=tuple(map(tuple, rows[len(case.left) :].tolist())),
        )
        found = moved_gradients.gradient(case)
        assert found == pytest.approx(by_torch(case), abs=1e-9)
        assert moved_gradients.plain_moved(case) == pytest.approx(moved_gradients.moved(case), abs=1e-9)


def test_cases_stay_within_the_bounds():
    generator = np.random.default_rng(0)
    for _ in range(50):
        case = moved_gradients.nearby(generator, moved_gradients.draw(generator, dimensions=(1, 2, 3)))
        for rows, most in (
            ((*case.left, case.other, *case.right), case.bound),
            ((*case.slopes, case.other_slope), case.norms[0]),
            (case.right_slopes, case.norms[1]),
        ):
            assert max(np.linalg.norm(row) for row in rows) <= most * (1 + 1e-12)


@pytest.mark.parametrize("bound", ["published", "tight"])
@pytest.mark.parametrize("classes", [1, 2])
def test_the_stated_sensitivity_is_that_of_the_library_s_objectives(classes, bound):
    case = fair_gradients.draw(np.random.default_rng(classes), classes=classes)
    sizes = {(j, k): len(side) for k, part in enumerate(case.classes) for j, side in enumerate((part.left, part.right))}
    shared = {
        "alpha": case.alpha,
        "output_norm": case.changed.bound,
        "jacobian_norm": case.changed.norms[0],
        "loss_norm": case.loss_norm,
        "bound": bound,
    }
    if classes == 1:
        objective = statistical_parity(records=list(sizes.values()), batches=list(sizes.values()), **shared)
    else:
        objective = equality_of_odds(records=sizes, batches=sizes, **shared)
    constant = {"published": 16.0, "tight": 8.0}[bound]
    assert objective.sensitivity == pytest.approx(case.stated(constant), rel=1e-12)
    assert fair_gradients.plain_stated(case, constant) == pytest.approx(case.stated(constant), rel=1e-12)
    assert fair_gradients.plain_moved(case) == pytest.approx(fair_gradients.moved(case), abs=1e-12)
