"""``wassdp data``: list and fetch, with exit codes and messages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from wassdp import data
from wassdp.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    monkeypatch.setenv("WASSDP_DATA", str(tmp_path / "data"))
    if not request.node.get_closest_marker("mirror"):
        monkeypatch.delenv("WASSDP_MIRROR", raising=False)
    return tmp_path / "data"


def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list", "--json"]) == 0
    found = {item["name"]: item for item in json.loads(capsys.readouterr().out)}
    assert list(found) == list(data.names())
    assert found["mnist"]["presence"] == "absent"
    assert found["mnist"]["bytes"] == 11_594_722
    assert found["mnist"]["counts"] == {"train": 60000, "test": 10000}
    assert found["digits"]["presence"] == "embedded"
    assert found["biased"]["presence"] == "synthetic"
    assert found["celeba"]["bytes"] is None


def test_list_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["name", "size", "presence"]
    assert [line.split()[0] for line in lines[1:]] == list(data.names())
    assert "11.6 MB" in next(line for line in lines if line.startswith("mnist"))


def test_fetch_of_embedded_data_writes_a_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new/digits.json"
    assert main(["data", "fetch", "digits", "--manifest", str(target)]) == 0
    first = target.read_bytes()
    assert json.loads(first)["files"]["pixels-and-labels"]["md5"] == data.checksums("digits")["pixels-and-labels"]
    assert main(["data", "fetch", "digits", "--manifest", str(target)]) == 0
    assert target.read_bytes() == first
    assert "needs no file" in capsys.readouterr().out


def test_an_unknown_name_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "fetch", "mnits"]) == 2
    error = capsys.readouterr().err
    assert error == f"wassdp data: dataset = 'mnits': did you mean mnist? must be one of {', '.join(data.names())}\n"


def test_missing_files_are_named_with_exit_code_1(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "fetch", "office31", "--manifest", str(tmp_path / "manifest.json")]) == 1
    assert str(folder / "office31/amazon.npz") in capsys.readouterr().err
    assert not (tmp_path / "manifest.json").exists()


def test_the_verb_imports_no_torch() -> None:
    script = (
        "import sys; from wassdp.cli import main; main(['data', 'list']); main(['data', 'fetch', 'digits']); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.mirror
def test_the_manifest_is_the_same_wherever_the_files_came_from(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "german_credit.json"
    assert main(["data", "fetch", "german_credit", "--manifest", str(target)]) == 0
    assert "mirror)" in capsys.readouterr().out
    first = target.read_bytes()
    other = tmp_path / "elsewhere"
    assert main(["data", "fetch", "german_credit", "--manifest", str(target), "--folder", str(other)]) == 0
    assert target.read_bytes() == first
    assert main(["data", "fetch", "german_credit", "--manifest", str(target)]) == 0
    assert "data folder)" in capsys.readouterr().out
    assert target.read_bytes() == first
    assert str(tmp_path).encode() not in first
    assert json.loads(first)["files"] == {
        "german.data": {"md5": "6b94c2e35480e671545e52a808a8a549", "bytes": 79793, "published": True}
    }
