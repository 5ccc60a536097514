"""Claims about drawn curves and generated images: other folders, values that are off, sheets decoded by a library."""

from __future__ import annotations

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from wassdp import claims
from wassdp.claims import sheets, synthetic_gradients
from wassdp.claims.measurement import PUBLISHED
from wassdp.files import pack_table
from wassdp.generation import pictures

GENERATOR = np.random.default_rng(0)
CURVES = "alpha,target,step,mean,least,most,seeds\n"


def curves(folder, apart, half):
    """Two steps of two curves, ``apart`` of 1, and half the range of their seeds."""
    place = folder / "figures" / "dp-wasserstein-gradients"
    place.mkdir(parents=True)
    lines = [
        f"0.0,{target},{step},{mean},{mean - half},{mean + half},3"
        for target, mean in (("inf", 1.0), ("1.0", 1.0 + apart))
        for step in (1.0, 3.0)
    ]
    (place / "figure-6.csv").write_text(CURVES + "\n".join(lines) + "\n")
    (folder / "runs.csv").write_text("run,experiment\na,fair-classification\n")


@pytest.mark.parametrize(
    ("apart", "half", "holds", "unsure"),
    [(0.04, 0.0, True, False), (0.06, 0.0, False, False), (0.06, 0.01, False, True), (-0.08, 0.01, False, False)],
)
def test_curves_are_judged_by_their_mean_distance(tmp_path, apart, half, holds, unsure):
    curves(tmp_path, apart, half)
    verdict = claims.claim("dp-wasserstein-gradients-figure-6").within(tmp_path).check(GENERATOR, 1)
    assert verdict.holds == holds
    assert ("within the spread" in verdict.figure) == unsure


def test_packed_data_of_a_figure_are_read_like_others(tmp_path):
    curves(tmp_path, 0.04, 0.0)
    claim = claims.claim("dp-wasserstein-gradients-figure-6").within(tmp_path)
    open_one = claim.check(GENERATOR, 1)
    pack_table(tmp_path / "figures" / "dp-wasserstein-gradients", "figure-6.csv")
    assert not list(tmp_path.rglob("figure-6.csv"))
    assert claim.check(GENERATOR, 1) == open_one
    assert open_one.holds


def test_a_figure_that_is_not_there_is_named(tmp_path):
    (tmp_path / "runs.csv").write_text("run,experiment\na,fair-classification\n")
    verdict = claims.claim("dp-wasserstein-gradients-figure-6").within(tmp_path).check(GENERATOR, 1)
    assert verdict.status == "not measured here"
    assert verdict.figure.startswith("no results of figure-6 of the set dp-wasserstein-gradients")


def png(pixels, **options):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", **options)
    return buffer.getvalue()


@pytest.mark.parametrize("size", [(1, 1), (3, 7), (28, 56)])
def test_sheets_are_decoded_as_by_a_library(size):
    ramp = np.add.outer(np.arange(size[0]) * 3, np.arange(size[1]) * 5).astype(np.uint8)
    noise = GENERATOR.integers(0, 256, size, dtype=np.uint8)
    for pixels in (ramp, noise, (ramp + noise // 16).astype(np.uint8)):
        assert (sheets.decoded(png(pixels)) == pixels).all()
        assert (sheets.decoded(png(pixels, optimize=True)) == pixels).all()


@pytest.mark.parametrize("width", [28, 5])
def test_sheets_that_runs_keep_are_decoded(width):
    """Those of today are a table of 16 greys, two pixels in a byte; the last byte of a line may be half empty."""
    text = pictures.sheet(GENERATOR.random((6, 1, 7, width)), rows=3)
    assert (sheets.decoded(base64.b64decode(text)) == pictures.unpack(text)).all()
    assert sheets.SHADES == pictures.SHADES


def test_sheets_of_256_shades_look_as_in_16():
    """An older sheet says of its run what the same images say in fewer shades, and not what all of its shades do."""
    pixels = GENERATOR.integers(0, 20, (56, 280)).cumsum(axis=1) // 20 % 256
    older = base64.b64encode(png(pixels.astype(np.uint8))).decode()
    images = pixels.reshape(2, 28, 10, 28).transpose(2, 0, 1, 3).reshape(20, 1, 28, 28) / 255
    assert sheets._looks(older) == sheets._looks(pictures.sheet(images, rows=2))
    every = sheets.steepness(images.reshape(10, 2, 28, 28).swapaxes(0, 1))
    assert float(sheets._looks(older)["steepness"]) > 1.1 * every


@pytest.mark.parametrize("method", range(5))
def test_every_filter_is_undone(method):
    """A line of each filter by its definition (ISO/IEC 15948, 9.2)."""
    pixels = GENERATOR.integers(0, 256, (2, 6)).astype(int)
    padded = np.pad(pixels, ((1, 0), (1, 0)))
    left, above, corner = padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    aim = left + above - corner
    choices = np.stack([left, above, corner])
    nearest = np.take_along_axis(choices, np.abs(choices - aim).argmin(axis=0)[None], axis=0)[0]
    guess = (0 * left, left, above, (left + above) // 2, nearest)[method]
    raw = b"".join(bytes([method, *line]) for line in ((pixels - guess) % 256).tolist())
    assert (sheets._unfiltered(raw, 2, 6) == pixels).all()


def test_other_pictures_are_refused():
    with pytest.raises(ValueError, match="picture: is not a PNG"):
        sheets.decoded(b"GIF89a")
    with pytest.raises(ValueError, match=r"depth, colour, packing, filter, interlace = \[8, 2, 0, 0, 0\]"):
        sheets.decoded(png(np.zeros((2, 2, 3), np.uint8)))
    coloured = Image.fromarray(np.zeros((2, 2), np.uint8)).convert("P")
    coloured.putpalette([200, 100, 0] * 16)
    buffer = io.BytesIO()
    coloured.save(buffer, "PNG", bits=4)
    with pytest.raises(ValueError, match="picture: its table has colours; must have greys"):
        sheets.decoded(buffer.getvalue())


def result(folder, run, sheet):
    place = folder / "runs" / run
    place.mkdir(parents=True)
    picture = base64.b64encode(png((255 * sheet).astype(np.uint8))).decode()
    (place / "result.json").write_text(json.dumps({"pictures": {"samples": picture}}))


def test_equal_images_have_no_diversity_and_flat_ones_are_less_steep(tmp_path):
    """Of one reading with and without noise, images of which each case is plain to see."""
    edge = np.zeros((28, 28))
    edge[:, 14:] = 1
    ramp = np.tile(np.linspace(0, 1, 28), (28, 1))
    result(tmp_path, "private", np.block([[ramp, ramp], [ramp, ramp]]))
    result(tmp_path, "plain", np.block([[edge, edge.T], [edge.T, edge]]))
    (tmp_path / "runs.csv").write_text(
        "run,experiment,label,method,privacy,seed,steps\n"
        'private,generation-readings-mnist,"DP-SWD, x, σ = 1","DP-SWD, x",σ = 1,0,10\n'
        'plain,generation-readings-tenth-mnist,"SWD, x, no privacy","SWD, x",no privacy,0,10\n'
    )
    blur, diversity = (
        claims.claim(f"dp-sliced-wasserstein-figure-4-{name}").within(tmp_path) for name in ("blur", "diversity")
    )
    assert blur.check(GENERATOR, 1).holds
    assert diversity.check(GENERATOR, 1).figure.startswith("0 of 1 figures are as stated")
    (entry,) = diversity.found()
    assert entry.found == 0
    assert entry.printed > 0


@pytest.mark.parametrize("clipped", [True, False])
def test_budgets_of_synthetic_gradients_by_other_code(clipped):
    """Those that DP and BDP have in the published runs, to a fiftieth."""
    claim = claims.claim("wasserstein-dp-figure-4-gap")
    rows = claim._rows()
    assert PUBLISHED.is_dir()
    published = synthetic_gradients.budget(rows, "bayesian", clipped=clipped)
    for quantile, budget in published.items():
        assert synthetic_gradients.bayesian(quantile, clipped=clipped) == pytest.approx(budget, rel=0.02)
    for budget in synthetic_gradients.budget(rows, "moments", clipped=clipped).values():
        assert synthetic_gradients.moments() == pytest.approx(budget, rel=1e-5)
