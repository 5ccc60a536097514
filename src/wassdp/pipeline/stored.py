"""Results as they were written, wherever they stand: a file for each run, or packed as published folders have them.

A results folder has ``runs/<id>/result.json``, as published folders of earlier versions have. A published folder has
the same files, to the byte, in ``results-1.tar.xz`` and so on, each small enough for a repository; ``tar -xf`` unpacks
them.

Results that were published before there were digests have none. What stands in a folder's ``provenance.json``
(published) or ``restored.json`` (put back by `wassdp restore`) names the SHA-256 of each file instead.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import re
import tarfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from wassdp.files import read_object
from wassdp.result import Result, parse_result

LARGEST = 1_000_000
"""Bytes of the largest file that is published."""
SMALLEST = 9 | lzma.PRESET_EXTREME
"""The preset that packs most."""
PUBLISHED, RESTORED = "provenance.json", "restored.json"
"""Where the results of a folder come from, by parts that were computed or published together."""
_ARCHIVES, _MEMBER = "results-*.tar.xz", re.compile(r"runs/([0-9a-f]{12})/result\.json")


def stored(folder: Path, runs: Collection[str] | None = None) -> Iterator[tuple[str, Path, bytes]]:
    """Run, place and bytes of every result in ``folder``; files before what is packed.

    Args:
        folder: a results folder or a published one, of any version.
        runs: only these, in their order; None: all.

    Raises:
        ValueError: an archive cannot be read, or holds something else.
    """
    names = sorted(path.parent.name for path in folder.glob("runs/*/result.json")) if runs is None else runs
    seen = set()
    for run in dict.fromkeys(names):
        path = folder / "runs" / run / "result.json"
        if path.is_file():
            seen.add(run)
            yield run, path, path.read_bytes()
    wanted = None if runs is None else set(runs)
    for archive in sorted(folder.glob(_ARCHIVES)):
        for name, content in _unpacked(archive):
            if name not in seen and (wanted is None or name in wanted):
                seen.add(name)
                yield name, archive / "runs" / name / "result.json", content


def read(
    folder: Path, runs: Collection[str] | None = None, *, undigested: bool = False
) -> dict[str, tuple[bytes, Result]]:
    """Run to bytes and result, of those that `stored` finds.

    Args:
        folder: a results folder or a published one, of any version.
        runs: only these; None: all.
        undigested: take results that nothing vouches for too: no digest of their own, none in the folder.

    Raises:
        ValueError: one line: a result breaks its schema, is not what was written or published, or belongs to another
            run; a published one is not there.
    """
    known, published = vouched(folder), (folder / PUBLISHED).is_file()
    results = {}
    for run, path, raw in stored(folder, runs):
        as_known = known.get(run) == sha256(raw)
        if published and not as_known:
            raise ValueError(f"{path}: was changed after it was published (it is not the file that {PUBLISHED} names)")
        result = parse_result(path, raw, undigested=undigested or as_known)
        if result.run != run:
            raise ValueError(f"{path}: belongs to run {result.run}, not to {run}")
        results[run] = raw, result
    lost = [run for run in known if run not in results and (runs is None or run in runs)] if published else []
    if lost:
        raise ValueError(f"{folder}: lacks the result of run {lost[0]}, which its {PUBLISHED} names")
    return results


def load(folder: Path, runs: Collection[str] | None = None, *, undigested: bool = False) -> dict[str, Result]:
    """As `read`, without the bytes."""
    return {run: result for run, (_, result) in read(folder, runs, undigested=undigested).items()}


def parts(folder: Path) -> list[dict[str, Any]]:
    """Where the results of ``folder`` come from: for each part what is known of it, its remark, and its ``results``.

    ``results`` has the SHA-256 of each run's file. Folders that were published before there were parts are one.
    """
    for path in (folder / PUBLISHED, folder / RESTORED):
        if path.is_file():
            content = read_object(path)
            if "parts" in content:
                return _parts(path, content["parts"])
            whole = {key: value for key, value in content.items() if key not in ("missing", "made_again")}
            return [whole | {"results": {run: sha256(raw) for run, _, raw in stored(folder)}}]
    return []


def _parts(path: Path, found: Any) -> list[dict[str, Any]]:
    whole = isinstance(found, list) and all(
        isinstance(part, dict) and isinstance(part.get("results"), dict) for part in found
    )
    if not whole:
        raise ValueError(f"{path}: parts: must be a list of objects, each with its results")
    return list(found)


def vouched(folder: Path) -> dict[str, str]:
    """Run to SHA-256 of its result, as the folder's own record has it."""
    return {run: digest for part in parts(folder) for run, digest in part["results"].items()}


def restored(folder: Path) -> set[str]:
    """The runs of a results folder whose results stand there as they were put back, without the outcome behind them."""
    if not (folder / RESTORED).is_file():
        return set()
    known = vouched(folder)
    put_back = {run for run, _, raw in stored(folder, known) if sha256(raw) == known[run]}
    return {run for run in put_back if not (folder / "runs" / run / "outcome.json").exists()}


def remarks(folder: Path) -> dict[str, str]:
    """Run to what is said of the part of the folder that it belongs to, where something is.

    A result that was computed again since it was put back belongs to no part.
    """
    standing = {run: sha256(raw) for run, _, raw in stored(folder, vouched(folder))}
    return {
        run: part["remark"]
        for part in parts(folder)
        if part.get("remark")
        for run, digest in part["results"].items()
        if standing.get(run) == digest
    }


def sha256(raw: bytes) -> str:
    """Digest of a result's file (64 hex digits)."""
    return hashlib.sha256(raw).hexdigest()


def packed(results: Mapping[str, bytes]) -> dict[str, bytes]:
    """File name to archive of these results, as few as there can be; equal results in equal order give equal bytes.

    Raises:
        ValueError: a single result is too large.
    """
    items = list(results.items())
    whole = _archive(items)
    for count in range(-(-len(whole) // LARGEST), max(len(items), 1) + 1):
        archives = [whole] if count == 1 else [_archive(part) for part in _even(items, count)]
        if all(len(archive) <= LARGEST for archive in archives):
            return {_ARCHIVES.replace("*", str(number)): content for number, content in enumerate(archives, start=1)}
    sizes = ((run, len(_archive([(run, raw)]))) for run, raw in items)
    run, size = next((run, size) for run, size in sizes if size > LARGEST)
    raise ValueError(f"run {run}: its result is too large to publish: {size / 1e6:.1f} MB packed")


def _even(items: list[tuple[str, bytes]], count: int) -> Iterator[list[tuple[str, bytes]]]:
    """These results in so many parts of about the same size when they are packed, in their order; none is empty."""
    packs = {run: len(zlib.compress(raw, level=1)) for run, raw in items}  # pictures hardly get smaller, curves do
    left, rest = sum(packs.values()), items
    for parts in range(count, 0, -1):
        taken: list[tuple[str, bytes]] = []
        size = 0
        for place, (run, raw) in enumerate(rest):
            full = parts > 1 and taken and size + packs[run] / 2 > left / parts
            if full or len(rest) - place < parts:
                break
            taken.append((run, raw))
            size += packs[run]
        yield taken
        rest, left = rest[len(taken) :], left - size


def _archive(results: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for run, raw in results:
            member = tarfile.TarInfo(f"runs/{run}/result.json")
            member.size, member.mode = len(raw), 0o644
            archive.addfile(member, io.BytesIO(raw))
    return lzma.compress(buffer.getvalue(), preset=SMALLEST)


def _unpacked(path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(path, mode="r:xz") as archive:
            for member in archive:
                name = _MEMBER.fullmatch(member.name)
                file = archive.extractfile(member)
                if name is None or file is None:
                    raise ValueError(f"{path}: holds {member.name}, which is no result")
                yield name[1], file.read()
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise ValueError(f"{path}: is not an archive of results ({error})") from None
