"""No word of a tracking store's password, wherever it is told."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wassdp.tracking import store as stores
from wassdp.tracking.secrets import hidden, without_password

WORD = "geheim"
ADDRESSES = (
    f"http://someone:{WORD}@127.0.0.1:9",
    f"http://someone:{WORD}/more@127.0.0.1:9",
    f"http://someone:first@{WORD}@127.0.0.1:9",
    f"http://{WORD}@127.0.0.1:9",
    f"http://127.0.0.1:9/?token={WORD}",
    f"http://someone:{WORD}%2F@127.0.0.1:9",
    f"postgresql://someone:{WORD}@127.0.0.1:9/runs",
    f"postgresql://127.0.0.1:9/runs?user=someone&password={WORD}",
    f"mysql+nothing://someone:{WORD}@127.0.0.1:9/runs",
    f"ftp://someone:{WORD}@127.0.0.1/runs",
    f"sqlite:///runs.db?password={WORD}",
)


@pytest.mark.parametrize("uri", ADDRESSES)
def test_what_fails_does_not_tell(
    uri: str, tree: ModuleType, results: Path, tools: Any, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.make(results, sigmas=(1.0,), seeds=(0,))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    assert tools.track(results) in (1, 2)
    said = capfd.readouterr()
    assert said.err.count("\n") == 1
    assert WORD not in said.out + said.err
    assert not [path for path in results.rglob("*") if path.is_file() and WORD.encode() in path.read_bytes()]


@pytest.mark.parametrize("uri", ADDRESSES)
def test_what_others_print_and_raise_does_not_tell(uri: str, capsys: Any) -> None:
    def library() -> None:
        print(f"View run at: {uri}/#/experiments/1")
        sys.stderr.write(f"no newline {uri}")
        try:
            raise KeyError(uri)
        except KeyError as error:
            raise AttributeError("something else") from error

    with pytest.raises(RuntimeError, match="something else") as raised, hidden(uri):
        library()
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    said = capsys.readouterr()
    assert "View run at: " in said.out
    assert "no newline" in said.err
    assert WORD not in said.out + said.err


def test_what_tells_nothing_stays_as_it_is(capsys: Any) -> None:
    uri = "sqlite:////home/me@work/results/mlflow.db"
    assert without_password(f"{uri}: 4 finished runs", uri) == f"{uri}: 4 finished runs"
    with hidden("http://someone:geheim@host"):
        print("a line")
    with pytest.raises(KeyError, match="mine"), hidden("http://someone:geheim@host"):
        raise KeyError("mine")
    assert capsys.readouterr().out == "a line\n"


def test_mlflow_is_told_to_print_no_address(results: Path, tools: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(stores.NO_ADDRESSES, "false")  # whatever a user has set
    stores.connect(tools.uri(results), results)
    from mlflow.environment_variables import MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT

    assert MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT.get() is True
