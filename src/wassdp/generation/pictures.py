"""Sheets of pictures as PNG files in text form, so that they travel with a run's outcome."""

from __future__ import annotations

import base64
import io

import numpy as np
from jaxtyping import Float, UInt8
from PIL import Image

from wassdp import checks

SHADES = 16
"""Values of a pixel, or of each of its colours: small images are told apart by them, in a third of the bytes."""
STEP = 255 // (SHADES - 1)


def sheet(images: Float[np.ndarray, "count channels height width"], *, rows: int) -> str:
    """``count`` images in [0, 1], column by column in sheets of ``rows`` rows, as the base64 text of a PNG.

    Pixels have `SHADES` values, black and white among them.

    Raises:
        ValueError: ``rows`` does not divide the number of images, or they are neither grey nor in three colours.

    >>> unpack(sheet(np.ones((6, 1, 2, 2)), rows=3)).shape
    (6, 4)
    """
    count, channels, height, width = images.shape
    checks.one_of("channels", channels, (1, 3))
    if count == 0 or count % checks.whole("rows", rows, least=1):
        raise ValueError(f"rows = {rows}: must divide the {count} images")
    levels = np.rint((SHADES - 1) * np.clip(images, 0, 1)).astype(np.uint8)
    table = levels.reshape(count // rows, rows, channels, height, width).transpose(1, 3, 0, 4, 2)
    pixels = table.reshape(rows * height, count // rows * width, channels)
    buffer = io.BytesIO()
    if channels == 1:
        grey = Image.fromarray(pixels[:, :, 0]).convert("P")
        grey.putpalette([STEP * shade for shade in range(SHADES) for _ in range(3)])
        grey.save(buffer, "PNG", optimize=True, bits=4)
    else:
        Image.fromarray(STEP * pixels).save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def unpack(text: str) -> UInt8[np.ndarray, ...]:
    """The pixels of a sheet: (height, width), or (height, width, 3) for colours.

    Raises:
        ValueError: the text is not that of a PNG.
    """
    try:
        with Image.open(io.BytesIO(base64.b64decode(text, validate=True))) as picture:
            return np.asarray(picture.convert("L") if picture.mode == "P" else picture)
    except (OSError, ValueError) as error:
        raise ValueError(f"picture: is not the base64 text of a PNG ({type(error).__name__})") from None
