"""Where files are looked for, what is done about wrong ones, and what is said when nothing helps."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wassdp.data import storage
from wassdp.data.base import DatasetUnavailable

Mirror = Callable[..., Path]


def sources(manifest: storage.Manifest) -> dict[str, str]:
    return {path: entry.source for path, entry in manifest.entries.items()}


def everything_under(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


def test_the_data_folder_is_the_argument_then_the_variable_then_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WASSDP_DATA", str(tmp_path / "chosen"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert storage.data_folder(tmp_path / "given") == tmp_path / "given"
    assert storage.data_folder() == tmp_path / "chosen"
    monkeypatch.delenv("WASSDP_DATA")
    assert storage.data_folder() == tmp_path / "xdg" / "wassdp"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the XDG rules: to be ignored
    assert storage.data_folder() == tmp_path / ".cache" / "wassdp"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert storage.data_folder() == tmp_path / ".cache" / "wassdp"


def test_the_data_folder_comes_before_mirrors_and_mirrors_before_download(
    folder: Path, mirror: Mirror, made: SimpleNamespace, server: Any
) -> None:
    dataset = made.dataset(host=server.url)
    made.lay(folder / "made", {"first.bin": made.content["first.bin"]})
    place = mirror({"part/second.bin": made.content["part/second.bin"]})
    before = everything_under(place)
    manifest = storage.fetch(dataset)
    assert sources(manifest) == {"first.bin": "data folder", "part/second.bin": "mirror"}
    assert not server.requests
    assert everything_under(place) == before
    assert everything_under(folder / "made") == made.content
    assert manifest.checksums() == {path: made.md5(data) for path, data in made.content.items()}
    assert set(sources(storage.fetch(dataset)).values()) == {"data folder"}


def test_what_no_mirror_has_is_downloaded(folder: Path, mirror: Mirror, made: SimpleNamespace, server: Any) -> None:
    mirror({"first.bin": made.content["first.bin"]})
    manifest = storage.fetch(made.dataset(host=server.url))
    assert sources(manifest) == {"first.bin": "mirror", "part/second.bin": "download"}
    assert dict(server.requests) == {"part/second.bin": 1}
    assert everything_under(folder / "made") == made.content


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-7], lambda data: b"?" + data[1:], lambda data: b"", lambda data: data + b"more"]
)
def test_a_wrong_file_in_the_data_folder_is_named_moved_aside_and_replaced(
    folder: Path,
    mirror: Mirror,
    made: SimpleNamespace,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[bytes], bytes],
) -> None:
    mirror()
    wrong = damage(made.content["first.bin"])
    made.lay(folder / "made", {**made.content, "first.bin": wrong})
    with caplog.at_level(logging.WARNING):
        manifest = storage.fetch(made.dataset())
    assert sources(manifest) == {"first.bin": "mirror", "part/second.bin": "data folder"}
    assert (folder / "made/first.bin").read_bytes() == made.content["first.bin"]
    assert (folder / "made/first.bin.rejected").read_bytes() == wrong
    assert str(folder / "made/first.bin") in caplog.text
    assert made.md5(made.content["first.bin"]) in caplog.text


def test_a_wrong_file_that_cannot_be_replaced_is_not_used(
    folder: Path, made: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    made.lay(folder / "made", {**made.content, "first.bin": b"?" * 5000})
    with pytest.raises(DatasetUnavailable, match="made: 1 of its files"), caplog.at_level(logging.WARNING):
        storage.fetch(made.dataset())
    assert not (folder / "made/first.bin").exists()
    assert str(folder / "made/first.bin") in caplog.text


def test_a_file_altered_after_it_was_checked_is_not_used(folder: Path, mirror: Mirror, made: SimpleNamespace) -> None:
    mirror()
    dataset = made.dataset()
    path = storage.fetch(dataset).path("first.bin")
    path.write_bytes(b"?" + made.content["first.bin"][1:])  # same size, in the same process
    manifest = storage.fetch(dataset)
    assert manifest.entries["first.bin"].source == "mirror"
    assert path.read_bytes() == made.content["first.bin"]


def test_a_file_is_read_once_in_a_process_to_check_it(
    folder: Path, made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.lay(folder / "made")
    storage.fetch(made.dataset())
    monkeypatch.setattr("pathlib.Path.open", lambda *_: pytest.fail("read again"))
    assert set(sources(storage.fetch(made.dataset())).values()) == {"data folder"}


@pytest.mark.parametrize("damage", [lambda data: data[:-7], lambda data: b"?" + data[1:], lambda data: b""])
def test_a_wrong_file_in_a_mirror_is_named_and_skipped(
    folder: Path,
    mirror: Mirror,
    made: SimpleNamespace,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[bytes], bytes],
) -> None:
    bad = mirror({**made.content, "first.bin": damage(made.content["first.bin"])})
    good = mirror()
    before = everything_under(bad)
    with caplog.at_level(logging.WARNING):
        manifest = storage.fetch(made.dataset())
    assert set(sources(manifest).values()) == {"mirror"}
    assert str(bad / "made/first.bin") in caplog.text
    assert str(good) not in caplog.text
    assert everything_under(bad) == before
    assert everything_under(folder / "made") == made.content


def test_a_mirror_folder_that_does_not_exist_is_skipped(
    folder: Path, mirror: Mirror, made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = mirror()
    monkeypatch.setenv("WASSDP_MIRROR", os.pathsep.join(["/nowhere/at/all", "", str(place)]))
    assert set(sources(storage.fetch(made.dataset())).values()) == {"mirror"}


def test_a_mirror_may_hold_a_file_under_an_alias(folder: Path, mirror: Mirror, made: SimpleNamespace) -> None:
    from wassdp.data.base import File

    content = b"content"
    mirror({"other.bin": content})
    file = File(path="deep/name.bin", md5=made.md5(content), bytes=len(content), aliases=("other.bin",))
    manifest = storage.fetch(made.dataset(files=(file,)))
    assert manifest.path("deep/name.bin") == folder / "made/deep/name.bin"
    assert manifest.path("deep/name.bin").read_bytes() == content


def test_the_message_names_files_md5_and_places(folder: Path, made: SimpleNamespace) -> None:
    host = "http://127.0.0.1:9"  # the discard port: nobody listens
    with pytest.raises(DatasetUnavailable) as error:
        storage.fetch(made.dataset(host=host, instructions="Ask the librarian."))
    message = str(error.value)
    for path, data in made.content.items():
        assert f"{folder / 'made' / path}: " in message
        assert f"md5 {made.md5(data)}, {len(data)} bytes" in message
        assert f"from {host}/{path}" in message
    assert "WASSDP_MIRROR" in message
    assert "refused" in message
    assert message.endswith("Ask the librarian.")
    assert isinstance(error.value, OSError)
    assert not list((folder / "made").rglob("*.bin"))


def test_only_the_files_asked_for_are_fetched(folder: Path, mirror: Mirror, made: SimpleNamespace) -> None:
    mirror()
    manifest = storage.fetch(made.dataset(), only=["part/second.bin"])
    assert list(manifest.entries) == ["part/second.bin"]
    assert not (folder / "made/first.bin").exists()
    with pytest.raises(
        ValueError, match=r"file of made = 'third.bin': did you mean first.bin\? must be one of first.bin, part"
    ):
        storage.fetch(made.dataset(), only=["third.bin"])


def test_presence(folder: Path, mirror: Mirror, made: SimpleNamespace) -> None:
    dataset = made.dataset()
    assert storage.presence(dataset) == "absent"
    mirror({"first.bin": made.content["first.bin"]})
    assert storage.presence(dataset) == "absent"
    mirror()
    assert storage.presence(dataset) == "in mirror"
    storage.fetch(dataset)
    assert storage.presence(dataset) == "present"
    (folder / "made/first.bin").write_bytes(b"short")
    assert storage.presence(dataset) == "in mirror"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach; pytest's own are closed to others."""
    found = Path(tempfile.mkdtemp())
    found.chmod(0o755)
    yield found
    shutil.rmtree(found)


AS_NOBODY = """
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
"""


def closed(folder: Path, mode: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        path.chmod(mode if path.is_dir() else 0o444)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_a_complete_read_only_data_folder_serves(
    open_folder: Path, made: SimpleNamespace, started: Callable[..., Any]
) -> None:
    made.lay(open_folder / "data/made")
    closed(open_folder / "data", 0o555)
    body = AS_NOBODY + f"print(len(storage.fetch(DATASET, Path({str(open_folder / 'data')!r})).entries))"
    out, error = started(None, body).communicate(timeout=60)
    closed(open_folder / "data", 0o755)
    assert (out.strip(), error) == ("2", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
@pytest.mark.parametrize("damage", ["missing", "altered"])
def test_a_read_only_data_folder_that_must_change_is_an_error_that_says_so(
    open_folder: Path, made: SimpleNamespace, started: Callable[..., Any], damage: str
) -> None:
    content = dict(made.content)
    if damage == "missing":
        del content["first.bin"]
    else:
        content["first.bin"] = b"?" * 5000
    made.lay(open_folder / "data/made", content)
    made.lay(open_folder / "mirror/made")
    closed(open_folder, 0o555)
    before = everything_under(open_folder)
    body = f"""
    os.environ["WASSDP_MIRROR"] = {str(open_folder / "mirror")!r}
    try:
        storage.fetch(DATASET, Path({str(open_folder / "data")!r}))
    except DatasetUnavailable as error:
        print(error)
    """
    out, error = started(None, AS_NOBODY + __import__("textwrap").dedent(body)).communicate(timeout=60)
    closed(open_folder, 0o755)
    assert error == ""
    assert "made: first.bin must be fetched" in out
    assert "cannot be written (Permission denied)" in out
    assert "WASSDP_DATA" in out
    assert everything_under(open_folder) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs a file size limit")
@pytest.mark.parametrize("origin", ["mirror", "download"])
def test_a_full_data_folder_is_an_error_and_leaves_no_half_written_file(
    tmp_path: Path, made: SimpleNamespace, started: Callable[..., Any], server: Any, origin: str
) -> None:
    made.lay(tmp_path / "mirror/made")
    body = f"""
    if {origin == "mirror"}:
        os.environ["WASSDP_MIRROR"] = {str(tmp_path / "mirror")!r}
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))  # the first file fits, the second does not
    try:
        storage.fetch(DATASET, Path({str(tmp_path / "data")!r}))
    except DatasetUnavailable as error:
        print(error)
    """
    out, error = started(server.url if origin == "download" else None, body).communicate(timeout=60)
    assert "cannot be written (File too large)" in out, error
    assert everything_under(tmp_path / "data") == {"made/first.bin": made.content["first.bin"]}


def test_a_path_through_a_file_is_an_error_that_says_so(
    tmp_path: Path, folder: Path, mirror: Mirror, made: SimpleNamespace
) -> None:
    mirror()
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(DatasetUnavailable, match=r"cannot be written \((File exists|Not a directory)\)"):
        storage.fetch(made.dataset())


def test_a_file_without_published_md5_is_recorded_and_held_to(folder: Path, made: SimpleNamespace) -> None:
    from wassdp.data.base import File

    dataset = made.dataset(files=(File(path="mine.npz", md5=None), File(path="other.npz", md5=None)))
    made.lay(folder / "made", {"mine.npz": b"one", "other.npz": b"two"})
    assert storage.fetch(dataset).checksums() == {"mine.npz": made.md5(b"one"), "other.npz": made.md5(b"two")}
    (folder / "made/mine.npz").write_bytes(b"three")
    with pytest.raises(DatasetUnavailable, match="has another md5 than was recorded"):
        storage.fetch(dataset)
    assert (folder / "made/mine.npz").read_bytes() == b"three"  # a file that cannot be had again is never moved
    (folder / "made/recorded-md5.json").unlink()
    assert storage.fetch(dataset).checksums()["mine.npz"] == made.md5(b"three")
    (folder / "made/recorded-md5.json").write_text("{")
    with pytest.raises(DatasetUnavailable, match="is not a record of checksums"):
        storage.fetch(dataset)
