"""Sheets of generated images that published runs keep, and two figures of them: how steep they are, how alike.

A sheet is a PNG, ten images of each class one above the other, in 256 shades of grey or, of later runs, in a table of
16. It is decoded by zlib alone, so that claims need no library of images.
"""

from __future__ import annotations

import base64
import functools
import json
import struct
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float, UInt8

from wassdp.claims import altered
from wassdp.claims.measurement import PUBLISHED, Measured, Row, Rows

SIGNATURE = b"\x89PNG\r\n\x1a\n"
SHEET, SIDE = "samples", 28
SHADES = 16
"""What all sheets are compared in: fewer shades make edges steeper, and older sheets have more."""

Pixels = UInt8[np.ndarray, "height width"]


@dataclass(frozen=True, kw_only=True)
class Pictured(Measured):
    """A sentence about what generated images look like. Runs have two more columns, ``steepness`` and ``diversity``."""

    def flipped(self, folder: Path) -> Measured:
        """The same of runs that keep other sheets: all the same one, or their own in reverse order of a figure.

        Raises:
            ValueError: none of them flips the verdict.
        """
        holds, tables, sheets = self.judged(self.found()).holds, self._tables(), self._sheets()
        for number, other in enumerate(_exchanged(sheets)):
            place = folder / str(number)
            altered.write(tables, (), place)
            for (published, run), text in other.items():
                path = place / published / "runs" / run / "result.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps({"pictures": {SHEET: text}}), encoding="utf-8")
            changed = self.within(place)
            if changed.judged(changed.found()).holds != holds:
                return changed
        raise ValueError(f"{self.item}: no exchange of the sheets flips the verdict")

    def _rows(self) -> Rows:
        sheets = self._sheets()
        found: dict[str, list[Row]] = {}
        for (published, name), rows in self._tables().items():
            looks = [(row, sheets.get((published, row["run"]))) for row in rows]
            found.setdefault(name, []).extend(dict(row) | _looks(text) for row, text in looks if text is not None)
        return found

    def _sheets(self) -> dict[tuple[str, str], str]:
        """Sheets of the experiments' runs, by published set and run."""
        folder = self.folder or PUBLISHED
        own = {(published, row["run"]) for (published, _), rows in self._tables().items() for row in rows}
        return {
            (published, run): text
            for published in dict.fromkeys(published for published, _ in self.experiments)
            for run, text in _kept(folder, published)
            if (published, run) in own
        }


def _exchanged(sheets: Mapping[tuple[str, str], str]) -> Iterator[Mapping[tuple[str, str], str]]:
    yield dict.fromkeys(sheets, next(iter(sheets.values())))
    for figure in (0, 1):
        ranked = sorted(sheets, key=lambda run: _figures(sheets[run])[figure])
        yield dict(zip(ranked, (sheets[run] for run in reversed(ranked)), strict=True))


def _kept(folder: Path, published: str) -> Iterator[tuple[str, str]]:
    for place in (folder / published, folder):
        for path in sorted(place.glob("results-*.tar.xz")):
            yield from _packed(path, path.stat().st_mtime_ns)
        for path in sorted(place.glob("runs/*/result.json")):
            yield from _sheets(path.parent.name, path.read_bytes())


@functools.lru_cache(maxsize=8)
def _packed(path: Path, written: int) -> tuple[tuple[str, str], ...]:
    with tarfile.open(path) as archive:
        members = [(Path(member.name).parent.name, archive.extractfile(member)) for member in archive]
        return tuple(sheet for run, file in members if file is not None for sheet in _sheets(run, file.read()))


def _sheets(run: str, result: bytes) -> Iterator[tuple[str, str]]:
    if f'"{SHEET}"'.encode() in result:
        pictures = json.loads(result).get("pictures") or {}
        if SHEET in pictures:
            yield run, pictures[SHEET]


@functools.lru_cache(maxsize=256)
def _figures(text: str) -> tuple[float, float]:
    pixels = np.rint(decoded(base64.b64decode(text)) / 255.0 * (SHADES - 1)) / (SHADES - 1)
    rows, columns = (size // SIDE for size in pixels.shape)
    images = pixels.reshape(rows, SIDE, columns, SIDE).transpose(0, 2, 1, 3)
    return steepness(images), diversity(images)


def _looks(text: str) -> dict[str, str]:
    steep, diverse = _figures(text)
    return {"steepness": repr(steep), "diversity": repr(diverse)}


def steepness(images: Float[np.ndarray, "rows classes height width"]) -> float:
    """Mean square of the steps between neighbouring pixels over the mean variance inside an image: blur lowers it.

    >>> edge = np.repeat([[0.0, 0.0, 1.0, 1.0]], 4, axis=0)
    >>> ramp = np.repeat([[0.0, 1 / 3, 2 / 3, 1.0]], 4, axis=0)
    >>> round(steepness(edge[None, None]), 3), round(steepness(ramp[None, None]), 3)
    (1.333, 0.8)
    """
    steps = sum(float((np.diff(images, axis=axis) ** 2).mean()) for axis in (-1, -2))
    return steps / float(images.var(axis=(-1, -2)).mean())


def diversity(images: Float[np.ndarray, "rows classes height width"]) -> float:
    """Variance of a pixel among the images of one class, mean over pixels and classes; 0 if they are all the same."""
    return float(images.var(axis=0).mean())


def decoded(png: bytes) -> Pixels:
    """Pixels of a PNG that is not interlaced, 8-bit greyscale or a table of up to 16 greys (ISO/IEC 15948).

    Raises:
        ValueError: it is something else.
    """
    if not png.startswith(SIGNATURE):
        raise ValueError("picture: is not a PNG")
    place, packed, size, bits, greys = len(SIGNATURE), b"", (0, 0), 8, np.arange(256, dtype=np.uint8)
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        content = png[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, height, *rest = struct.unpack(">IIBBBBB", content)
            if rest not in ([8, 0, 0, 0, 0], [4, 3, 0, 0, 0]):
                raise ValueError(
                    f"picture: depth, colour, packing, filter, interlace = {rest}: must be [8, 0, 0, 0, 0] or "
                    "[4, 3, 0, 0, 0]"
                )
            size, bits = (height, width), rest[0]
        elif kind == b"PLTE":
            table = np.frombuffer(content, np.uint8).reshape(-1, 3)
            if (table != table[:, :1]).any():
                raise ValueError("picture: its table has colours; must have greys")
            greys = table[:, 0]
        elif kind == b"IDAT":
            packed += content
        place += length + 12
    height, width = size
    lines = _unfiltered(zlib.decompress(packed), height, -(-width * bits // 8))
    if bits == 4:  # two pixels in a byte, the first in its upper half
        lines = np.stack([lines >> 4, lines & 15], axis=-1).reshape(height, -1)[:, :width]
    pixels: Pixels = greys[lines]
    return pixels


def _unfiltered(raw: bytes, height: int, width: int) -> Pixels:
    """The bytes of all lines, ``width`` of each."""
    before, lines = [0] * width, []
    for place in range(0, height * (width + 1), width + 1):
        method, line, left, corner = raw[place], list(raw[place + 1 : place + 1 + width]), 0, 0
        for column, above in enumerate(before) if method else ():
            guess = _guess(method, left, above, corner)
            left, corner = (line[column] + guess) & 255, above
            line[column] = left
        before = line
        lines.append(line)
    return np.array(lines, np.uint8)


def _guess(method: int, left: int, above: int, corner: int) -> int:
    """What a line's filter adds to a pixel; the fourth, Paeth's, is the nearest of three to left + above - corner."""
    if method < 4:
        return (0, left, above, (left + above) // 2)[method]
    off_left, off_above, off_corner = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    if off_left <= off_above and off_left <= off_corner:
        return left
    return above if off_above <= off_corner else corner
