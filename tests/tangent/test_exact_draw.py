"""What one record does to the logarithms of a Gibbs posterior's weights, in the numbers that are drawn from."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassdp.accounting import accountant
from wassdp.experiment import Context
from wassdp.experiments import gibbs_accuracy
from wassdp.tangent import exact_draw, gibbs
from wassdp.tangent.losses import named
from wassdp.tangent.risks import MarginRisks, MatrixRisks


def margins(base_std: float, *, flipped: int | None, records: int = 400, loss: str = "savage") -> MarginRisks:
    generator = np.random.default_rng(1)
    weights = base_std * generator.normal(size=(300, 3))
    features = generator.normal(size=(records, 3))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.sign(generator.normal(size=records))
    if flipped is not None:
        labels[flipped] = -labels[flipped]
    return MarginRisks(weights, features, labels, named(loss))


def apart(first: np.ndarray, second: np.ndarray) -> float:
    """The largest logarithm of the ratio of two laws' probabilities, of weights that need not sum to 1."""
    totals = [float(np.logaddexp.reduce(each)) for each in (first, second)]
    return float(np.abs((first - totals[0]) - (second - totals[1])).max())


@pytest.mark.parametrize("base_std", [1e-15, 1e-12, 1e-6, 1.0, 100.0])
@pytest.mark.parametrize("loss", ["savage", "tangent", "zero_one", "logistic", "squared"])
def test_a_replaced_record_moves_no_probability_by_more_than_the_budget(base_std: float, loss: str) -> None:
    for flipped in (0, 7, 399):
        first, second = (
            exact_draw.weights(margins(base_std, flipped=each, loss=loss), 1.0) for each in (None, flipped)
        )
        assert float(np.abs(first - second).max()) <= 0.5
        assert apart(first, second) <= 1 + 1e-9  # of this test's own sums


def test_plain_sums_do_where_the_range_is_far_below_the_risks() -> None:
    """That is why they are not used: at ε = 1 one label moves a logarithm of the plain posterior by more than 1.5."""
    laws = []
    for flipped in (None, 0):
        risks = margins(1e-15, flipped=flipped)
        laws.append(gibbs.posterior(risks, 400 / (2 * risks.range)).log_probabilities)
    assert apart(*laws) > 1.5


@given(
    st.integers(1, 40).flatmap(
        lambda records: st.tuples(
            st.lists(st.lists(st.floats(0, 1), min_size=records, max_size=records), min_size=2, max_size=5),
            st.integers(0, records - 1),
            st.lists(st.floats(0, 1), min_size=5, max_size=5),
        )
    ),
    st.floats(1e-3, 100),
)
def test_weights_are_those_of_fractions_and_a_record_moves_them_by_half_the_budget(
    case: tuple[list[list[float]], int, list[float]], epsilon: float
) -> None:
    rows, place, other = case
    matrix = np.array(rows)
    neighbour = matrix.copy()
    neighbour[:, place] = other[: len(matrix)]
    first, second = (exact_draw.weights(MatrixRisks(each), epsilon) for each in (matrix, neighbour))
    moved = max(abs(Fraction(a) - Fraction(b)) for a, b in zip(first.tolist(), second.tolist(), strict=True))
    assert moved <= Fraction(epsilon) / 2
    expected = [-epsilon / 2 * float(sum(map(Fraction, row))) for row in rows]
    np.testing.assert_allclose(first, expected, rtol=1e-12, atol=1e-9)


def test_what_is_no_number_counts_as_the_largest_risk() -> None:
    risks = MatrixRisks(np.array([[0.5, 0.5], [0.5, 0.5]]))
    object.__setattr__(risks, "matrix", np.array([[0.5, np.nan], [0.5, 1.0]]))
    assert len(set(exact_draw.weights(risks, 1.0).tolist())) == 1


def test_given_risks_stay_as_they_are() -> None:
    matrix = np.array([[0.25], [0.75]])
    exact_draw.weights(MatrixRisks(matrix, most=2.0), 1.0)
    assert matrix.tolist() == [[0.25], [0.75]]


def parameters(**changes: object) -> gibbs_accuracy.Parameters:
    given = {"problem": {"dataset": "german_credit"}, "loss": "savage", "epsilon": 1.0, "draw": "finite"}
    return gibbs_accuracy.Parameters.model_validate({**given, "hypotheses": 50, **changes})


@pytest.mark.mirror
def test_a_side_without_a_training_record_stops_nothing(tmp_path: Path) -> None:
    """Stopping would say which label a record has, whatever the budget."""
    context = Context(folder=tmp_path, code="x", device="cpu")
    for records in (2, 3, 4, 5):
        chosen = parameters(problem={"dataset": "german_credit", "records": records}, release=True)
        found = gibbs_accuracy.run(chosen, seed=0, context=context)
        assert found.event is not None
        assert accountant.load("pld").epsilon(found.event, 1e-5).epsilon <= 1.0


def test_a_place_kept_twice_is_refused_before_anything_is_read() -> None:
    reason = parameters(problem={"dataset": "german_credit", "keep": [1, 0, 1]}).impossible()
    assert reason == "keep has place 1 twice: each at most once, or records may be longer than 1"
