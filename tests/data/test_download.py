"""Downloads from a local server, well-behaved and not."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wassdp.data import download, storage
from wassdp.data.base import Archive, DatasetUnavailable, File


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


def test_a_download_is_whole_checked_and_reported(
    folder: Path, made: SimpleNamespace, server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = storage.fetch(made.dataset(host=server.url))
    assert {entry.source for entry in manifest.entries.values()} == {"download"}
    for path, data in made.content.items():
        assert manifest.path(path).read_bytes() == data
    shown = capsys.readouterr()
    assert f"downloading {server.url}/first.bin" in shown.err
    assert shown.out == ""
    assert left(folder) == {"first.bin", "second.bin"}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("altered", "sent other bytes"),
        ("cut", "stopped 2500 bytes early"),
        ("long", "more than the 5000 bytes"),
        ("missing", "answered 404"),
    ],
)
def test_a_bad_answer_is_named_and_leaves_nothing(
    folder: Path, made: SimpleNamespace, server: Any, fault: str, said: str
) -> None:
    server.faults["first.bin"] = fault
    with pytest.raises(DatasetUnavailable, match="1 of its files") as error:
        storage.fetch(made.dataset(host=server.url))
    assert said in str(error.value)
    assert left(folder) == {"second.bin"}
    server.faults.clear()
    assert len(storage.fetch(made.dataset(host=server.url)).entries) == 2
    assert server.requests["part/second.bin"] == 1  # what was right is kept


def test_the_second_address_is_tried_when_the_first_fails(folder: Path, made: SimpleNamespace, server: Any) -> None:
    server.faults["first.bin"] = "altered"
    server.content["copy/first.bin"] = made.content["first.bin"]
    data = made.content["first.bin"]
    urls = (f"{server.url}/first.bin", f"{server.url}/copy/first.bin")
    dataset = made.dataset(files=(File(path="first.bin", md5=made.md5(data), bytes=len(data), urls=urls),))
    assert storage.fetch(dataset).path("first.bin").read_bytes() == data


def test_a_silent_server_is_given_up(
    folder: Path, made: SimpleNamespace, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.faults["first.bin"] = "hang"
    monkeypatch.setattr(download, "TIMEOUT", 0.3)
    with pytest.raises(DatasetUnavailable, match=r"broke off .*timed out"):
        storage.fetch(made.dataset(host=server.url))
    assert left(folder) == {"second.bin"}


def test_a_host_that_does_not_answer_is_asked_once(
    folder: Path, made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def refuse(request: Any, timeout: float) -> Any:
        asked.append(request.full_url)
        raise download.urllib.error.URLError("Name or service not known")

    monkeypatch.setattr(download.urllib.request, "urlopen", refuse)
    archive = Archive(url="http://host.invalid/made.zip", md5=None)
    with pytest.raises(DatasetUnavailable, match="Name or service not known"):
        storage.fetch(made.dataset(host="http://host.invalid", archive=archive))
    assert asked == ["http://host.invalid/first.bin"]


def packed(form: str, content: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    if form == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            for path, data in content.items():
                archive.writestr(f"some/where/{path}", data)
    else:
        with tarfile.open(fileobj=buffer, mode="w:gz") as tape:
            for path, data in content.items():
                member = tarfile.TarInfo(f"../{path}")  # a path that must not be followed
                member.size = len(data)
                tape.addfile(member, io.BytesIO(data))
            link = tarfile.TarInfo("first.bin")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tape.addfile(link)
    return buffer.getvalue()


@pytest.mark.parametrize("form", ["zip", "tar.gz"])
def test_files_are_taken_out_of_an_archive(folder: Path, made: SimpleNamespace, server: Any, form: str) -> None:
    server.content[f"all.{form}"] = data = packed(form, {**made.content, "unwanted.bin": b"x"})
    archive = Archive(url=f"{server.url}/all.{form}", md5=made.md5(data), bytes=len(data))
    manifest = storage.fetch(made.dataset(archive=archive))
    for path, content in made.content.items():
        assert manifest.path(path).read_bytes() == content
        assert not manifest.path(path).is_symlink()
    assert left(folder) == {"first.bin", "second.bin"}
    assert not list((folder / "made").glob(".*"))
    assert not (folder.parent / "first.bin").exists()


@pytest.mark.parametrize("form", ["zip", "tar.gz"])
def test_an_altered_archive_is_refused(folder: Path, made: SimpleNamespace, server: Any, form: str) -> None:
    whole = packed(form, made.content)
    server.content["all"] = whole[: len(whole) // 2]
    with pytest.raises(DatasetUnavailable, match="sent other bytes"):
        storage.fetch(made.dataset(archive=Archive(url=f"{server.url}/all", md5=made.md5(whole))))
    # Without a published md5 the archive's files are what is checked.
    with pytest.raises(DatasetUnavailable, match="not a whole archive"):
        storage.fetch(made.dataset(archive=Archive(url=f"{server.url}/all", md5=None)))
    server.content["all"] = packed(form, {**made.content, "first.bin": b"altered"})
    with pytest.raises(DatasetUnavailable, match=r"first.bin in the archive has md5"):
        storage.fetch(made.dataset(archive=Archive(url=f"{server.url}/all", md5=None)))
    assert "first.bin" not in left(folder)
