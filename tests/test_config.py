import copy
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from wassdp import config, runs, schema
from wassdp.accounting import accountant
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.cli import main
from wassdp.selection import informed

ROOT = Path(__file__).parents[1]
PRESETS = sorted((ROOT / "workflow" / "presets").glob("*.yaml"))
GOOD = {
    "preset": "trial",
    "experiments": [
        {
            "name": "composition",
            "paper": "wasserstein-dp",
            "kind": "synthetic_gradients",
            "parameters": {"clip": True, "steps": 2},
            "grid": {"clip_quantile": [0.05, 0.5]},
            "seeds": [0, 1],
            "accountants": ["pld", {"name": "moments", "label": "one-order", "options": {"orders": [16]}}],
        }
    ],
}


def changed(path, value):
    """A copy of the good configuration with one value replaced; the path is dotted."""
    edited = copy.deepcopy(GOOD)
    target = edited
    *parents, last = path.split(".")
    for part in parents:
        target = target[int(part) if part.isdigit() else part]
    target[last] = value
    return edited


def test_a_name_stands_for_an_accountant_without_options():
    experiment = config.validate(GOOD).experiments[0]
    assert [choice.key for choice in experiment.accountants] == ["pld", "one-order"]
    assert config.AskedAccountants.model_validate({"accountants": ["pld"]}).accountants == experiment.accountants[:1]


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (
            "experiments.0.gird",
            {},
            r"experiments\.composition\.gird = \{\}: unknown key \(did you mean grid\?\); allowed",
        ),
        ("detla", 1, r"detla = 1: unknown key.*allowed: preset, experiments"),
        ("experiments.0.kind", "alchemy", r"composition\.kind = 'alchemy': .*must be one of .*synthetic_gradients"),
        (
            "experiments.0.accountants",
            ["plD"],
            r"accountants\.0\.name = 'plD': did you mean pld\? must be one of .*pld",
        ),
        ("experiments.0.grid", {"clip_quantile": []}, r"grid\.clip_quantile = \[\]: must have at least one value"),
        ("experiments.0.seeds", [], r"seeds = \[\]: "),
        ("experiments.0.seeds", [1, 1], r"must differ"),
        ("experiments.0.seeds", [-1], r"seeds\.0 = -1: .*greater than or equal to 0"),
        ("experiments.0.seeds", [True], r"composition: seeds = \[True\]: must be a number \(YAML reads yes"),
        ("experiments.0.accountants", [{"name": "pld", "delta": False}], r"pld: delta = False: must be a number"),
        ("experiments.0.name", "Not A Slug", r"name = 'Not A Slug'"),
        ("experiments", [], r"experiments = \[\]"),
        ("experiments", GOOD["experiments"] * 2, r"the name composition stands there twice"),
        ("experiments.0.accountants", ["pld", "pld"], r"pld stands there twice"),
        (
            "experiments.0.accountants",
            [{"name": "gdp", "label": "pld"}],
            r"label = 'pld': is the name of another .* gdp",
        ),
        (
            "experiments.0.accountants",
            [{"name": "gdp", "label": "PLD"}],
            r"label = 'PLD': is the name of another .* gdp",
        ),
        ("experiments.0.accountants", [{"name": "moments", "options": {"ordres": [2]}}], r"moments: .*ordres"),
        ("experiments.0.figures", [{"name": "f", "kind": "alchemy"}], r"figures\.f\.kind = 'alchemy': must be one of"),
    ],
)
def test_bad_configurations_are_refused_in_one_line(path, value, line):
    with pytest.raises(ValueError, match=line) as caught:
        config.validate(changed(path, value))
    assert "\n" not in str(caught.value)


def test_a_missing_key_is_named():
    with pytest.raises(ValueError, match=r"experiments\.composition\.paper: is missing"):
        config.validate(
            {"preset": "x", "experiments": [{k: v for k, v in GOOD["experiments"][0].items() if k != "paper"}]}
        )


def test_a_misspelt_key_is_told_beside_the_missing_one_that_it_stands_for():
    spelt = {("peper" if key == "paper" else key): value for key, value in GOOD["experiments"][0].items()}
    with pytest.raises(ValueError, match="paper: is missing") as caught:
        config.validate({"preset": "x", "experiments": [spelt]})
    assert str(caught.value).startswith(
        "configuration: experiments.composition.paper: is missing; experiments.composition.peper = 'wasserstein-dp': "
        "unknown key (did you mean paper?); allowed: name, paper, "
    )
    with pytest.raises(
        ValueError, match=r"clip: is missing; clap = True: unknown key .*clip.*allowed: .*\(and 1 more\)$"
    ):
        runs.validate_parameters("synthetic_gradients", {"clap": True, "clip_quantile": 0.5, "stops": 3})
    # One that stands in another section is no such key.
    value = {"clip_quantile": 0.5, "nested": {}} | {"clip": True}
    with pytest.raises(ValueError, match=r"^nested = \{\}: unknown key"):
        runs.validate_parameters("synthetic_gradients", value)


@pytest.mark.parametrize("part", ["PHASE", "Parameters", "run"])
def test_a_kind_that_lacks_a_part_is_one_line_of_the_plan(part, monkeypatch, tmp_path, capsys):
    monkeypatch.delattr(f"wassdp.experiments.synthetic_gradients.{part}")
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(GOOD))
    assert main(["plan", "--config", str(path)]) == 2
    told = capsys.readouterr().err
    assert f"wassdp.experiments.synthetic_gradients: must define {part}" in told
    assert told.count("\n") == 1


def test_a_phase_that_no_rule_runs_is_refused(monkeypatch):
    monkeypatch.setattr("wassdp.experiments.synthetic_gradients.PHASE", "trian")
    with pytest.raises(ValueError, match="PHASE = 'trian': must be one of generate, train, audit"):
        runs.expand(config.validate(GOOD))


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1", "is not YAML at line"), ("preset: x\n\tb: 1", "is not YAML at line 2"), ("", "is empty; preset")],
)
def test_a_file_that_does_not_parse_is_named(tmp_path, text, line):
    path = tmp_path / "preset.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=line) as caught:
        config.read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_verb_writes_schemas_and_tells_whether_they_are_current(tmp_path, capsys):
    folder = ["--folder", str(tmp_path / "schemas")]
    assert main(["schema", "--check", *folder]) == 1
    assert "is out of date; run `wassdp schema`" in capsys.readouterr().err
    assert main(["schema", *folder]) == 0
    assert main(["schema", "--check", *folder]) == 0
    for name in ("config", "result"):
        jsonschema.Draft202012Validator.check_schema(
            json.loads((tmp_path / "schemas" / f"{name}.schema.json").read_text())
        )


@pytest.mark.parametrize("name", ["config.yaml", *(f"workflow/presets/{path.name}" for path in PRESETS)])
def test_the_configurations_in_the_repository_hold(name):
    value = yaml.safe_load((ROOT / name).read_text())
    config.validate(value)
    jsonschema.validate(value, schema.config_schema())


@pytest.mark.parametrize("name", ["config.yaml", "workflow/presets/paper.yaml"])
def test_every_experiment_with_budgets_says_what_search_its_settings_come_from(name):
    """No epsilon includes it, so that the ledger has to; `none` is said too."""
    chosen = config.validate(yaml.safe_load((ROOT / name).read_text()))
    assert [each.name for each in chosen.experiments if each.accountants and each.search is None] == []


@pytest.mark.parametrize("name", ["config.yaml", "workflow/presets/paper.yaml"])
def test_what_is_said_of_a_search_is_told_as_a_fact_too(name):
    for each in config.validate(yaml.safe_load((ROOT / name).read_text())).experiments:
        if each.search is None:
            assert each.selection is None
        elif each.search == "none":
            assert each.selection == "none"
        elif re.search(r"(test|target) (accuracies|measures)|on the (same )?test", each.search):
            assert informed(each.selection), each.name
        else:
            assert each.selection, each.name


@pytest.mark.parametrize("fact", ["validation", "validation, 0 trials", "validation, many trials", "test", ""])
def test_a_fact_that_is_none_is_refused(fact):
    with pytest.raises(ValueError, match="selection"):
        config.validate(changed("experiments.0.selection", fact))


def test_settings_belong_together_and_are_run_with_all_of_the_grid():
    value = copy.deepcopy(GOOD)
    value["experiments"] = [
        {
            "name": "x",
            "paper": "p",
            "kind": "sliced_sensitivity",
            "settings": [{"projections": 2, "dimension": 3}, {"projections": 4, "dimension": 5}],
            "grid": {"draws": [100, 200]},
        }
    ]
    found = [row.spec["parameters"] for row in runs.expand(config.validate(value)).runs]
    assert [(each["projections"], each["dimension"], each["draws"]) for each in found] == [
        (2, 3, 100),
        (2, 3, 200),
        (4, 5, 100),
        (4, 5, 200),
    ]


@pytest.mark.parametrize("path", ["experiments.0.gird", "detla", "experiments.0.parameters.noise_multipler"])
def test_the_schema_refuses_unknown_keys_too(path):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(changed(path, 1), schema.config_schema())


def test_reading_configurations_imports_nothing_heavy():
    program = (
        "import json, sys; from wassdp import config, runs; runs.expand(config.validate(json.loads(sys.argv[1])));"
        "print([name for name in ('torchvision', 'mlflow', 'opacus', 'matplotlib') if name in sys.modules])"
    )
    value = copy.deepcopy(GOOD)
    value["experiments"].append(yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"][0] | {"name": "x"})
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(value)], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["config.yaml", "workflow/presets/paper.yaml"])
def test_the_accountants_of_a_configuration_know_the_directions_of_its_runs(name):
    chosen = config.validate(yaml.safe_load((ROOT / name).read_text()))
    asked = {experiment.name: experiment.accountants for experiment in chosen.experiments}
    for row in runs.expand(chosen).runs:
        method = row.spec["parameters"].get("method")
        if not isinstance(method, dict) or "directions" not in method or "projections" not in method:
            continue
        event = SlicedProjections(noise_std=1.0, projections=10, dimension=10, directions=method["directions"])
        for choice in asked[row.experiment]:
            assert accountant.load(choice.name, **choice.options).supports(event) is None, row.name
