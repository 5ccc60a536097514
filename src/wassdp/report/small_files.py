"""Files of figures without what nobody sees: fewer bytes for the same picture, the same bytes for the same figure.

In drawings, numbers that say where something stands are cut to a hundredth of a point, and letters within their word
to a hundredth of their size, far less than a screen or a printer shows; scales, colours and widths keep their digits.
In tables of data, what was measured is cut to six digits and budgets of a known kind to ten, those of an upper bound
upwards and of a lower one downwards; all else keeps every digit.
"""

from __future__ import annotations

import base64
import io
import itertools
import math
import re
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

import pandas as pd
from PIL import Image

from wassdp.accounting.guarantee import Kind
from wassdp.accounting.rounding import rounded

COLOURS = 256
KINDS: tuple[Kind, ...] = ("upper", "lower", "published")
SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
UNSEEN = {f"{SVG}metadata"}
REFERENCE = re.compile(r"url\(#([^)]+)\)")
STEPS = re.compile(r"([A-Za-z])([^A-Za-z]*)")
DIGITS = re.compile(r"-?\d+\.\d{3,}")
WAYS = {"M": 2, "L": 2, "Q": 4, "C": 6, "z": 0}
"""Kinds of steps of a path, and how many numbers one has; Matplotlib writes no other."""
MOVED = re.compile(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)")
LETTERS = re.compile(r"scale\((0\.\d+) -\1\)$")
"""What Matplotlib says of a group of letters, which stand in it by hundredths of their size."""
EMBEDDED = "data:image/png;base64,"
OFTEN = 3
"""A style that so many parts have is written once."""
MEASURED = re.compile(
    r"(accuracy|equality|disparate|calibration|above_diagonal)\w*|(mean|least|most|percent|first|second|log_q)(_\w+)?"
)
MEASURED_BESIDE = {"value": ("metric", "coordinate"), "position": ("metric", "coordinate")}
"""Columns that are measured where one of the others stands beside them."""
KIND, BUDGETS = "kind", re.compile(r"epsilon(_\w+)?")
DIGITS_KEPT, DIGITS_OF_BUDGETS = 6, 10


def png(picture: bytes) -> bytes:
    """The same picture with at most 256 colours, of which a figure of lines, letters and grey sheets has few more.

    What is transparent stays so.
    """
    image: Image.Image = Image.open(io.BytesIO(picture))
    if image.mode == "RGBA" and image.getchannel("A").getextrema() != (255, 255):
        few = image.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    else:
        image = image.convert("RGB")
        known = image.getcolors(COLOURS)
        # A palette of the picture's own colours changes none of them, and a short one takes fewer bits for each.
        method = Image.Quantize.MAXCOVERAGE if known is None else Image.Quantize.MEDIANCUT
        few = image.quantize(len(known or range(COLOURS)), method=method, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    few.save(buffer, format="png", optimize=True)
    return min(buffer.getvalue(), picture, key=len)


def svg(drawing: bytes) -> bytes:
    """The same drawing in fewer letters: short names, one style for all that have it, no group that does nothing.

    Names hold inside the file alone, so a page takes such a drawing as a picture, not as a part of itself.
    """
    root = ElementTree.fromstring(drawing)
    for parent in list(root.iter()):
        for part in [part for part in parent if part.tag in UNSEEN]:
            parent.remove(part)
    _shorten_names(root)
    for part in root.iter():
        _shorten(part)
    for part in root.iter(f"{SVG}g"):
        if LETTERS.search(part.get("transform", "")):
            _place_letters(part)
    _lift(root)
    _share_styles(root)
    ElementTree.register_namespace("", SVG[1:-1])
    for part in root.iter():
        part.tail = None
        if part.text is not None and not part.text.strip():
            part.text = None
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text.replace(b" />", b"/>") + b"\n"


def csv(data: pd.DataFrame) -> str:
    r"""The data of a figure, with as many digits as can mean something.

    >>> csv(pd.DataFrame({"accuracy": [2 / 3], "kind": ["upper"], "epsilon": [2 / 3], "budget": [2 / 3]}))
    'accuracy,kind,epsilon,budget\n0.666667,upper,0.6666666667,0.6666666666666666\n'
    """
    short = data.copy()
    for name in data.select_dtypes("float"):
        if _measured(str(name), data):
            short[name] = [_text(value, "published", DIGITS_KEPT) for value in data[name]]
        elif KIND in data and BUDGETS.fullmatch(str(name)):
            pairs = zip(data[name], data[KIND], strict=True)
            short[name] = [_text(value, kind, DIGITS_OF_BUDGETS) for value, kind in pairs]
    return short.to_csv(index=False, lineterminator="\n")


def _measured(name: str, data: pd.DataFrame) -> bool:
    beside = MEASURED_BESIDE.get(name, ())
    return MEASURED.fullmatch(name) is not None or any(other in data for other in beside)


def _text(value: float, kind: object, digits: int) -> str:
    """A number in so many digits, rounded as its kind asks for; of no known kind, in all of them."""
    if math.isnan(value):
        return ""
    known: Kind | None = next((each for each in KINDS if each == kind), None)
    return repr(value) if known is None else rounded(value, known, digits=digits, infinite="inf")


def _names() -> Iterator[str]:
    """Short names: a, b and so on, then those of two letters."""
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_letters, repeat=length):
            yield "".join(letters)


def _shorten_names(root: ElementTree.Element) -> None:
    """Names only for what is referred to, the shortest for what is referred to most."""
    count: dict[str, int] = defaultdict(int)
    for part in root.iter():
        for key, value in part.attrib.items():
            for name in (
                [value.removeprefix("#")] if key == XLINK and value.startswith("#") else REFERENCE.findall(value)
            ):
                count[name] += 1
    short = dict(zip(sorted(count, key=lambda name: -count[name]), _names(), strict=False))
    for part in root.iter():
        name = part.attrib.pop("id", None)
        if name in short:
            part.set("id", short[name])
        for key, value in list(part.attrib.items()):
            if key == XLINK:
                del part.attrib[key]
                part.set("href", f"#{short[value[1:]]}" if value.startswith("#") else value)
            elif "url(#" in value:
                part.set(key, REFERENCE.sub(lambda found: f"url(#{short[found[1]]})", value))


def _shorten(part: ElementTree.Element) -> None:
    """Places, steps and images of a part in fewer letters."""
    for key in {"x", "y"}.intersection(part.keys()):
        part.set(key, _hundredths(part.attrib[key]))
    if "d" in part.attrib:
        part.set("d", _course(part.attrib["d"]))
    if "transform" in part.attrib:
        part.set("transform", MOVED.sub(lambda found: _hundredths(found[0]), part.attrib["transform"]))
        moved = MOVED.fullmatch(part.attrib["transform"])
        if moved and part.tag == f"{SVG}use" and not {"x", "y"}.intersection(part.keys()):
            del part.attrib["transform"]
            part.attrib.update({key: value for key, value in zip("xy", moved.groups(), strict=True) if value != "0"})
    if "style" in part.attrib:
        part.set("style", re.sub(r"([:;])\s+", r"\1", part.attrib["style"]))
    if part.get("href", "").startswith(EMBEDDED):
        small = png(base64.b64decode(part.attrib["href"].removeprefix(EMBEDDED)))
        part.set("href", EMBEDDED + base64.b64encode(small).decode())


def _place_letters(word: ElementTree.Element) -> None:
    for letter in word.iter(f"{SVG}use"):
        for key in {"x", "y"}.intersection(letter.keys()):
            if place := round(float(letter.attrib[key])):
                letter.set(key, str(place))
            else:
                del letter.attrib[key]


def _hundredths(text: str) -> str:
    return DIGITS.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), text)


def _course(steps: str) -> str:
    """The steps of a path, each from where the last one ended, and its letter only where another kind begins.

    What ends a step is rounded, not its length: however many there are, none is further off than a hundredth.

    >>> _course("M 1 2 L 3 4.004 L 5 -6 z")
    'M1 2l2 2 2-10z'
    """
    written, last, here, start = [], "", (0, 0), (0, 0)
    for letter, text in STEPS.findall(steps):
        numbers = [round(100 * float(number)) for number in text.split()]
        if letter not in WAYS or len(numbers) % 2 or (letter in "Mz" and len(numbers) != WAYS[letter]):
            return " ".join(steps.split())
        for first in range(0, max(len(numbers), 1), max(WAYS[letter], 1)):
            ends = numbers[first : first + WAYS[letter]]
            own = ends if letter == "M" else [value - here[place % 2] for place, value in enumerate(ends)]
            name = letter if letter in "Mz" else letter.lower()
            written.append(_run(own, "" if name == last and letter not in "Mz" else name))
            last, here = name, (ends[-2], ends[-1]) if ends else start
            start = here if letter == "M" else start
    return "".join(written)


def _run(numbers: Iterable[int], name: str) -> str:
    """A step in letters: hundredths as decimals, apart only where they would run into each other."""
    text = name
    for place, number in enumerate(numbers):
        sign, size = "-" if number < 0 else "", abs(number)
        digits = f"{size // 100 or ''}.{size % 100:02d}".rstrip("0").rstrip(".") or "0"
        apart = " " if not sign and (place or not name) else ""
        text += f"{apart}{sign}{digits}"
    return text


def _lift(part: ElementTree.Element) -> None:
    """What is in a group that says nothing stands in its place."""
    children = list(part)
    for child in children:
        _lift(child)
    if any(child.tag == f"{SVG}g" and not child.attrib for child in children):
        flat = [[*child] if child.tag == f"{SVG}g" and not child.attrib else [child] for child in children]
        for child in children:
            part.remove(child)
        part.extend(itertools.chain.from_iterable(flat))


def _share_styles(root: ElementTree.Element) -> None:
    """A class for each style that several parts have, in the drawing's own sheet of styles."""
    sheet = next(root.iter(f"{SVG}style"))
    alike: dict[str, list[ElementTree.Element]] = defaultdict(list)
    for part in root.iter():
        if "style" in part.attrib:
            alike[part.attrib["style"]].append(part)
    names = _names()
    for style, parts in sorted(alike.items(), key=lambda item: -len(item[1])):
        if len(parts) < OFTEN:
            break
        name = next(names)
        sheet.text = f"{sheet.text or ''}.{name}{{{style}}}"
        for part in parts:
            del part.attrib["style"]
            part.set("class", name)


SMALLER = {"svg": svg, "png": png}
"""By suffix, what makes a picture's file smaller."""
