"""Statements put to the test: what holds holds, what does not is found out, and neither verdict is written down."""

import numpy as np
import pytest

from wassdp import claims, code, experiment
from wassdp.claims import checking
from wassdp.claims.tangent import Case
from wassdp.claims.tangent_plain import by_moves, by_weights, posterior
from wassdp.experiments import claim_check


def test_an_unknown_claim_is_refused_with_those_that_exist():
    with pytest.raises(ValueError, match="claim = 'theorem-9': must be one of those that `wassdp claims --list` names"):
        claims.claim("theorem-9")


def test_a_file_whose_claim_is_none_is_one_line(monkeypatch):
    monkeypatch.setattr("wassdp.claims.verdicts.tangent_theorem_3_1.CLAIM", 3)
    with pytest.raises(
        ValueError, match=r"verdicts\.tangent_theorem_3_1: CLAIM = 3: must be an object of a class deriv"
    ):
        next(checking.checked(["tangent-theorem-3-1"]))


def test_theorem_3_3_is_contradicted_by_a_case_without_any_averaged_gradient():
    """R is 0 there, and q moves."""
    case = Case(np.ones((2, 1)), np.array([[[1.0]], [[-1.0]]]), 1.0)
    claim = claims.claim("tangent-theorem-3-3")
    assert claim.ratio(case) == claim.verified(case) == np.inf
    assert claims.claim("tangent-theorem-3-3-repaired").ratio(case) == pytest.approx(0.5)


def test_plain_derivatives_are_those_of_the_closed_form():
    """-β(r - qᵀr), worked out for one move and one pair of weights."""
    case = claims.claim("tangent-theorem-3-1").draw(np.random.default_rng(3))
    q = posterior(case)
    assert q == pytest.approx(case.posterior.probabilities, rel=1e-12)
    centred = case.matrix - q @ case.matrix
    expected = -case.beta * (centred[:, 0] - centred[:, 1]) / 2
    assert by_weights(case)[:, 0] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    slopes = case.slopes - np.einsum("w,wxd->xd", q, case.slopes)
    expected = -case.beta * slopes[:, 0, 0] / np.sqrt(case.records)
    assert by_moves(case)[:, 0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def _claim(**changes):
    """3x is at most x² for whole numbers x from 4 on."""
    fields = {
        "paper": "p",
        "item": "nowhere",
        "place": "Section 0",
        "statement": "s",
        "draw": lambda generator: int(generator.integers(0, 100)),
        "ratio": lambda x: 3 * x / x**2 if x else 0.0,
        "verified": lambda x: sum([x, x, x]) / max(1, sum([x] * x)),
        "corrupted": lambda x: x / x**2 if x else 0.0,
        "simpler": lambda x: [x - 1] if x > 0 else [],
    }
    return claims.Inequality(**(fields | changes))


def test_the_smallest_counterexample_is_where_shrinking_ends(tmp_path):
    verdict = _claim().check(np.random.default_rng(0), 200)
    assert verdict.ratio == 3.0
    assert verdict.counterexample.case == "1"
    assert verdict.counterexample.verified == 3.0
    assert _claim().flipped(tmp_path).check(np.random.default_rng(0), 200).holds


def test_a_search_climbs_from_its_worst_case():
    """Random numbers up to 1 never reach 9; steps of 1 do."""
    claim = _claim(
        draw=lambda generator: generator.random(),
        ratio=lambda x: x / 9,
        verified=lambda x: x / 9,
        nearby=lambda generator, x: x + 1,
        simpler=lambda x: [],
    )
    assert not claim.check(np.random.default_rng(0), 60).holds
    assert _claim(draw=lambda g: 0.5, ratio=lambda x: x / 9).check(np.random.default_rng(0), 60).holds


def test_a_counterexample_that_other_code_does_not_confirm_is_an_error():
    with pytest.raises(ValueError, match=r"nowhere: found / stated 3, by independent code 0.5, at 1"):
        _claim(verified=lambda x: 0.5).check(np.random.default_rng(0), 200)


def test_cases_without_a_number_are_refused():
    broken = _claim(ratio=lambda x: float("nan"))
    with pytest.raises(ValueError, match="nowhere: a case gives no number"):
        broken.check(np.random.default_rng(0), 3)
    with pytest.raises(ValueError, match="tried = 0"):
        broken.check(np.random.default_rng(0), 0)


def test_the_experiment_reports_verdict_figure_and_counterexample(tmp_path):
    parameters = claim_check.Parameters(claim="tangent-theorem-3-3", tried=200)
    verdicts = {module for module in code.chosen(parameters) if module.startswith("wassdp.claims.verdicts")}
    assert verdicts == {"wassdp.claims.verdicts.tangent_theorem_3_3"}
    found = claim_check.run(parameters, seed=0, context=experiment.Context(folder=tmp_path, code="test"))
    assert found.metrics["claim_holds"] == 0
    assert found.metrics["claim_ratio"] > 1
    assert found.notes["verdict"] == "refuted"
    assert "by independent code" in found.notes["counterexample"]
    assert found.event is None
    with pytest.raises(ValueError, match="claim"):
        claim_check.Parameters(claim="theorem-9")
