"""Losses, their ranges and slopes; risks block by block, and what is refused."""

import math

import numpy as np
import pytest

from wassdp.tangent import risks
from wassdp.tangent.losses import LOSSES, named


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("reach", [0.3, 1.0, 4.0])
def test_the_range_is_what_a_fine_grid_finds(name, reach):
    margins = np.linspace(-reach, reach, 200_001)
    values = LOSSES[name].value(margins)
    assert values.min() >= 0
    assert LOSSES[name].range(reach) == pytest.approx(values.max() - values.min(), rel=1e-6)


def test_bounded_losses_are_bounded_by_their_published_ranges():
    assert LOSSES["savage"].range(math.inf) == 1
    assert LOSSES["zero_one"].range(math.inf) == 1
    assert LOSSES["tangent"].range(math.inf) == pytest.approx((math.pi + 1) ** 2)
    assert LOSSES["logistic"].range(math.inf) == math.inf
    assert LOSSES["squared"].range(math.inf) == math.inf
    assert LOSSES["logistic"].range(5.0) == pytest.approx(5.0)  # log(1+e^m) - log(1+e^-m) = m


@pytest.mark.parametrize("name", [name for name, loss in LOSSES.items() if loss.slope is not None])
def test_slopes_are_derivatives(name):
    margins, step = np.linspace(-5, 5, 101), 1e-6
    loss = LOSSES[name]
    differences = (loss.value(margins + step) - loss.value(margins - step)) / (2 * step)
    np.testing.assert_allclose(loss.slope(margins), differences, atol=1e-8)


def test_extreme_margins_give_limits_without_warnings():
    margins = np.array([-1e6, 1e6])
    np.testing.assert_array_equal(LOSSES["savage"].value(margins), [1, 0])
    np.testing.assert_allclose(LOSSES["logistic"].value(margins), [1e6, 0], atol=1e-300)
    with pytest.raises(ValueError, match=r"loss = 'hinge': must be one of .*savage"):
        named("hinge")
    with pytest.raises(ValueError, match="reach = 0"):
        LOSSES["savage"].range(0)


def example(generator, hypotheses=7, records=11, dimension=3, loss="savage"):
    features = generator.normal(size=(records, dimension))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return risks.MarginRisks(
        weights=generator.normal(size=(hypotheses, dimension)),
        intercepts=generator.normal(size=hypotheses),
        features=features,
        labels=generator.choice([-1.0, 1.0], size=records),
        loss=named(loss),
    )


def test_margin_risks_and_gradients_are_those_of_a_loop():
    found, step = example(np.random.default_rng(0)), 1e-6
    block, gradients = found.block(2, 9), found.gradients(2, 9)
    for x in range(2, 9):
        for w in range(found.hypotheses):

            def risk(place, w=w, x=x):
                score = found.weights[w] @ place + found.intercepts[w]
                return float(found.loss.value(np.array([found.labels[x] * score]))[0])

            assert block[x - 2, w] == pytest.approx(risk(found.features[x]), rel=1e-12)
            for axis in range(3):
                offset = step * np.eye(3)[axis]
                slope = (risk(found.features[x] + offset) - risk(found.features[x] - offset)) / (2 * step)
                assert gradients[x - 2, w, axis] == pytest.approx(slope, abs=1e-8)


def test_the_range_of_margin_risks_bounds_every_record_of_allowed_norm():
    generator = np.random.default_rng(1)
    found = example(generator, loss="logistic")
    for _ in range(200):
        place = generator.normal(size=(11, 3))
        place /= np.linalg.norm(place, axis=1, keepdims=True)
        other = risks.MarginRisks(found.weights, place, found.labels, found.loss, intercepts=found.intercepts)
        assert other.block(0, 11).max() - other.block(0, 11).min() <= found.range


def test_moved_records_move():
    found = example(np.random.default_rng(2))
    shift = np.full((11, 3), 0.1)
    np.testing.assert_allclose(found.moved(shift).features, found.features + 0.1)
    assert found.moved(shift).feature_norm == pytest.approx(1 + 0.1 * math.sqrt(3))


@pytest.mark.parametrize("workers", [1, 3])
def test_blocks_cover_every_record_once_in_order(workers):
    matrix = risks.MatrixRisks(np.random.default_rng(3).random((risks.ENTRIES // 4, 30)))
    parts = list(risks.mapped(lambda a, b: matrix.block(a, b), matrix, workers=workers))
    np.testing.assert_array_equal(np.concatenate(parts), matrix.matrix.T)
    assert max(part.size for part in parts) <= risks.ENTRIES


@pytest.mark.parametrize(
    ("matrix", "least", "most", "message"),
    [
        (np.empty((0, 3)), 0, 1, "must have a hypothesis and a record"),
        (np.array([[0.5, np.nan]]), 0, 1, r"matrix\[0, 1\] = nan: every risk must lie in \[0, 1\]"),
        (np.array([[0.5, 1.5]]), 0, 1, r"matrix\[0, 1\] = 1.5"),
        (np.array([[0.5]]), 1, 1, r"most = 1: must be above least = 1"),
    ],
)
def test_bad_matrices_are_refused_in_one_line(matrix, least, most, message):
    with pytest.raises(ValueError, match=message) as found:
        risks.MatrixRisks(matrix, least=least, most=most)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": np.full((2, 2), np.nan)}, "a record is longer than feature_norm = 1.0, or not finite"),
        ({"features": np.full((2, 2), 2.0)}, "a record is longer than feature_norm = 1.0, or not finite"),
        ({"features": np.empty((0, 2)), "labels": np.empty(0)}, "must have a record and a dimension"),
        ({"labels": np.array([0.0, 1.0])}, "labels: must be -1 or 1"),
        ({"weights": np.full((1, 2), np.inf)}, "weights: must be finite"),
        ({"feature_norm": 0.0}, "feature_norm = 0.0: must be above 0"),
    ],
)
def test_bad_examples_are_refused(change, message):
    good = {
        "weights": np.ones((1, 2)),
        "features": np.full((2, 2), 0.1),
        "labels": np.array([-1.0, 1.0]),
        "loss": LOSSES["savage"],
    }
    with pytest.raises(ValueError, match=message):
        risks.MarginRisks(**(good | change))


def test_jumps_have_no_gradients():
    with pytest.raises(ValueError, match="loss: has jumps"):
        example(np.random.default_rng(4), loss="zero_one").gradients(0, 1)
    with pytest.raises(ValueError, match="slopes: were not given"):
        risks.MatrixRisks(np.zeros((2, 2))).gradients(0, 1)
