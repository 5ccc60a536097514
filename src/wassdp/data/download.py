"""Downloading dataset files: to a draft beside the target, checked, then renamed into place."""

from __future__ import annotations

import hashlib
import http.client
import logging
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from wassdp.data.base import Dataset, File
from wassdp.files import appearing, write_bytes
from wassdp.version import __version__

log = logging.getLogger("wassdp.data")

CHUNK = 1 << 18
TIMEOUT = 30.0  # seconds without a byte
SCRATCH = ".archive-"  # prefix of the folder that an archive passes through
MOST_UNPACKED = 1 << 30  # bytes of an archive's member whose size is not known
REPORT_EVERY = 2.0  # seconds between lines of progress


class DownloadError(Exception):
    """One attempt failed; never leaves the data layer."""


class UnreachableError(DownloadError):
    """The host did not answer at all, so asking it for other files is pointless."""


def fill(dataset: Dataset, missing: list[File], home: Path, reasons: list[str]) -> None:
    """Download what is missing into ``home``; what went wrong is added to ``reasons``.

    Each file is tried at its own addresses first, then in the dataset's archive. A host that does not answer is
    not asked again, so that a machine without a network is told so once and soon.
    """
    silent: set[str] = set()
    left = []
    for file in missing:
        if not any(_attempt(url, silent, reasons, file, home / file.path) for url in file.urls):
            left.append(file)
    if left and dataset.archive is not None and _host(dataset.archive.url) not in silent:
        url = dataset.archive.url
        try:
            home.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=home, prefix=SCRATCH) as scratch:
                draft = Path(scratch) / "archive"
                _download(url, draft, dataset.archive.md5, dataset.archive.bytes)
                _unpack(draft, left, home)
        except DownloadError as error:
            reasons.append(f"{url}: {error}")


def _attempt(url: str, silent: set[str], reasons: list[str], file: File, target: Path) -> bool:
    if _host(url) in silent:
        return False
    try:
        with appearing(target) as draft:
            _download(url, draft, file.md5, file.bytes)
    except DownloadError as error:
        if isinstance(error, UnreachableError):
            silent.add(_host(url))
        reasons.append(f"{url}: {error}")
        log.warning("%s: %s", url, error)
        return False
    return True


def _download(url: str, draft: Path, md5: str | None, size: int | None) -> None:
    """Fetch ``url`` into ``draft``.

    Raises:
        DownloadError: no answer, a cut or overlong answer, or other bytes than expected.
        OSError: the draft cannot be written.
    """
    digest = hashlib.md5(usedforsecurity=False)
    request = urllib.request.Request(url, headers={"User-Agent": f"wassdp/{__version__}"})
    with _open(request) as answer, draft.open("wb") as sink:
        progress = _Progress(url, size or answer.length)
        while chunk := _read(answer):
            if size is not None and progress.done + len(chunk) > size:
                raise DownloadError(f"sent more than the {size} bytes expected")
            digest.update(chunk)
            sink.write(chunk)
            progress.add(len(chunk))
        if answer.length:
            raise DownloadError(f"the answer stopped {answer.length} bytes early")
    progress.finish()
    if md5 is not None and digest.hexdigest() != md5:
        raise DownloadError(f"sent other bytes (md5 {digest.hexdigest()}, expected {md5})")


def _open(request: urllib.request.Request) -> http.client.HTTPResponse:
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise DownloadError(f"answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise UnreachableError(str(error.reason)) from None
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(str(error) or type(error).__name__) from None
    return answer


def _read(answer: http.client.HTTPResponse) -> bytes:
    # Apart from the writing, so that a lost connection is not taken for a full disk.
    try:
        return answer.read(CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise DownloadError(f"the answer broke off ({error or type(error).__name__})") from None


def _unpack(archive: Path, files: list[File], home: Path) -> None:
    """Take ``files`` out of an archive by their last names, each checked like a download."""
    for file, content in _members(archive, {file.name: file for file in files}):
        md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
        if md5 != file.md5:
            raise DownloadError(f"{file.name} in the archive has md5 {md5}, expected {file.md5}")
        write_bytes(home / file.path, content)


def _members(archive: Path, wanted: dict[str, File]) -> Iterator[tuple[File, bytes]]:
    """The wanted regular files of a .zip or .tar archive and their content; paths in it are not used.

    Raises:
        DownloadError: the archive cannot be read; apart from the writing, which fails for other reasons.
    """
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                for info in packed.infolist():
                    file = wanted.get(PurePosixPath(info.filename).name)
                    if file is not None and not info.is_dir():
                        with packed.open(info) as stream:
                            yield file, stream.read(_bound(file))
        else:
            with tarfile.open(archive) as tape:
                for member in tape:
                    file = wanted.get(PurePosixPath(member.name).name)
                    if file is not None and member.isreg() and (content := tape.extractfile(member)) is not None:
                        yield file, content.read(_bound(file))
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:
        raise DownloadError(f"is not a whole archive ({error})") from None


def _bound(file: File) -> int:
    # One byte more than it should have shows that it is wrong; a member that unpacks without end is cut off.
    return (file.bytes if file.bytes is not None else MOST_UNPACKED) + 1


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc


class _Progress:
    """Lines on stderr: at the start, every few seconds, and at the end."""

    def __init__(self, url: str, size: int | None) -> None:
        self.url, self.size, self.done = url, size, 0
        self.next = time.monotonic() + REPORT_EVERY
        print(f"downloading {url}" + (f" ({size / 1e6:.1f} MB)" if size else ""), file=sys.stderr, flush=True)

    def add(self, count: int) -> None:
        self.done += count
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + REPORT_EVERY
            share = f" of {self.size / 1e6:.1f} MB ({self.done / self.size:.0%})" if self.size else " MB"
            print(f"  {self.done / 1e6:.1f}{share}", file=sys.stderr, flush=True)

    def finish(self) -> None:
        print(f"  done: {self.done / 1e6:.1f} MB", file=sys.stderr, flush=True)
