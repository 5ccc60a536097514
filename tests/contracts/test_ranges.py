"""What a plan accepts is a number that a run can be computed with: keys that many kinds have, found by listing."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from wassdp import ranges, runs
from wassdp.accounting.limits import LEAST_DELTA
from wassdp.cli import main
from wassdp.config import AccountantChoice, kind_module
from wassdp.experiments import KINDS

RATES = {"learning_rate", "final_learning_rate", "rates"}
NOISES = {"noise_multiplier", "sigma", "noise", "noise_scales"}
DELTAS = {"delta", "deltas", "least_delta", "largest_delta"}
PARAMETERS: dict[str, Any] = {
    "dataset": "digits",
    "model": {"name": "linear"},
    "optimiser": {"name": "momentum", "learning_rate": 0.5},
    "epochs": 1,
    "batch": 256,
    "privacy": {"clip_norm": 1, "noise_multiplier": 1, "delta": 1e-5},
}


def properties(schema: Any) -> Iterator[tuple[str, Any]]:
    """Every property of a JSON schema and of all schemas inside it."""
    if isinstance(schema, dict):
        named = schema.get("properties", {})
        yield from named.items() if isinstance(named, dict) else ()
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from properties(part)


def numbers(schema: Any) -> Iterator[dict[str, Any]]:
    """The numbers that a property takes, alone or in a list."""
    if schema.get("type") == "number":
        yield schema
    inside = [*schema.get("anyOf", []), *schema.get("prefixItems", [])]
    for part in (*inside, *([schema["items"]] if isinstance(schema.get("items"), dict) else [])):
        yield from numbers(part)


def most(number: dict[str, Any]) -> float:
    return float(number.get("maximum", number.get("exclusiveMaximum", float("inf"))))


@pytest.mark.parametrize("kind", KINDS.names())
def test_rates_noises_and_deltas_have_ends(kind: str) -> None:
    for name, schema in properties(kind_module(kind).Parameters.model_json_schema()):
        if name not in RATES | NOISES | DELTAS:
            continue
        for number in numbers(schema):
            if name in RATES | NOISES:
                assert most(number) <= 1e12, name
            if name in DELTAS:
                assert (number["exclusiveMinimum"], most(number)) == (0, 1), name


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        (ranges.Noise, ranges.LEAST_NOISE),
        (ranges.PositiveNoise, ranges.LEAST_NOISE),
        (ranges.AccountedDelta, LEAST_DELTA),
    ],
)
def test_what_is_too_small_is_refused_in_a_short_line(kind: Any, least: float) -> None:
    checked = TypeAdapter(kind)
    assert checked.validate_python(least) == least
    with pytest.raises(ValidationError, match=f"at least {least:g}") as refused:
        checked.validate_python(least / 2)
    assert len(refused.value.errors()[0]["msg"]) < 60


def test_an_accountant_of_its_own_delta_has_the_same_end() -> None:
    with pytest.raises(ValueError, match="delta"):
        AccountantChoice.model_validate({"name": "pld", "delta": 5e-324})


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("optimiser.learning_rate", 1e308, "less than or equal to 1000000000000"),
        ("privacy.learning_rate", 1e39, "less than or equal to 1000000000000"),
        ("privacy.noise_multiplier", 1e300, "less than or equal to 1000000000000"),
        ("privacy.noise_multiplier", 1e-300, r"must be 0 \(no noise\) or at least 1e-12"),
        ("privacy.delta", 5e-324, "must be at least 1e-300"),
        ("privacy.delta", 0.0, "greater than 0"),
        ("privacy.epsilon", 1e300, "less than or equal to 1000000000000"),
    ],
)
def test_a_plan_refuses_what_a_run_would(capsys: Any, key: str, value: float, allowed: str) -> None:
    parameters = copy.deepcopy(PARAMETERS)
    section, name = key.split(".")
    parameters[section][name] = value
    experiment = {"name": "x", "paper": "p", "kind": "classification", "parameters": parameters}
    assert main(["plan", "--json", json.dumps({"preset": "mine", "experiments": [experiment]})]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    with pytest.raises(ValueError, match=allowed):
        raise ValueError(line)
    assert f"experiments.x.parameters.{key} = {value!r}: " in line


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("optimiser", "learning_rate", ranges.MOST_RATE),
        ("optimiser", "learning_rate", 5e-324),
        ("privacy", "noise_multiplier", ranges.MOST_NOISE),
        ("privacy", "noise_multiplier", ranges.LEAST_NOISE),
        ("privacy", "delta", 1e-300),
    ],
)
def test_a_run_at_the_ends_is_computed(tmp_path: Any, section: str, name: str, value: float) -> None:
    parameters = copy.deepcopy(PARAMETERS)
    parameters[section][name] = value
    spec = {"kind": "classification", "parameters": parameters, "seed": 0}
    out, result = tmp_path / "outcome.json", tmp_path / "result.json"
    assert main(["run", "--spec", json.dumps(spec), "--out", str(out), "--device", "cpu"]) == 0
    assert main(["account", "--outcome", str(out), "--accountants", '["pld"]', "--out", str(result)]) == 0
    assert json.loads(result.read_text())["run"] == runs.identify(runs.specification(*runs.parse(spec)))
