"""Results are read alike, to the byte, whether each has a file or all are packed."""

from __future__ import annotations

import io
import json
import random
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

from wassdp.pipeline import stored


def packed_folder(results: dict[str, bytes], folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, archive in stored.packed(results).items():
        (folder / name).write_bytes(archive)
    return folder


def contents(folder: Path, runs: list[str] | None = None) -> dict[str, bytes]:
    return {run: raw for run, _, raw in stored.stored(folder, runs)}


def test_packed_results_are_those_of_the_files(tree: ModuleType, tmp_path: Path) -> None:
    plan = tree.make(tmp_path / "plain")
    plain = contents(tmp_path / "plain")
    assert set(plain) == {row.run for row in plan.runs}
    folder = packed_folder(plain, tmp_path / "packed")
    assert contents(folder) == plain
    assert stored.load(folder) == stored.load(tmp_path / "plain")
    first = plan.runs[0].run
    assert list(stored.load(folder, [first])) == [first]
    assert stored.packed(plain) == stored.packed(dict(plain.items())), "equal results give equal bytes"
    with tarfile.open(folder / "results-1.tar.xz") as archive:
        assert {member.mtime for member in archive} == {0}
        assert archive.getnames() == [f"runs/{run}/result.json" for run in plain]


def test_no_archive_is_too_large_for_a_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    draw = random.Random(0)
    results = {f"{number:012x}": draw.randbytes(3000) for number in range(20)}
    monkeypatch.setattr(stored, "LARGEST", 8000)
    folder = packed_folder(results, tmp_path)
    sizes = [path.stat().st_size for path in folder.glob("results-*.tar.xz")]
    assert len(sizes) > 7
    assert max(sizes) <= 8000
    assert contents(folder) == results
    monkeypatch.setattr(stored, "LARGEST", 2000)
    with pytest.raises(ValueError, match="run 000000000000: its result is too large to publish"):
        stored.packed(results)


def archive(name: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as file:
        file.addfile(tarfile.TarInfo(name), io.BytesIO(b""))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "runs/0123456789ab/outcome.json", "/runs/0123456789ab/result.json", "runs/..", "x"]
)
def test_what_is_no_result_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "results-1.tar.xz").write_bytes(archive(name))
    with pytest.raises(ValueError, match="which is no result"):
        contents(tmp_path)


@pytest.mark.parametrize("cut", [0, 10, 200, -200])
def test_an_archive_that_was_cut_short_is_named(cut: int, tree: ModuleType, tmp_path: Path) -> None:
    tree.make(tmp_path / "plain")
    path = packed_folder(contents(tmp_path / "plain"), tmp_path) / "results-1.tar.xz"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ValueError, match=r"results-1\.tar\.xz: is not an archive of results"):
        contents(tmp_path)


def test_a_folder_vouches_for_results_without_a_digest(tree: ModuleType, tmp_path: Path) -> None:
    plan = tree.make(tmp_path)
    run = plan.runs[0].run
    path = tmp_path / "runs" / run / "result.json"
    value = json.loads(path.read_text())
    del value["digest"]
    path.write_text(json.dumps(value))
    with pytest.raises(ValueError, match="has no digest"):
        stored.load(tmp_path)
    part = {"remark": "drawn in float32", "results": {run: stored.sha256(path.read_bytes())}}
    (tmp_path / "restored.json").write_text(json.dumps({"parts": [part]}))
    assert len(stored.load(tmp_path)) == 4
    assert stored.remarks(tmp_path) == {run: "drawn in float32"}
    assert stored.restored(tmp_path) == set(), "a folder's own result, with its outcome, is made again as its code is"
    (path.parent / "outcome.json").unlink()
    assert stored.restored(tmp_path) == {run}
    value["metrics"]["accuracy"] = 1.0
    path.write_text(json.dumps(value))
    assert stored.remarks(tmp_path) == {}, "a result that was computed again is none of the part"
    with pytest.raises(ValueError, match="has no digest"):
        stored.load(tmp_path)
