import copy
import json
import math
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from wassdp import config, runs, schema
from wassdp.sections import MOST_WHOLE, Section

EXPERIMENT = {
    "name": "composition",
    "paper": "wasserstein-dp",
    "kind": "synthetic_gradients",
    "parameters": {"steps": 3},
    "grid": {"clip_quantile": [0.05, 0.5], "clip": [True, False]},
    "seeds": [0, 1, 2],
}


def table(*experiments):
    return runs.expand(config.validate({"preset": "trial", "experiments": list(experiments)}))


def test_every_combination_and_seed_is_one_run():
    found = table(EXPERIMENT)
    assert len(found.runs) == len(found.unique()) == 2 * 2 * 3
    assert {(run.parameters.clip_quantile, run.parameters.clip, run.seed) for run in found.runs} == {
        (quantile, clip, seed) for quantile in (0.05, 0.5) for clip in (True, False) for seed in (0, 1, 2)
    }


def test_adding_a_value_keeps_the_other_runs():
    more = copy.deepcopy(EXPERIMENT)
    more["grid"]["clip_quantile"].append(0.99)
    before, after = set(table(EXPERIMENT).unique()), set(table(more).unique())
    assert before < after
    assert len(after - before) == 1 * 2 * 3


def test_a_default_written_out_is_the_same_run():
    explicit = copy.deepcopy(EXPERIMENT)
    explicit["parameters"]["coordinates"] = 1000
    assert set(table(explicit).unique()) == set(table(EXPERIMENT).unique())


def test_experiments_share_runs_of_one_specification():
    found = table(EXPERIMENT, EXPERIMENT | {"name": "again", "seeds": [0]})
    assert len(found.unique()) == 12
    assert len(found.runs) == 12 + 4


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"grid": {"steps": [3, 3]}}, r"composition\.grid: steps=3 stands there twice; must be there once"),
        ({"grid": {"rate": [0.5, 0.25, 0.5]}}, r"composition\.grid: rate=0\.5 stands there twice"),
        ({"grid": {"noise_multiplier": [1, 1.0]}}, r"grid: noise_multiplier=1 stands there twice"),
        (
            {"grid": {}, "settings": [{"rate": 0.5}, {"rate": 0.5}]},
            r"composition\.settings: rate=0\.5 stands there twice",
        ),
        ({"grid": {}, "settings": [{}, {"steps": 3}]}, r"composition\.settings: steps=3 is the same run as \{\};"),
        ({"grid": {"steps": [3, 4]}, "settings": [{"steps": 5}]}, r"settings and grid: steps=5 stands there twice"),
    ],
)
def test_two_combinations_of_an_experiment_are_two_runs(changes, line):
    parameters = {"steps": 3, "clip": True, "clip_quantile": 0.5}
    with pytest.raises(ValueError, match=line) as refused:
        table(EXPERIMENT | {"parameters": parameters} | changes)
    assert "\n" not in str(refused.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values, min_size=2))
def test_ids_depend_on_content_alone(value):
    shuffled = dict(random.Random(0).sample(list(value.items()), len(value)))
    identifier = runs.identify(value)
    assert identifier == runs.identify(shuffled) == runs.identify(json.loads(json.dumps(value)))
    assert len(identifier) == 12
    assert int(identifier, 16) >= 0


def test_specifications_parse_back():
    for run in table(EXPERIMENT).runs:
        kind, parameters, seed = runs.parse(json.loads(json.dumps(run.spec)))
        assert (kind, parameters, seed) == (run.kind, run.parameters, run.seed)


def test_a_specification_without_its_defaults_is_the_same_run():
    run = table(EXPERIMENT).runs[0]
    short = {"kind": run.kind, "parameters": {"steps": 3, "clip": True, "clip_quantile": 0.05}, "seed": run.seed}
    assert runs.identify(short) != run.id
    assert runs.identify(runs.specification(*runs.parse(short))) == run.id


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"seed": 0.7}, r"spec\.seed = 0\.7: .*valid integer"),
        ({"seed": 3.0}, r"spec\.seed = 3\.0: .*valid integer"),
        ({"seed": True}, r"spec\.seed = True: .*valid integer"),
        ({"seed": "3"}, r"spec\.seed = '3': .*valid integer"),
        ({"seed": "x"}, r"spec\.seed = 'x': .*valid integer"),
        ({"seed": -1}, r"spec\.seed = -1: .*greater than or equal to 0"),
        ({"seed": 1e30}, r"spec\.seed = 1e\+30: "),
        ({"seed": 2**63}, r"spec\.seed = 9223372036854775808: .*less than"),
        ({"seed": [1]}, r"spec\.seed = \[1\]: .*valid integer"),
        ({"seed": {}}, r"spec\.seed = \{\}: .*valid integer"),
        ({"seed": float("inf")}, r"spec\.seed = inf: "),
        ({"seed": float("nan")}, r"spec\.seed = nan: "),
        ({"seed": None}, r"spec\.seed = None: .*operating system.*synthetic_gradients takes whole numbers"),
        ({"kind": 5}, r"spec\.kind = 5: .*valid string"),
        ({"kind": None}, r"spec\.kind = None: .*valid string"),
        ({"kind": [1]}, r"spec\.kind = \[1\]: .*valid string"),
        ({"kind": "x"}, r"spec\.kind = 'x': must be one of .*synthetic_gradients"),
        ({"parameters": []}, r"spec\.parameters = \[\]: must be keys and values"),
        (
            {"parameters": {"stpes": 3}},
            r"spec\.parameters\.clip_quantile and clip: are missing; stpes = 3: unknown key",
        ),
        ({"sead": 3}, r"spec\.sead = 3: unknown key \(did you mean seed\?\); allowed: kind, parameters, seed"),
    ],
)
def test_a_bad_specification_is_refused_by_its_key(changes, line):
    with pytest.raises(ValueError, match=line) as refused:
        runs.parse(table(EXPERIMENT).runs[0].spec | changes)
    assert "\n" not in str(refused.value)


def test_impossible_combinations_leave_with_a_reason():
    orders = {
        "name": "orders",
        "paper": "wasserstein-dp",
        "kind": "mechanism_orders",
        "parameters": {"mechanism": "laplace", "scale": 1.0, "largest_order": 5.0},
        "grid": {"least_order": [1.0, 6.0]},
    }
    found = table(orders)
    assert [run.parameters.least_order for run in found.runs] == [1.0]
    (left,) = found.excluded
    assert (left.experiment, left.name) == ("orders", "least_order=6")
    assert left.title == "orders: Laplace, scale 1, least order 6"
    assert "largest_order" in left.reason
    orders["grid"] = {"least_order": [6.0, 6.5], "scale": [1.0, 2.0]}
    with pytest.raises(ValueError, match=r"experiments\.orders\.grid: leaves no run") as refused:
        table(orders)
    assert str(refused.value).count("largest_order") == 2, "each reason once, whatever the scale"


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        (
            {"detla": 1e-5},
            r"composition\.parameters\.detla = 1e-05: unknown key \(did you mean delta\?\); allowed: .*delta",
        ),
        ({"noise_multiplier": -1}, r"noise_multiplier = -1: .*greater than 0"),
        ({"noise_multiplier": float("nan")}, r"noise_multiplier = nan: "),
        ({"delta": 1.0}, r"delta = 1\.0: .*less than 1"),
        ({"delta": 0}, r"delta = 0: .*greater than 0"),
        ({"steps": "many"}, r"steps = 'many': "),
        (
            {"coordinates": 10**9 + 1},
            r"composition\.parameters\.coordinates = 1000000001: must be at most 1,000,000,000",
        ),
        ({"steps": True}, r"composition\.parameters\.steps = True: must be a number \(YAML reads yes and on as True\)"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(parameters, line):
    with pytest.raises(ValueError, match=line) as caught:
        table(EXPERIMENT | {"parameters": parameters})
    assert "\n" not in str(caught.value)


def whole_numbers():
    """Every key of a configuration whose values are whole numbers, with the section that it stands in."""
    schema.config_schema()  # imports whatever has a section
    found, left = [], [Section]
    while left:
        section = left.pop()
        left += section.__subclasses__()
        for key, field in section.model_fields.items():
            words = set(re.findall(r"\w+", repr(field.annotation)))
            if section.__module__.startswith("wassdp.") and "int" in words and not words & {"float", "bool", "dict"}:
                found.append((section, key, bool(words & {"tuple", "list"})))
    return found


def integers(schema):
    """The whole numbers in what a JSON schema says of one key."""
    if isinstance(schema, dict):
        if schema.get("type") == "integer":
            yield schema
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from integers(part)


def test_editors_are_told_where_whole_numbers_end():
    ends = 0
    for section, key, _ in whole_numbers():
        for number in integers(section.model_json_schema()["properties"][key]):
            if key not in ("seed", "seeds") and not number.keys() & {"const", "enum"}:
                assert number.get("maximum", number.get("exclusiveMaximum", math.inf)) <= MOST_WHOLE, (section, key)
                ends += 1
    assert ends > 100


def test_no_whole_number_is_past_any_use():
    found = whole_numbers()
    assert len({(section.__name__, key) for section, key, _ in found}) > 100
    for section, key, listed in found:
        past = [10**400, 10**30, "1e30"]
        if key not in ("seed", "seeds"):
            past += [MOST_WHOLE + 1, 1e30, str(10**12)]
        for value in past:
            with pytest.raises(ValidationError) as refused:
                section.model_validate({key: [value] * 2 if listed else value})
            lines = [(error["loc"], error["msg"]) for error in refused.value.errors()]
            assert any(key in (*place[:1], *re.findall(r"\w+", line)) for place, line in lines), (section, key, value)


def test_a_star_in_a_grid_stands_for_the_names_of_plug_ins():
    value = {"preset": "p", "experiments": [{"name": "claims", "paper": "tangent-dp", "kind": "claim_check"}]}
    value["experiments"][0]["grid"] = {"claim": ["tangent-theorem-3-3", "tangent-theorem-3-*"]}
    table = runs.expand(config.validate(value))
    names = [run.parameters.claim for run in table.runs]
    assert names[0] == "tangent-theorem-3-3"
    assert {"tangent-theorem-3-1", "tangent-theorem-3-3-repaired"} < set(names)
    assert len(set(names)) == len(names)
    value["experiments"][0]["grid"] = {"claim": ["lemma-*"]}
    with pytest.raises(ValueError, match=r"experiments.claims.grid.claim = 'lemma-\*': fits none of "):
        runs.expand(config.validate(value))
