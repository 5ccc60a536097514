"""Statements that something happens: an example makes them true, a proof that there is none false."""

import numpy as np
import pytest

from wassdp import claims
from wassdp.claims import clipped_batches
from wassdp.claims.existence import Existence


def statement(ratio, **more):
    words = {"paper": "p", "item": "Remark 1", "place": "Section 1", "statement": "somewhere it is broken"}
    draw = {"draw": lambda generator: float(generator.random()), "corrupted": lambda case: 2 * case}
    return Existence(**words, **draw, ratio=ratio, **more)


def test_an_example_makes_it_true_and_is_told():
    verdict = statement(lambda case: case + 0.5).check(np.random.default_rng(0), 50)
    assert verdict.status == "holds here"
    assert verdict.ratio is not None
    assert verdict.ratio > 1
    assert f"at {verdict.ratio - 0.5}"[:8] in verdict.figure


def test_without_one_the_proof_stands_beside_what_was_tried(tmp_path):
    claim = statement(lambda case: case, proof="a random number is below 1")
    verdict = claim.check(np.random.default_rng(0), 50)
    assert verdict.status == "refuted"
    assert verdict.figure.endswith("in 50 cases, and a random number is below 1")
    assert claim.flipped(tmp_path).check(np.random.default_rng(0), 50).holds


def test_what_other_code_finds_stands_beside_the_proof_unless_it_finds_an_example():
    claim = statement(lambda case: case, proof="a random number is below 1", verified=lambda case: case / 2)
    verdict = claim.check(np.random.default_rng(0), 50)
    assert verdict.figure.endswith(f"by independent code {verdict.ratio / 2:.4g}, and a random number is below 1")
    wrong = statement(lambda case: case, verified=lambda case: 1.5 if case > 0.5 else np.nan)
    with pytest.raises(ValueError, match=r"Remark 1: left / right side by independent code (1\.5|nan), at 0\."):
        wrong.check(np.random.default_rng(0), 50)


def test_excess_of_clipped_batches_by_normal_probabilities_is_that_of_the_integral():
    generator = np.random.default_rng(5)
    for case in (clipped_batches.draw(generator) for _ in range(20)):
        stated = case.rate * clipped_batches.whole(case, 2.0)
        if stated > 1e-9:
            plain = clipped_batches.plain_ratio(case, tiny=1e-9)
            assert plain == pytest.approx(clipped_batches.sampled(case) / stated, rel=1e-3, abs=1e-6)


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="Remark 1: a case gives no number"):
        statement(lambda case: float("nan")).check(np.random.default_rng(0), 5)
    with pytest.raises(ValueError, match="tried = 0"):
        statement(lambda case: case).check(np.random.default_rng(0), 0)


def test_pure_dp_is_a_metric_and_renyi_dp_is_none():
    pure, renyi = (claims.claim(f"wasserstein-dp-triangle-{name}") for name in ("dp", "rdp"))
    assert pure.check(np.random.default_rng(3), 300).status == "refuted"
    assert renyi.check(np.random.default_rng(3), 300).status == "holds here"
