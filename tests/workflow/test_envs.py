from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PINS = dict(line.lower().split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)


def normal(name):
    return name.lower().replace("_", "-")


@pytest.mark.parametrize("path", sorted((ROOT / "envs").glob("*.yaml")), ids=lambda path: path.name)
def test_environments_pin_what_the_constraints_pin(path):
    (pip,) = [item["pip"] for item in yaml.safe_load(path.read_text())["dependencies"] if isinstance(item, dict)]
    pins = {normal(name): version for name, version in PINS.items()}
    for requirement in pip:
        name, version = requirement.split("==")
        assert pins[normal(name.partition("[")[0])] == version, name


def test_both_environments_exist():
    assert {path.name for path in (ROOT / "envs").glob("*.yaml")} == {"cpu.yaml", "gpu.yaml"}


@pytest.mark.parametrize("name", ["local", "slurm"])
def test_profiles_parse(name):
    value = yaml.safe_load((ROOT / "workflow" / "profiles" / name / "config.yaml").read_text())
    assert value["keep-going"] is True


def test_constraints_are_names_and_versions_only():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or line.count("==") == 1, line
        assert not any(mark in line for mark in ("://", "@", " ")) or line.startswith("#"), line
