import os
import stat

import pandas as pd
import pytest

from wassdp import files


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "result.json"
    files.write_text(target, "old")

    def fail_half_way():
        with files.appearing(target) as draft:
            draft.write_text("new, but")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.json"]


def test_the_file_appears_only_at_the_end(tmp_path):
    target = tmp_path / "a" / "figure.png"
    with files.appearing(target) as draft:
        draft.write_bytes(b"x")
        assert not target.exists()
        assert draft.suffix == ".png"
    assert target.read_bytes() == b"x"


def test_written_files_have_ordinary_permissions(tmp_path):
    files.write_text(tmp_path / "a", "x")
    (tmp_path / "b").write_text("x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "ab"]
    assert modes[0] == modes[1]


def test_json_refuses_nan(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        files.write_json(tmp_path / "x.json", {"epsilon": float("nan")})
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "results").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="results"):
        files.write_text(tmp_path / "results" / "x.json", "{}")


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*result\.json'"):
        files.write_text(tmp_path / "result.json", "{}")
    assert os.listdir(tmp_path) == []


def test_a_table_that_is_packed_is_found_and_read_as_it_was(tmp_path):
    text = 'run,label\r\na,"σ = 1,\n2"\n'
    assert files.find_table(tmp_path, "t.csv") == tmp_path / "t.csv"
    files.pack_table(tmp_path, "t.csv")
    assert not list(tmp_path.iterdir()), "there is none"
    (tmp_path / "t.csv").write_bytes(text.encode())
    assert files.read_table(files.find_table(tmp_path, "t.csv")) == text
    files.pack_table(tmp_path, "t.csv")
    (path,) = tmp_path.iterdir()
    assert path == files.find_table(tmp_path, "t.csv") == tmp_path / "t.csv.xz"
    assert files.read_table(path) == text
    assert pd.read_csv(path)["label"].tolist() == ["σ = 1,\n2"]
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ValueError, match=r"t\.csv\.xz: is "):
        files.read_table(path)
