"""Statements put to the test: what holds holds, what does not is found out, and neither verdict is written down."""

import numpy as np
import pytest

from wassdp import claims, code, experiment
from wassdp.experiments import claim_check

NAMES = claims.VERDICTS.names()


def test_every_claim_is_found_with_its_file():
    assert len(NAMES) == len(set(NAMES)) >= 7
    for name in NAMES:
        claim = claims.claim(name)
        assert claim.paper
        assert claim.where
    with pytest.raises(ValueError, match=r"claim = 'theorem-9': must be one of .*tangent-theorem-3-1"):
        claims.claim("theorem-9")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "tangent-theorem-3-3"])
def test_what_is_proven_is_never_contradicted(name):
    verdict = claims.claim(name).check(np.random.default_rng(1), 500)
    assert verdict.holds, verdict.words


def test_theorem_3_3_is_contradicted_and_its_repair_is_not():
    verdict = claims.claim("tangent-theorem-3-3").check(np.random.default_rng(1), 500)
    assert not verdict.holds
    assert verdict.words.startswith("refuted")


@pytest.mark.parametrize(
    ("name", "twice"),
    [("tangent-theorem-3-1", 3.0), ("tangent-theorem-3-2", 3.0), ("tangent-theorem-3-4", 1.1)],
)
def test_a_constant_too_small_by_so_much_would_be_found_out(name, twice):
    """The checks can come out the other way: had a theorem claimed a smaller constant, it would be refuted."""
    verdict = claims.claim(name).check(np.random.default_rng(0), 2000)
    assert verdict.largest * twice > 1 + 1e-9


def test_a_false_composition_would_be_found_out(monkeypatch):
    from wassdp.tangent.bounds import TangentBound

    monkeypatch.setattr(TangentBound, "with_other", lambda self, other: max((self, other), key=lambda b: b.constant))
    assert not claims.claim("tangent-remark-2-1-d").check(np.random.default_rng(0), 50).holds


def test_cases_without_a_number_are_refused():
    broken = claims.Claim(paper="p", where="nowhere", statement="s", ratio=lambda generator: float("nan"))
    with pytest.raises(ValueError, match="nowhere: a case gives no number"):
        broken.check(np.random.default_rng(0), 3)
    with pytest.raises(ValueError, match="tried = 0"):
        broken.check(np.random.default_rng(0), 0)


def test_the_experiment_reports_the_verdict(tmp_path):
    parameters = claim_check.Parameters(claim="tangent-theorem-3-3", tried=200)
    verdicts = {module for module in code.chosen(parameters) if module.startswith("wassdp.claims.verdicts")}
    assert verdicts == {"wassdp.claims.verdicts.tangent_theorem_3_3"}
    found = claim_check.run(parameters, seed=0, context=experiment.Context(folder=tmp_path, code="test"))
    assert found.metrics["claim_holds"] == 0
    assert found.metrics["claim_ratio"] > 1
    assert found.event is None
    with pytest.raises(ValueError, match="claim"):
        claim_check.Parameters(claim="theorem-9")
