r"""Filters of the two-dimensional scattering transform, and the shapes that it gives. Imports no torch.

Symbols: J scales, L angles, j a scale from 0 to J - 1, n pixels of a padded side, σ width, ξ frequency, s slant.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from wassdp import checks

SOURCE = "Andreux et al. (2020), Kymatio, JMLR 21(60), arXiv:1812.11214: Scattering2D, its filter bank of version 0.3"

# Kymatio writes π with five digits where it scales a filter; with more, its published features would not come out.
_PI_OF_THE_SCALE = 3.1415


def channels(scales: int, angles: int) -> int:
    r"""Channels of one input channel up to order two.

    .. math:: 1 + J L + L^2 J (J - 1) / 2

    >>> channels(2, 8)
    81
    """
    checks.whole("scales", scales, least=1)
    checks.whole("angles", angles, least=1)
    return 1 + scales * angles + angles**2 * scales * (scales - 1) // 2


def padded(side: int, scales: int) -> int:
    """Pixels of a side after padding: a multiple of 2^J with at least 2^J - 1 pixels more.

    >>> padded(28, 2), padded(32, 2)
    (36, 40)
    """
    step = 1 << scales
    return ((side + step) // step + 1) * step


def output_side(side: int, scales: int) -> int:
    """Pixels of a side of each feature map: one for each 2^J pixels of the image, the border left out.

    >>> output_side(28, 2), output_side(32, 2)
    (7, 8)
    """
    return padded(side, scales) // (1 << scales) - 2


def impossible(shape: tuple[int, ...], scales: int) -> str | None:
    """Why images of ``shape`` (channels, height, width) have no scattering transform with ``scales`` scales, or None.

    >>> impossible((1, 28, 28), 5)
    'scales = 5: needs images of more than 32 pixels a side, these have 28 x 28'
    """
    if len(shape) != 3:
        return f"shape {shape!r} is not that of an image (channels, height, width)"
    if min(shape[1:]) <= 2**scales:
        side = f"{shape[1]} x {shape[2]}"
        return f"scales = {scales}: needs images of more than {2**scales} pixels a side, these have {side}"
    return None


def gabor(shape: tuple[int, int], *, width: float, angle: float, frequency: float, slant: float = 1.0) -> np.ndarray:
    r"""A plane wave under a Gaussian, wrapped round a torus (five periods either way are kept).

    .. math:: \frac{s}{2 π σ^2} \exp\Bigl( -\frac{u^2 + s^2 v^2}{2 σ^2} + i ξ u \Bigr), \quad
        (u, v) \text{ the position turned by the angle}

    Args:
        shape: height and width of the torus in pixels.
        width: σ in pixels.
        angle: direction of the wave, in radians.
        frequency: ξ in radians per pixel; 0 gives the Gaussian itself.
        slant: s, the Gaussian's width along the wave over its width across.

    Returns:
        Complex, of ``shape``; the pixel (0, 0) is the centre.
    """
    height, breadth = shape
    wrapped = np.zeros(shape, dtype=np.complex128)
    for down in range(-2, 3):
        for right in range(-2, 3):
            x, y = np.mgrid[down * height : (down + 1) * height, right * breadth : (right + 1) * breadth]
            along = np.cos(angle) * x + np.sin(angle) * y
            across = -np.sin(angle) * x + np.cos(angle) * y
            wrapped += np.exp(-(along**2 + slant**2 * across**2) / (2 * width**2) + 1j * frequency * along)
    return wrapped * slant / (2 * _PI_OF_THE_SCALE * width**2)


def wavelet(shape: tuple[int, int], *, scale: int, angle: int, angles: int) -> Float[np.ndarray, "height width"]:
    r"""Fourier transform (it is real) of the Morlet wavelet of scale j: a Gabor filter less a Gaussian, of mean zero.

    Width :math:`σ = 0.8 \cdot 2^j`, frequency :math:`ξ = (3 π / 4) / 2^j`, slant :math:`s = 4 / L`, directions
    :math:`(\lfloor L / 2 - 1 \rfloor - l) π / L`.

    Args:
        shape: height and width of the torus in pixels.
        scale: j, at least 0.
        angle: l, from 0 to ``angles`` - 1.
        angles: L.
    """
    choices = {
        "width": 0.8 * 2**scale,
        "angle": (int(angles - angles / 2 - 1) - angle) * np.pi / angles,
        "slant": 4 / angles,
    }
    wave = gabor(shape, frequency=0.75 * np.pi / 2**scale, **choices)
    envelope = gabor(shape, frequency=0.0, **choices)
    return np.fft.fft2(wave - wave.sum() / envelope.sum() * envelope).real


def window(size: int, scales: int) -> Float[np.ndarray, " size"]:
    r"""Fourier transform of the low-pass filter along one axis; the filter is the product over both axes.

    A Gaussian of width :math:`σ = 0.8 \cdot 2^{J - 1}`.
    """
    width = 0.8 * 2 ** (scales - 1)
    places = np.arange(-2 * size, 3 * size, dtype=np.float64)
    wrapped = np.exp(-(places**2) / (2 * width**2)).reshape(5, size).sum(axis=0)
    spectrum: np.ndarray = np.fft.fft(wrapped).real
    return spectrum / math.sqrt(2 * _PI_OF_THE_SCALE * width**2)


def coarser(spectrum: np.ndarray, halvings: int, *, axes: tuple[int, ...]) -> np.ndarray:
    """The spectrum of a filter on a grid with every 2^halvings-th pixel: frequencies beyond its reach are dropped."""
    for axis in axes:
        size = spectrum.shape[axis]
        kept = size // 2**halvings
        low = np.take(spectrum, range(kept - kept // 2), axis=axis)
        high = np.take(spectrum, range(size - kept // 2, size), axis=axis)
        spectrum = np.concatenate([low, high], axis=axis)
    return spectrum
