import pytest

from wassdp import config
from wassdp.accounting.accountant import names
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.pipeline.supported import check, supporting
from wassdp.runs import expand


@pytest.fixture
def checked(configuration):
    """Checks the small configuration with some keys of its experiment changed."""

    def changed(**changes):
        value = configuration.model_dump(mode="json")
        value["experiments"][0].update(changes)
        chosen = config.validate(value)
        check(chosen, expand(chosen))

    return changed


def test_an_accountant_that_fits_every_run_passes(checked):
    checked(accountants=["pld", "bayesian", "wasserstein"])


def test_an_accountant_that_does_not_fit_is_refused_before_any_run(checked):
    line = r"^experiments.composition.accountants = 'swd_clt': does not support composition: clipped.*, seed 0 \(.+\); "
    with pytest.raises(ValueError, match=line + "these do: .*pld"):
        checked(accountants=["pld", "swd_clt"])


def test_one_run_of_a_grid_is_enough_to_refuse(checked):
    """Proposition 2 is for iid directions: a grid over directions has a run that it does not cover."""
    setting = {"problem": "p", "dimension": 4, "projections": 4, "records": 9, "batch": 3, "steps": 2, "sigma": 1.0}
    grid = {"setting": [setting | {"delta": 1e-5, "directions": each} for each in ("iid", "orthogonal")]}
    changes = {"kind": "sliced_noise", "parameters": {}, "grid": grid}
    checked(**changes, accountants=["pld"])
    with pytest.raises(ValueError, match=r"orthogonal.*Proposition 2 is for iid directions"):
        checked(**changes, accountants=["pld", "swd_bernstein"])


def test_a_run_that_releases_nothing_private_needs_no_accountant_that_fits(checked):
    checked(kind="tail_bound", parameters={}, grid={}, accountants=["swd_clt"])


def test_those_that_support_an_event_are_named():
    event = Gibbs(inverse_temperature=1.0, risk_range=1.0, records=10)
    assert supporting(event) == ["pld", "rdp", "tangent", "zcdp"]
    assert set(supporting(event)) < set(names())
