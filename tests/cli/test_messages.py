"""What a person is told who mistypes a word, a number, a name or a key: one line that says what to type instead."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wassdp import cli
from wassdp.cli import mechanism

CONFIGURATION: dict[str, Any] = {
    "preset": "mine",
    "experiments": [
        {
            "name": "mine",
            "paper": "mine",
            "kind": "classification",
            "parameters": {
                "dataset": "digits",
                "model": {"name": "linear"},
                "optimiser": {"name": "momentum", "learning_rate": 0.5},
                "epochs": 10,
                "batch": 256,
                "privacy": {"clip_norm": 1, "epsilon": 3, "delta": 1e-5},
            },
            "accountants": ["pld"],
        }
    ],
}
PRIVACY = CONFIGURATION["experiments"][0]["parameters"]["privacy"]
NOISY = ["gaussian", "--noise-multiplier", "1", "--delta", "1e-5"]
DPSGD = ["dpsgd", "--records", "1000", "--batch", "10", "--delta", "1e-5"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder without anything, to which nothing is added."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a command is refused with."""
    try:
        code = cli.main(words)
    except SystemExit as left:
        code = int(str(left.code))
    shown = capsys.readouterr()
    assert (code, shown.out) == (2, "")
    assert shown.err.count("\n") == 1
    return shown.err.removesuffix("\n").removesuffix(" (--help says more)")


@pytest.mark.parametrize(("words", "line"), [
    (["plan", "--config", "nosuch.yaml"], "plan: config = 'nosuch.yaml': no such file; must be a YAML file"),
    (["plan", "--config", ".."], "plan: config = '..': is a folder; must be a YAML file"),
    (["epsilon", *NOISY, "--records", "100"],
     "epsilon: --records = 100: does not apply to gaussian; it takes --noise-multiplier, --sigma, --sensitivity, "
     "--steps, --adjacency"),
    (["epsilon", *NOISY, "--unpadded"],
     "epsilon: --unpadded: does not apply to gaussian; it takes --noise-multiplier, --sigma, --sensitivity, "
     "--steps, --adjacency"),
    (["epsilon", *NOISY[:-1], "abc"],
     "epsilon: argument --delta: 'abc': must be a number strictly between 0 and 1"),
    (["epsilon", "dpsgd", "--batch", "10.5", "--delta", "1e-5"],
     "epsilon: argument --batch: '10.5': must be a whole number of at least 1"),
    (["epsilon", "dpswd", "--projections", "x", "--delta", "1e-5"],
     "epsilon: argument --projections: 'x': must be a whole number"),
    (["tune", "x.yaml", "--jobs", "two"], "tune: argument --jobs: 'two': must be a whole number"),
    (["compare", "a", "b", "--level", "x"], "compare: argument --level: 'x': must be a number"),
    (["epsilon", "gausian", "--delta", "1e-5"],
     "epsilon: argument mechanism: 'gausian': did you mean gaussian? must be one of dpsgd, dpswd, gaussian, gibbs, "
     "laplace, wasserstein-gradient"),
    (["epsilon", *DPSGD, "--sampling", "poison"],
     "epsilon: argument --sampling: 'poison': did you mean poisson? must be one of full, poisson, "
     "without-replacement"),
    (["epsilon", "--json"],
     "epsilon: mechanism (one of dpsgd, dpswd, gaussian, gibbs, laplace, wasserstein-gradient), --delta: are missing"),
    (["epsilon", *NOISY, "--accountnt", "pld"],
     "epsilon: unrecognized arguments: --accountnt pld (did you mean --accountant?)"),
    (["epsilon", *NOISY, ""], "epsilon: unrecognized arguments:"),
    (["calibrate", *DPSGD, "--epsilon", "1", "--find", "steps", "--epochs", "15"],
     "calibrate: --epochs = 15: leave it out, steps are what is sought"),
    (["calibrate", *DPSGD, "--epsilon", "1", "--find", "batch", "--steps", "3"],
     "calibrate: --batch = 10: leave it out, a batch is what is sought"),
    (["calibrate", *DPSGD, "--epsilon", "1", "--noise-multiplier", "1.5", "--steps", "3"],
     "calibrate: --noise-multiplier = 1.5: leave it out, noise is what is sought (--find steps or batch seeks "
     "another)"),
    (["audit"], "audit: AUDIT (one of budgets, mechanisms, zoo): is missing"),
    (["audit", "zo"],
     "audit: AUDIT = 'zo': did you mean zoo? must be one of budgets, mechanisms, zoo; a run of a plan, or a "
     "specification, is `wassdp run` today"),
    (["data"], "data: ACTION (one of list, fetch): is missing"),
    (["data", "lst"], "data: argument ACTION: 'lst': did you mean list? must be one of fetch, list"),
    (["claims", "nosuch"], "claims: claim = 'nosuch': must be one of those that `wassdp claims --list` names"),
    (["claims", "tangent-theorem-33"],
     "claims: claim = 'tangent-theorem-33': did you mean tangent-theorem-3-3? `wassdp claims --list` names all"),
    (["compare", "..", "nosuch"],
     "compare: second = 'nosuch': no such folder; must be a results folder or a published folder"),
    (["compare", ".", "."], "compare: first = '.': holds no runs/<id>/result.json, nor archives of them"),
    (["restore", "nosuch"], "restore: folder = 'nosuch': no such folder; must be a published folder"),
    (["restore", "."],
     "restore: folder = '.': must be a results folder or a published folder, it has no plan.json"),
    (["durations", "nosuch", "--to", "x"],
     "durations: FOLDER = 'nosuch': no such folder; must be a results folder or a published folder"),
    (["publish", "--to", ".", "--merge", "nosuch"],
     "publish: merge = 'nosuch': no such folder; must be a results folder or a published folder"),
])  # fmt: skip
def test_a_word_that_is_wrong(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(words, capsys) == f"wassdp {line}"


@pytest.mark.parametrize(("changes", "line"), [
    ({"claim": "nosuch"}, ": claim = 'nosuch': none of this experiment's accountants is published (pld)"),
    ({"claim": "nosuch", "accountants": []},
     ": claim = 'nosuch': none of this experiment's accountants is published (it has none)"),
    ({"paper": "my exp"}, ".paper = 'my exp': must be small letters, digits and -, with no - in front"),
    ({"selection": "guess"},
     ".selection = 'guess': must be none, not recorded, validation, N trials (; test accuracies were known when the "
     "search was set up), or test accuracies were read"),
    ({"accountants": [{"name": "gdp", "label": "a b"}]},
     ".accountants.gdp.label = 'a b': must be 1 to 80 letters, digits, ., - and _"),
    ({"compared": {"task": "x"}}, ".compared.problem, method and objective: are missing"),
    ({"compared": {"task": "x", "problem": "y", "methd": "z", "objective": {}}},
     ".compared.method: is missing; experiments.mine.compared.objective.metric: is missing; "
     "experiments.mine.compared.methd = 'z': unknown key (did you mean method?); allowed: task, problem, method, "),
    ({"seeds": 3}, ".seeds = 3: must be a list, such as [3]"),
    ({"seeds": "three"}, ".seeds = 'three': must be a list"),
    ({"accountants": "pld"}, ".accountants = 'pld': must be a list, such as ['pld']"),
    ({"grid": {"batch": 3}}, ".grid.batch = 3: must be a list, such as [3]"),
    ({"grid": [1]}, ".grid = [1]: must be keys and values"),
    ({"space": {"batch": 3}}, ".space.batch = 3: must be keys and values (and 1 more)"),
    ({"kind": "clasification"},
     ".kind = 'clasification': did you mean classification? must be one of adaptation, attacked_budget, "),
    ({"kind": "alchemy"}, ".kind = 'alchemy': must be one of adaptation, "),
    ({"accountants": ["pdl"]}, ".accountants.0.name = 'pdl': did you mean pld? must be one of bayesian, "),
    ({"figures": [{"name": "f", "kind": "accuracy_over_epoch"}]},
     ": figures.f.kind = 'accuracy_over_epoch': did you mean accuracy_over_epochs? must be one of accuracy_over_epo"),
])  # fmt: skip
def test_a_key_of_an_experiment_that_is_wrong(
    changes: dict[str, Any], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configuration = copy.deepcopy(CONFIGURATION)
    configuration["experiments"][0].update(changes)
    said = refused(["plan", "--json", json.dumps(configuration)], capsys)
    assert said.startswith(f"wassdp plan: configuration: experiments.mine{line}")


@pytest.mark.parametrize(("changes", "varied", "line"), [
    ({"model": "linear"}, {}, "parameters.model = 'linear': must be keys and values, such as {name: linear}"),
    ({"privacy": 3}, {}, "parameters.privacy = 3: must be keys and values; allowed: delta, epsilon, clip_norm, "),
    ({"engine": "functionl"}, {},
     "parameters.engine = 'functionl': did you mean functional? must be one of functional, ghost_norms, "),
    ({"dataset": "digts"}, {}, "parameters.dataset = 'digts': did you mean digits? must be one of cifar10, "),
    ({"model": {"name": "liner"}}, {}, "parameters.model.name = 'liner': did you mean linear? must be one of cnn_"),
    ({"optimiser": {"name": "momentm"}}, {},
     "parameters.optimiser.name = 'momentm': did you mean momentum? must be 'sgd', 'momentum' or 'adam'"),
    ({"privacy": PRIVACY | {"delta": 0.1}}, {},
     "parameters.privacy.delta = 0.1: is not below 1 in 1438 records of digits: publishing a record outright "),
    ({"batch": 5000}, {}, "parameters.batch = 5000: is more than the 1438 records of digits"),
    ({"privacy": PRIVACY | {"delta": 0.1}}, {"batch": [10, 20]},
     "grid: leaves no run that is possible (parameters.privacy.delta = 0.1: is not below 1 in 1438 records of digits"),
    ({}, {"batch": [5000, 6000]},
     "grid: leaves no run that is possible (batch = 5000: is more than the 1438 records of digits; batch = 6000: is "),
    ({}, {"privacy": [PRIVACY | {"delta": 0.1}]},
     "grid: leaves no run that is possible (privacy.delta = 0.1: is not below 1 in 1438 records of digits"),
    ({"release": True, "privacy": None}, {}, "parameters: cannot be run: release true: the run is not private, "),
])  # fmt: skip
def test_a_parameter_that_is_wrong(
    changes: dict[str, Any], varied: dict[str, Any], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configuration = copy.deepcopy(CONFIGURATION)
    configuration["experiments"][0]["parameters"].update(changes)
    configuration["experiments"][0] |= {"grid": varied}
    if changes.get("release"):
        configuration["experiments"][0] |= {"accountants": [], "seeds": [None]}
    said = refused(["plan", "--json", json.dumps(configuration)], capsys)
    assert said.startswith(f"wassdp plan: experiments.mine.{line}")


@pytest.mark.parametrize("verb", ["epsilon", "calibrate", "curve"])
def test_help_says_what_each_mechanism_takes(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main([verb, "--help"])
    shown = capsys.readouterr().out
    assert shown.count("takes --") == len(mechanism.commands())
    text = " ".join(shown.split())
    for part in (
        "gaussian: a query plus Gaussian noise takes --noise-multiplier, --sigma, --sensitivity, --steps, --adjacency ",
        "--sampling: poisson with --batch, full without --adjacency: add-remove, replace-one with --sampling without-",
        "dpswd: rows projected on random directions, plus Gaussian noise: DP sliced Wasserstein takes --sigma, --rec",
    ):
        assert part in text


SMALL = {
    "noise_multiplier": 1.0,
    "sigma": 1.0,
    "projections": 5,
    "dimension": 10,
    "inverse_temperature": 1.0,
    "risk_range": 1.0,
    "records": 100,
}


@pytest.mark.parametrize(
    ("name", "sampling"),
    [
        (name, sampling)
        for name, (_, command) in mechanism.commands().items()
        for sampling in (["full", "", "poisson", "without-replacement"] if command.sampling else ["full"])
    ],
)
def test_the_defaults_that_help_tells_are_those_of_the_event(name: str, sampling: str) -> None:
    """``sampling``: full without a batch, else what is typed beside one; nothing where it is empty."""
    command = mechanism.commands()[name][1]
    assert command.about, "what is released"
    options = {key: value for key, value in SMALL.items() if key in command.options}
    if "noise_multiplier" in options:
        del options["sigma"]
    batches = {} if sampling == "full" else {"batch": 10, "steps": 2} | ({"sampling": sampling} if sampling else {})
    release = mechanism.event(name, options | batches)
    told = " ".join(mechanism.described({name: command}).split())
    if not sampling:
        assert f"--sampling: {release.sampling} with --batch, full without" in told
    usual, _, others = told.rpartition("--adjacency: ")[2].partition(", ")
    expected = f"{release.adjacency} with --sampling {release.sampling}"
    assert (expected in others) == (release.adjacency != usual)
