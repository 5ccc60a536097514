import shutil
from collections import namedtuple

import pytest

from wassdp.pipeline.room import check_room


def test_a_folder_that_is_still_to_be_made_is_fine_and_is_not_made(tmp_path):
    check_room(tmp_path / "a" / "results")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_its_place_is_named(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(OSError, match=r"results: cannot hold results, .* is not a folder"):
        check_room(tmp_path / "results")


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 10, 2**20))
    with pytest.raises(OSError, match=r"results: has 1\.0 MiB of free space, at least 64 MiB"):
        check_room(tmp_path / "results")


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(OSError, match="results: cannot be written"):
        check_room(tmp_path / "results")
