import argparse
import subprocess
import sys

import pytest

from wassdp import cli


def test_every_verb_has_help_and_arguments(capsys):
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    for verb in cli.VERBS.names():
        assert verb in shown
        module = cli.VERBS.load(verb)
        module.configure(argparse.ArgumentParser())
        assert module.HELP.endswith(".")
        assert "\n" not in module.HELP


def test_an_unknown_verb_is_one_line(capsys):
    assert cli.main(["trian"]) == 2
    assert capsys.readouterr().err.startswith("wassdp: verb = 'trian': must be one of account, audit, calibrate, ")


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["plan", "--config", "/nonexistent.yaml"], 1, "No such file"),
        (["train", "--spec", "{", "--out", "x"], 2, "spec = '{': must be JSON"),
        (["train", "--spec", "[]", "--out", "x"], 2, "must be a JSON object"),
        (["train", "--spec", "{}", "--out", "x"], 2, "must have kind, parameters, seed"),
        (["generate", "--spec", '{"kind": "alchemy", "parameters": {}, "seed": 0}', "--out", "x"], 2, "must be one of"),
        (["figure", "--experiment", "e", "--kind", "alchemy", "--out", "x"], 2, "kind = 'alchemy': must be one of"),
    ],
)
def test_bad_input_is_one_line_with_a_code(capsys, tmp_path, monkeypatch, arguments, code, line):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == code
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_verb_imports_only_itself():
    program = (
        "import contextlib, sys; from wassdp.cli import main\n"
        "with contextlib.suppress(SystemExit):\n    main(['plan', '--help'])\n"
        "print([name for name in sys.modules if name.startswith('wassdp.cli.verbs.')])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "['wassdp.cli.verbs.plan']"


@pytest.mark.parametrize("arguments", [["epsilon", "gaussian", "--delta", "x"], ["train"], ["collect", "--partail"]])
def test_what_the_parser_refuses_is_one_line_too(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
