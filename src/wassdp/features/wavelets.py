"""The two-dimensional scattering transform up to order two, in batches.

Symbols: J scales, L angles, n pixels of a padded side, m pixels of a coarser grid, N grids handled together.
Arrays are laid out grid first, (m, m, N): transforms along the grid then are matrix products with long rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Complex, Float
from torch import Tensor

from wassdp import checks
from wassdp.features import filters

BLOCK = 8
"""Images at a time, so that what lies between two steps stays in a processor's cache."""


@dataclass(frozen=True)
class ScatteringTransform:
    r"""Averages of an image, of its wavelet moduli, and of the wavelet moduli of these.

    .. math:: x * φ, \quad |x * ψ_{j l}| * φ, \quad \bigl| |x * ψ_{j l}| * ψ_{j' l'} \bigr| * φ \; (j' > j),

    each kept at every 2^J-th pixel. The filters are public and fixed, so that the features of an example depend on
    nothing but the example.

    Source: Bruna and Mallat (2013), Invariant Scattering Convolution Networks, arXiv:1203.1513; filters, padding by
    reflection and order of the channels as in Kymatio (`filters.SOURCE`).

    Args:
        shape: height and width of the images, each above 2^J.
        scales: J, at least 1.
        angles: L, at least 1.

    Raises:
        ValueError: an argument is outside its range.
    """

    shape: tuple[int, int]
    scales: int = 2
    angles: int = 8

    def __post_init__(self) -> None:
        checks.whole("scales", self.scales, least=1)
        checks.whole("angles", self.angles, least=1)
        if reason := filters.impossible((1, *self.shape), self.scales):
            raise ValueError(reason)

    @property
    def output_shape(self) -> tuple[int, int, int]:
        """Channels, height and width of the features of one image of one channel."""
        height, width = (filters.output_side(side, self.scales) for side in self.shape)
        return filters.channels(self.scales, self.angles), height, width

    def __call__(self, images: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch channels rows columns"]:
        """Features of a batch, in single precision.

        Args:
            images: shape (batch, height, width), on the processor.

        Returns:
            Shape (batch, channels, rows, columns). Channels: the average; order one by scale, then angle; order two
            by the order-one channel that it comes from, then scale, then angle.

        Raises:
            ValueError: the images have another shape.
        """
        if images.shape[1:] != self.shape:
            raise ValueError(
                f"images has shape {tuple(images.shape)}: must be (batch, {self.shape[0]}, {self.shape[1]})"
            )
        if len(images) == 0:
            return torch.zeros(0, *self.output_shape)
        return torch.cat([self._block(block) for block in images.split(BLOCK)])

    def _block(self, images: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch channels rows columns"]:
        batch, (rows, columns) = len(images), self.output_shape[1:]
        image = self._padded(images)
        spectrum = _fourier(image)
        first, second = [self._average(image, 0).permute(2, 0, 1)[:, None]], []
        for scale in range(self.scales):
            modulus = self._modulus(spectrum, scale, resolution=0)
            first.append(self._average(modulus, scale).view(rows, columns, self.angles, batch).permute(3, 2, 0, 1))
            if scale == self.scales - 1:
                break
            again = _fourier(modulus)
            deeper = [
                self._average(self._modulus(again, other, resolution=scale), other)
                .view(rows, columns, self.angles, self.angles, batch)
                .permute(4, 3, 2, 0, 1)
                for other in range(scale + 1, self.scales)
            ]
            # From each channel of order one: by scale, then angle.
            second.append(torch.cat(deeper, dim=2).flatten(start_dim=1, end_dim=2))
        return torch.cat([*first, *second], dim=1)

    def _padded(self, images: Float[Tensor, "batch height width"]) -> Float[Tensor, "rows columns batch"]:
        margins = []
        for side in reversed(self.shape):
            more = filters.padded(side, self.scales) - side
            margins += [more // 2, more - more // 2]
        mirrored = torch.nn.functional.pad(images.float()[:, None], margins, mode="reflect")
        return mirrored[:, 0].permute(1, 2, 0).contiguous()

    def _modulus(self, spectrum: Complex[Tensor, "rows columns grids"], scale: int, *, resolution: int) -> Tensor:
        """|x * ψ| for every angle, at every 2^scale-th pixel: shape (rows', columns', angles * grids)."""
        fold = 2 ** (scale - resolution)
        rows, columns, grids = spectrum.shape[0] // fold, spectrum.shape[1] // fold, spectrum.shape[2]
        # A coarser grid adds up frequencies that it cannot tell apart: a small matrix product for each that it can.
        aliases = torch.view_as_real(spectrum).view(fold, rows, fold, columns, 2 * grids)
        aliases = aliases.permute(1, 3, 0, 2, 4).reshape(rows * columns, fold * fold, 2 * grids)
        bank = self._wavelets[scale, resolution]
        filtered = torch.empty(rows * columns, self.angles, 2 * grids)
        torch.mul(bank, aliases, out=filtered) if fold == 1 else torch.bmm(bank, aliases, out=filtered)
        return self._inverse(torch.view_as_complex(filtered.view(rows, columns, self.angles * grids, 2))).abs()

    def _inverse(self, spectrum: Complex[Tensor, "rows columns grids"]) -> Complex[Tensor, "rows columns grids"]:
        """Inverse Fourier transforms as matrix products: on grids this small faster than fast ones."""
        rows, columns, grids = spectrum.shape
        down = (self._exponentials[rows] @ spectrum.view(rows, columns * grids)).view(rows, columns, grids)
        return torch.matmul(self._exponentials[columns], down)

    def _average(self, grid: Float[Tensor, "rows columns grids"], scale: int) -> Tensor:
        """The low-pass filter at every 2^J-th pixel, border left out."""
        down, across = self._windows[scale]
        rows, columns, grids = grid.shape
        high = (down @ grid.view(rows, columns * grids)).view(len(down), columns, grids)
        return torch.matmul(across, high)

    @cached_property
    def _wavelets(self) -> dict[tuple[int, int], Float[Tensor, "frequencies angles aliases"]]:
        """For each scale and resolution of the input: filters by frequency of the output, angle and alias."""
        full = tuple(filters.padded(side, self.scales) for side in self.shape)
        wavelets = {}
        for scale in range(self.scales):
            bank = np.stack(
                [
                    filters.wavelet((full[0], full[1]), scale=scale, angle=angle, angles=self.angles)
                    for angle in range(self.angles)
                ]
            )
            for resolution in range(scale if scale else 1):
                fold = 2 ** (scale - resolution)
                level = filters.coarser(bank, resolution, axes=(1, 2))
                rows, columns = level.shape[1] // fold, level.shape[2] // fold
                parts = level.reshape(self.angles, fold, rows, fold, columns).transpose(2, 4, 0, 1, 3)
                wavelets[scale, resolution] = torch.from_numpy(
                    parts.reshape(rows * columns, self.angles, fold * fold).astype(np.float32) / fold**2
                )
        return wavelets

    @cached_property
    def _exponentials(self) -> dict[int, Complex[Tensor, "size size"]]:
        """Matrices of the inverse Fourier transform by size."""
        full = (filters.padded(side, self.scales) for side in self.shape)
        sizes = {side // 2**scale for side in full for scale in range(self.scales)}
        return {
            size: torch.from_numpy(np.fft.ifft(np.eye(size), axis=0).astype(np.complex64)) for size in sorted(sizes)
        }

    @cached_property
    def _windows(self) -> list[tuple[Tensor, Tensor]]:
        """For each scale of the input: the low-pass filter along rows and along columns, as matrices."""
        return [
            tuple(self._window(filters.padded(side, self.scales), scale) for side in self.shape)  # type: ignore[misc]
            for scale in range(self.scales)
        ]

    def _window(self, size: int, scale: int) -> Tensor:
        level = filters.coarser(filters.window(size, self.scales), scale, axes=(0,))
        # Column k of the matrix is the filter's answer to a pixel at k.
        answers = np.fft.ifft(level[:, None] * np.fft.fft(np.eye(len(level)), axis=0), axis=0).real
        return torch.from_numpy(answers[:: 2 ** (self.scales - scale)][1:-1].astype(np.float32))


def _fourier(grid: Float[Tensor, "rows columns grids"]) -> Complex[Tensor, "rows columns grids"]:
    found: Tensor = torch.fft.fft2(grid, dim=(0, 1))
    return found.contiguous()
