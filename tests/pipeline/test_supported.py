from pathlib import Path

import pytest

from _digits_run import DIGITS
from wassdp import config
from wassdp.accounting.accountant import names
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.config import kind_module
from wassdp.experiment import fits
from wassdp.pipeline import plan as plans
from wassdp.pipeline.supported import check, supporting
from wassdp.publish import sets
from wassdp.runs import expand

ROOT = Path(__file__).parents[2]


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


def test_an_accountant_may_be_asked_of_some_runs_alone(configuration):
    """What is asked of none is a mistake; which runs were meant is nothing that results keep."""
    setting = {"problem": "p", "dimension": 4, "projections": 4, "records": 9, "batch": 3, "steps": 2, "sigma": 1.0}
    rows = [{"setting": setting | {"delta": 1e-5, "directions": each}} for each in ("iid", "orthogonal")]

    def planned(directions):
        value = configuration.model_dump(mode="json")
        some = {"name": "swd_bernstein", "where": {"setting.directions": directions}}
        changes = {"kind": "sliced_noise", "parameters": {}, "grid": {}, "settings": rows, "figures": [], "tables": []}
        value["experiments"][0] |= changes | {"accountants": ["pld", some]}
        chosen = config.validate(value)
        assert config.validate(chosen.model_dump(mode="json")) == chosen
        table = expand(chosen)
        check(chosen, table)
        return plans.plan(chosen, table)

    plan = planned("iid")
    asked = {row.spec["parameters"]["setting"]["directions"]: plan.jobs[row.run].accountants for row in plan.runs}
    assert {name: [choice["name"] for choice in choices] for name, choices in asked.items()} == {
        "iid": ["pld", "swd_bernstein"],
        "orthogonal": ["pld"],
    }
    assert all(set(choice) == {"name", "label", "options", "delta"} for choices in asked.values() for choice in choices)
    with pytest.raises(ValueError, match=r"accountants\.swd_bernstein\.where = .*'hedgehog'.*none has it"):
        planned("hedgehog")


@pytest.mark.parametrize(
    ("kind", "parameters", "records"),
    [
        ("classification", DIGITS, "1438 records of digits"),
        (
            "published_classification",
            {"dataset": "digits", "inputs": "range", "model": {"name": "linear"}, "epochs": 1, "batch": 300}
            | {"learning_rate": 0.05, "privacy": {"noise_multiplier": 0.01, "leave_out": 3, "delta": 1e-5}},
            "1438 records of digits",
        ),
        (
            "generation",
            {"dataset": "digits", "method": {"name": "mean_embedding", "features": 20}, "batch": 20}
            | {"privacy": {"noise": 0.5, "delta": 1e-4}, "epochs": 1, "steps_per_epoch": 2},
            "1438 records of digits",
        ),
        (
            "final_model",
            {"dataset": "digits", "records": 40, "steps": 2, "learning_rate": 1.0, "models": 60}
            | {"privacy": {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-4}},
            "40 records of digits",
        ),
        (
            "adaptation",
            {
                "task": {"name": "digits", "source": "mnist", "target": "digits", "split": "test"},
                "epochs": 1,
                "batch": 20,
            }
            | {"method": {"name": "dp_dann", "sigma": 3.0, "learning_rate": 2e-3, "weight": 0.1, "delta": 1e-4}},
            "359 records of the target",
        ),
    ],
)
def test_an_accountants_own_delta_obeys_the_rule_of_the_runs(checked, kind, parameters, records):
    def asked(delta):
        checked(kind=kind, parameters=parameters, grid={}, accountants=["pld", {"name": "rdp", "delta": delta}])

    asked(1e-10)
    line = rf"^experiments\.composition\.accountants\.rdp\.delta: delta 0\.4 is not below 1 in {records}: publishing"
    with pytest.raises(ValueError, match=line):
        asked(0.4)


def test_a_remark_on_no_run_is_refused(configuration, checked):
    first = configuration.experiments[0]
    (name, value), *_ = first.grid.items() if first.grid else first.parameters.items()
    there = {"text": "of some", "where": {name: value[0] if first.grid else value}}
    checked(remarks=[{"text": "of all"}, there])
    with pytest.raises(ValueError, match=r"remarks\.2\.where = .*'hedgehog'.*none has it"):
        checked(remarks=[{"text": "of all"}, there, {"text": "of none", "where": {name: "hedgehog"}}])


def test_a_run_that_releases_nothing_private_needs_no_accountant_that_fits(checked):
    checked(kind="tail_bound", parameters={}, grid={}, accountants=["swd_clt"])


def test_those_that_support_an_event_are_named():
    event = Gibbs(inverse_temperature=1.0, risk_range=1.0, records=10)
    assert supporting(event) == ["pld", "rdp", "tangent", "zcdp"]
    assert set(supporting(event)) < set(names())


PLACE = {
    "task": "classification",
    "problem": "digits",
    "method": "pixels",
    "epsilon": "privacy.epsilon",
    "objective": {"metric": "accuracy"},
}
TRAINING = DIGITS | {"privacy": {"clip_norm": 1, "epsilon": 3, "delta": 1e-5}}


@pytest.fixture
def compared(checked):
    """Checks a training with some keys of its place in a comparison changed."""

    def changed(parameters=TRAINING, **changes):
        rest = {"kind": "classification", "grid": {}, "parameters": parameters, "accountants": ["pld"]}
        seeds = {"seeds": [None]} if parameters.get("release") else {}
        checked(**rest, **seeds, compared=PLACE | changes)

    return changed


def test_a_comparison_by_what_runs_have_passes(compared):
    compared()
    compared(epsilon=None, objective={"metric": "predicted/3", "at_least": {"batch_min": 1}})


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"objective": {"metric": "exactness"}},
            r"objective\.metric = 'exactness': .* declares: accuracy, .*test_loss",
        ),
        (
            {"objective": {"metric": "accuracy", "at_least": {"odds": 1}}},
            r"objective\.at_least = 'odds': must be a metric",
        ),
        (
            {"objective": {"metric": "accuracy", "ratio_at_least": {"impact": 1}}},
            r"objective\.ratio_at_least = 'impact': must be a metric",
        ),
        (
            {"epsilon": "privacy.eps"},
            r"epsilon = 'privacy\.eps': must be a parameter that is a number: .*privacy\.epsilon",
        ),
        ({"epsilon": "model.name"}, r"epsilon = 'model\.name': must be a parameter that is a number"),
    ],
)
def test_a_comparison_by_what_no_run_has_is_refused_before_any_run(compared, changes, line):
    with pytest.raises(ValueError, match=rf"^experiments\.composition\.compared\.{line}"):
        compared(**changes)


def test_a_run_to_be_released_is_compared_by_what_it_keeps(compared):
    with pytest.raises(ValueError, match=r"metric = 'batch_min': .* keeps with release true: .*accuracy"):
        compared(TRAINING | {"release": True}, objective={"metric": "batch_min"})


def test_kinds_declare_every_metric_that_published_runs_have():
    """One that is left out could not be compared by."""
    folders = [path.parent for path in sorted((ROOT / "docs" / "results").glob("*/plan.json.xz"))]
    measured = {}
    for result in (result for folder in folders for result in sets.read(folder).results.values()):
        measured.setdefault(result.spec["kind"], set()).update(result.metrics)
    declared = {kind: kind_module(kind).Parameters.declared() for kind in measured}
    lacking = {
        kind: [name for name in sorted(names) if not fits(name, declared[kind])]
        for kind, names in measured.items()
        if declared[kind]
    }
    assert {kind: names for kind, names in lacking.items() if names} == {}
    assert "classification" in measured
