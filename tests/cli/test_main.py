import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wassdp import cli
from wassdp.cli import paths


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
    assert capsys.readouterr().err.startswith(
        "wassdp: verb = 'trian': did you mean train? must be one of account, audit, calibrate, "
    )


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["train", "--spec", "{", "--out", "x"], 2, "spec = '{': must be JSON"),
        (["plan", "--json", "["], 2, "json = '[': must be JSON"),
        (["account", "--outcome", __file__, "--out", "x", "--accountants", "["], 2, "accountants = '[': must be JSON"),
        (
            ["account", "--outcome", __file__, "--out", "x", "--accountants", '["plD"]'],
            2,
            "accountants.0.name = 'plD': did you mean pld? must be one of",
        ),
        (
            ["account", "--outcome", __file__, "--out", "x", "--accountants", '[{"name": "pld", "name": "rdp"}]'],
            2,
            "must be JSON (name: stands there twice)",
        ),
        (["account", "--outcome", __file__, "--out", "x", "--accountants", ""], 2, "accountants = '': must be JSON"),
        (["account", "abc", "--outcome", __file__, "--out", "x", "--name", "n"], 2, "RUN and --name: give one of them"),
        (
            ["account", "abc", "--outcome", __file__, "--out", "x", "--accountants", "[]"],
            2,
            "RUN and --accountants: give one of them",
        ),
        (["plan", "--json", '{"preset": "a", "preset": "b"}'], 2, "must be JSON (preset: stands there twice)"),
        (["plan", "--config", "c.yaml", "--json", "{}"], 2, "--config and --json: give one of them"),
        (["plan", "--config", "c.yaml", "--set-aside"], 2, "--set-aside: needs --check-results"),
        (["plan", "--config", ""], 2, "config = '.': is a folder; must be a YAML file"),
        (["data", "fetch", "digits", "--manifest", "."], 2, "manifest = '.': must be a file, not a folder"),
        (["data", "fetch", "digits", "--folder", __file__], 2, "and " + __file__ + " is a file"),
        (["train", "--spec", "[]", "--out", "x"], 2, "must be a JSON object"),
        (["train", "--spec", "{}", "--out", "x"], 2, "spec.kind, parameters and seed: are missing"),
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


def test_a_file_or_folder_that_is_no_such_thing_is_refused_before_any_work(capsys, tmp_path, monkeypatch):
    """Input that is missing or a folder, output where nothing can be written: one line names argument and value."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("{}")
    Path("Snakefile").write_text("")
    Path("plan.json").write_text("{}")
    before = sorted(tmp_path.rglob("*"))
    plan, outcome = ["--plan", "plan.json"], ["--outcome", "file"]
    for words, line in (
        (["plan", "--config", "none.yaml"], "config = 'none.yaml': no such file; must be a YAML file"),
        (["plan", "--config", "folder"], "config = 'folder': is a folder; must be a YAML file"),
        (["pipeline", "--config", "none.yaml"], "config = 'none.yaml': no such file; must be a YAML file"),
        (["tune", "none.yaml"], "CONFIG = 'none.yaml': no such file; must be a YAML file"),
        (["freeze", "folder"], "CONFIG = 'folder': is a folder; must be a YAML file"),
        (["final", "none.yaml"], "FROZEN = 'none.yaml': no such file; must be a YAML file that wassdp freeze wrote"),
        *(
            (
                [verb, "--results", "none"],
                "results = 'none': no such folder; must be a results folder, which a pipeline makes",
            )
            for verb in ("collect", "ledger", "track", "publish")
        ),
        (["collect", "--results", "folder"], f"plan = 'folder/plan.json': no such file; must be {paths.PLAN}"),
        (["collect", "--results", "folder", *plan, "--out", "file"], "out = 'file': must lie in a folder"),
        (["publish", "--results", "folder", "--to", "file/x"], "to = 'file/x': must lie in a folder, and "),
        (
            ["publish", "--front", "--to", "none"],
            "to = 'none': no such folder; must be the folder of all published sets",
        ),
        (
            ["publish", "--front", "--to", "folder", "--readme", "none.md"],
            "readme = 'none.md': no such file; must be a page",
        ),
        (
            ["publish", "--again", "folder", "--config", "none.yaml"],
            "config = 'none.yaml': no such file; must be a YAML file",
        ),
        (["run", "0123456789ab", "--plan", "none", "--out", "x"], f"plan = 'none': no such file; must be {paths.PLAN}"),
        (
            ["run", "--spec", "@none", "--out", "x"],
            "spec = 'none': no such file; must be a file with the specification as JSON",
        ),
        (["run", "--spec", "{}", "--out", "folder"], "out = 'folder': must be a file, not a folder"),
        (
            ["account", "0123456789ab", "--plan", "none", *outcome, "--out", "x"],
            f"plan = 'none': no such file; must be {paths.PLAN}",
        ),
        (
            ["account", "--outcome", "none", "--out", "x"],
            "outcome = 'none': no such file; must be an outcome that wassdp run wrote",
        ),
        (["schema", "--folder", "file"], "folder = 'file': must lie in a folder, and "),
        (["restore", "folder", "--results", "file"], "results = 'file': must lie in a folder, and "),
        (["durations", "folder", "--to", "folder"], "to = 'folder': must be a file, not a folder"),
    ):
        assert cli.main(words) == 2, words
        said = capsys.readouterr().err
        assert said.startswith(f"wassdp {words[0]}: {line}"), said
        assert said.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_pipe_of_the_shell_is_a_configuration_too(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert paths.file("config", tmp_path / "pipe", paths.CONFIGURATION) == tmp_path / "pipe"


def test_a_place_where_nothing_can_be_written_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: path != tmp_path)  # root may write anywhere
    with pytest.raises(ValueError, match=r"^out = '.*figure.svg': must lie where files can be written, not in "):
        paths.new_file("out", tmp_path / "new" / "figure.svg")


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


@pytest.mark.parametrize("given", [["--steps", "4"], ["--steps=4"], ["--steps", "3"]])
def test_an_option_of_one_value_that_is_given_twice_is_refused(capsys, given):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["epsilon", "gaussian", "--noise-multiplier", "2", "--delta", "1e-5", "--steps", "3", *given])
    assert stopped.value.code == 2
    value = given[-1][-1]
    assert f"argument --steps: {value}: is given a second time; must be once" in capsys.readouterr().err


@pytest.mark.parametrize("name", cli.VERBS.names())
def test_no_option_forgets_what_was_given_before(name):
    """Each takes one value and refuses a second, or gathers all that it is given."""
    parser = cli._Parser()
    cli.VERBS.load(name).configure(parser)
    for action in parser._actions:
        if action.option_strings and action.nargs != 0:
            gathers = isinstance(action, argparse._AppendAction | argparse._ExtendAction)
            assert gathers or (isinstance(action, cli._Once) and action.nargs is None), action.option_strings


def test_a_path_that_is_given_twice_is_shown_as_it_was_typed(capsys):
    with pytest.raises(SystemExit):
        cli.main(["pipeline", "--snakefile", "here", "--snakefile", "there"])
    assert "argument --snakefile: 'there': is given a second time; must be once" in capsys.readouterr().err
