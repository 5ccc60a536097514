"""Small files of figures: fewer bytes, and nothing that a reader sees has changed."""

from __future__ import annotations

import io
import itertools
import re
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from PIL import Image

from wassdp.report import small_files, style

SVG = "{http://www.w3.org/2000/svg}"


def saved(figure: Figure, suffix: str) -> bytes:
    buffer = io.BytesIO()
    with style.context():
        figure.savefig(buffer, format=suffix)
    return buffer.getvalue()


def drawing() -> Figure:
    generator = np.random.default_rng(0)
    with style.context():
        figure, axes = style.panels(1, 2)
        for axis in axes:
            axis.plot(np.arange(300), generator.normal(size=300), label=r"$\varepsilon$ and more")
            axis.scatter(generator.normal(size=50), generator.normal(size=50), alpha=0.5, rasterized=True)
            axis.set_xlabel("a horizontal name")
        axes[0].imshow(generator.integers(0, 255, (28, 28)), cmap="gray", interpolation="none")
        style.legend_below(figure, [("a line", {"color": style.BLUE}), ("a mark", style.open_mark(0, 4))])
    return figure


@pytest.fixture(scope="module")
def pair() -> tuple[bytes, bytes]:
    large = saved(drawing(), "svg")
    return large, small_files.svg(large)


def test_a_drawing_takes_half_the_bytes(pair: tuple[bytes, bytes]) -> None:
    assert len(pair[1]) < 0.6 * len(pair[0])


def test_every_reference_of_a_drawing_leads_somewhere(pair: tuple[bytes, bytes]) -> None:
    text = pair[1].decode()
    used = {*re.findall(r'href="#([^"]+)"', text), *re.findall(r"url\(#([^)]+)\)", text)}
    names = re.findall(r' id="([^"]+)"', text)
    assert used == set(names)
    assert len(names) == len(set(names))


def test_every_class_of_a_drawing_has_its_style(pair: tuple[bytes, bytes]) -> None:
    text = pair[1].decode()
    used = set(re.findall(r' class="([^"]+)"', text))
    assert used
    assert used == set(re.findall(r"\.(\w+)\{", text))


def test_a_drawing_has_as_many_parts_that_are_seen_and_every_style(pair: tuple[bytes, bytes]) -> None:
    large, small = (ElementTree.fromstring(content) for content in pair)
    for tag in ("path", "use", "image"):
        assert len(list(small.iter(f"{SVG}{tag}"))) == len(list(large.iter(f"{SVG}{tag}")))
    sheet = "".join(part.text or "" for part in small.iter(f"{SVG}style"))
    classes = dict(re.findall(r"\.(\w+)\{([^}]*)\}", sheet))
    shown = [part.get("style") or classes[part.get("class", "")] for part in small.iter() if _styled(part)]
    expected = [re.sub(r"([:;]) ", r"\1", part.attrib["style"]) for part in large.iter() if "style" in part.attrib]
    assert sorted(shown) == sorted(expected)


def _styled(part: ElementTree.Element) -> bool:
    return "style" in part.attrib or "class" in part.attrib


def test_places_are_those_of_the_drawing_to_a_hundredth(pair: tuple[bytes, bytes]) -> None:
    large, small = (ElementTree.fromstring(content) for content in pair)
    for before, after in zip(large.iter(f"{SVG}path"), small.iter(f"{SVG}path"), strict=True):
        np.testing.assert_allclose(ends(after.get("d", "")), ends(before.get("d", "")), atol=0.0051)


def test_letters_stand_where_they_stood_to_a_hundredth_of_their_size(pair: tuple[bytes, bytes]) -> None:
    large, small = (ElementTree.fromstring(content) for content in pair)
    letters = [[_place(part) for part in root.iter(f"{SVG}use") if _letter(part, root)] for root in (large, small)]
    assert len(letters[0]) == len(letters[1]) > 20
    np.testing.assert_allclose(letters[1], letters[0], atol=0.501)
    marks = [[_place(part) for part in root.iter(f"{SVG}use") if not _letter(part, root)] for root in (large, small)]
    assert len(marks[0]) == len(marks[1]) > 5
    np.testing.assert_allclose(marks[1], marks[0], atol=0.0051)


def _letter(use: ElementTree.Element, root: ElementTree.Element) -> bool:
    return any(
        use in group.iter() for group in root.iter(f"{SVG}g") if small_files.LETTERS.search(group.get("transform", ""))
    )


def _place(use: ElementTree.Element) -> tuple[float, float]:
    moved = small_files.MOVED.match(use.get("transform", ""))
    x, y = moved.groups() if moved else (use.get("x", "0"), use.get("y", "0"))
    return float(x), float(y)


def ends(course: str) -> np.ndarray:
    """Where each step of a path ends, of relative steps too."""
    found, here, start = [], np.zeros(2), np.zeros(2)
    for letter, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", course):
        numbers = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)]
        ways = {"m": 2, "l": 2, "q": 4, "c": 6, "z": 0}[letter.lower()]
        if not ways:
            here = start
        for first in range(0, len(numbers), max(ways, 1)):
            here = np.array(numbers[first + ways - 2 : first + ways]) + (here if letter.islower() else 0)
            start = here if letter in "Mm" else start
            found.append(here)
    return np.array(found)


@given(
    st.lists(
        st.tuples(st.floats(-1e4, 1e4, allow_subnormal=False), st.floats(-1e4, 1e4, allow_subnormal=False)),
        min_size=2,
        max_size=60,
    )
)
def test_errors_of_a_path_do_not_add_up(points: list[tuple[float, float]]) -> None:
    steps = zip(itertools.chain("M", itertools.repeat("L")), points, strict=False)
    course = " ".join(f"{letter} {x:f} {y:f}" for letter, (x, y) in steps)
    np.testing.assert_allclose(ends(small_files._course(course)), np.array(points), atol=0.0051)


def test_a_path_of_another_form_stays() -> None:
    course = "M 1 2 A 3 4 5 0 1 6.12345 7 L 1e-05 2"
    assert small_files._course(course) == course


@pytest.mark.parametrize("colours", [3, 16, 200])
def test_a_picture_of_few_colours_keeps_each(colours: int) -> None:
    generator = np.random.default_rng(colours)
    palette = generator.integers(0, 256, (colours, 3), dtype=np.uint8)
    picture = palette[generator.integers(0, colours, (40, 50))]
    found = np.asarray(Image.open(io.BytesIO(small_files.png(written(picture)))).convert("RGB"))
    np.testing.assert_array_equal(found, picture)


def test_what_is_transparent_stays_so() -> None:
    picture = np.zeros((20, 20, 4), dtype=np.uint8)
    picture[5:15, 5:15] = (0, 114, 178, 128)
    found = np.asarray(Image.open(io.BytesIO(small_files.png(written(picture)))).convert("RGBA"))
    np.testing.assert_array_equal(found[..., 3] > 0, picture[..., 3] > 0)
    assert np.abs(found[10, 10].astype(int) - picture[10, 10]).max() <= 4


def written(picture: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="png")
    return buffer.getvalue()


def test_colours_of_a_figure_are_those_that_were_asked_for() -> None:
    with mpl.rc_context():
        shown = Image.open(io.BytesIO(small_files.png(saved(drawing(), "png")))).convert("RGB")
    colours = {"#{:02X}{:02X}{:02X}".format(*colour) for _, colour in shown.getcolors(256) or ()}
    assert {"#FFFFFF", style.BLUE} <= colours


def test_budgets_of_no_known_kind_keep_every_digit_and_what_was_measured_six() -> None:
    data = pd.DataFrame(
        {
            "metric": ["loss", "loss"],
            "value": [1 / 3, 12345.678912345],
            "accuracy": [2 / 3, np.nan],
            "epsilon": [2 / 3, np.inf],
            "epsilon_least": [1 / 3, 1 / 7],
            "budget": [1 / 3, 1 / 7],
            "seeds": [1, 2],
        }
    )
    again = pd.read_csv(io.StringIO(small_files.csv(data)))
    for name in ("epsilon", "epsilon_least", "budget", "seeds"):
        pd.testing.assert_series_equal(again[name], data[name])
    assert again["value"].tolist() == [0.333333, 12345.7]
    assert again["accuracy"].tolist()[0] == 0.666667


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_was_measured_is_off_by_less_than_a_millionth(value: float) -> None:
    (again,) = pd.read_csv(io.StringIO(small_files.csv(pd.DataFrame({"accuracy": [value]}))))["accuracy"]
    assert float(again) == pytest.approx(value, rel=6e-6, abs=1e-300)


@given(st.floats(min_value=0, allow_nan=False))
def test_a_bound_is_never_rounded_to_more_than_was_proven(value: float) -> None:
    data = pd.DataFrame({"kind": ["upper", "lower", "published", "other"], "epsilon": [value] * 4})
    again = pd.read_csv(io.StringIO(small_files.csv(data)), dtype={"epsilon": str})["epsilon"].map(float)
    assert again[0] >= value >= again[1]
    assert again[3] == value
    assert list(again[:3]) == pytest.approx([value] * 3, rel=1e-9, abs=1e-300)
