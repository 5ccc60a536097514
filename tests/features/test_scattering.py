"""The transform against its definition written out one filter at a time, and its properties."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from wassdp.features import filters
from wassdp.features.wavelets import ScatteringTransform


def gabor(height: int, width: int, sigma: float, theta: float, xi: float, slant: float = 1.0) -> NDArray[np.complex128]:
    """As Kymatio 0.3.0 writes it (`scattering2d/filter_bank.py`), in double precision."""
    rotation = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
    curve = rotation @ np.diag([1, slant**2]) @ rotation.T / (2 * sigma**2)
    found = np.zeros((height, width), dtype=np.complex128)
    for ex in range(-2, 3):
        for ey in range(-2, 3):
            xx, yy = np.mgrid[ex * height : height + ex * height, ey * width : width + ey * width]
            found += np.exp(
                -(curve[0, 0] * xx * xx + (curve[0, 1] + curve[1, 0]) * xx * yy + curve[1, 1] * yy * yy)
                + 1j * xi * (xx * np.cos(theta) + yy * np.sin(theta))
            )
    return found / (2 * 3.1415 * sigma**2 / slant)


def morlet(height: int, width: int, sigma: float, theta: float, xi: float, slant: float) -> NDArray[np.complex128]:
    wave, envelope = gabor(height, width, sigma, theta, xi, slant), gabor(height, width, sigma, theta, 0, slant)
    return wave - wave.sum() / envelope.sum() * envelope


def periodised(spectrum: NDArray[np.float64], resolution: int) -> NDArray[np.float64]:
    """Kymatio's ``periodize_filter_fft``: mask, then add up the aliases."""
    rows, columns = spectrum.shape
    mask = np.ones_like(spectrum)
    start, length = int(rows * 2 ** (-resolution - 1)), int(rows * (1 - 2**-resolution))
    mask[start : start + length] = 0
    start, length = int(columns * 2 ** (-resolution - 1)), int(columns * (1 - 2**-resolution))
    mask[:, start : start + length] = 0
    fold = 2**resolution
    return (spectrum * mask).reshape(fold, rows // fold, fold, columns // fold).sum(axis=(0, 2))


def naive(image: NDArray[np.float64], J: int, L: int) -> NDArray[np.float64]:
    """One image, one filter at a time; the steps and the order of the channels are Kymatio's."""
    step = 2**J
    sides = [((side + step) // step + 1) * step for side in image.shape]
    margins = [((full - side) // 2, (full - side + 1) // 2) for full, side in zip(sides, image.shape, strict=True)]
    psi = []
    for j in range(J):
        for t in range(L):
            wavelet = morlet(*sides, 0.8 * 2**j, (int(L - L / 2 - 1) - t) * np.pi / L, 0.75 * np.pi / 2**j, 4 / L)
            spectrum = np.fft.fft2(wavelet).real
            psi.append((j, [periodised(spectrum, resolution) for resolution in range(j + 1)]))
    low = np.fft.fft2(gabor(*sides, 0.8 * 2 ** (J - 1), 0, 0)).real
    phi = [periodised(low, resolution) for resolution in range(J)]

    def subsampled(spectrum: NDArray[np.complex128], fold: int) -> NDArray[np.complex128]:
        rows, columns = spectrum.shape
        return spectrum.reshape(fold, rows // fold, fold, columns // fold).mean(axis=(0, 2))

    def averaged(spectrum: NDArray[np.complex128], j: int) -> NDArray[np.float64]:
        return np.fft.ifft2(subsampled(spectrum * phi[j], 2 ** (J - j))).real[1:-1, 1:-1]

    start = np.fft.fft2(np.pad(image, margins, mode="reflect"))
    zero, one, two = [averaged(start, 0)], [], []
    for j1, first in psi:
        deeper = np.fft.fft2(np.abs(np.fft.ifft2(subsampled(start * first[0], 2**j1))))
        one.append(averaged(deeper, j1))
        for j2, second in psi:
            if j2 > j1:
                modulus = np.abs(np.fft.ifft2(subsampled(deeper * second[j1], 2 ** (j2 - j1))))
                two.append(averaged(np.fft.fft2(modulus), j2))
    return np.stack(zero + one + two)


def images(count: int, shape: tuple[int, int], seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).random((count, *shape)).astype(np.float32))


@pytest.mark.parametrize(
    ("shape", "scales", "angles"),
    [((28, 28), 2, 8), ((32, 32), 2, 8), ((30, 45), 2, 4), ((40, 33), 3, 6), ((9, 12), 1, 8), ((8, 8), 2, 8)],
)
def test_it_is_its_definition(shape: tuple[int, int], scales: int, angles: int) -> None:
    batch = images(3, shape)
    found = ScatteringTransform(shape, scales, angles)(batch)
    expected = np.stack([naive(image.astype(np.float64), scales, angles) for image in batch.numpy()])
    assert found.dtype == torch.float32
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)


def test_the_shapes_of_the_datasets() -> None:
    assert ScatteringTransform((28, 28)).output_shape == (81, 7, 7)
    assert ScatteringTransform((32, 32)).output_shape == (81, 8, 8)
    assert 3 * ScatteringTransform((32, 32)).output_shape[0] == 243
    for scales in (1, 2, 3):
        for angles in (1, 4, 8):
            expected = 1 + scales * angles + scales * (scales - 1) // 2 * angles**2
            assert filters.channels(scales, angles) == expected
            assert ScatteringTransform((36, 36), scales, angles)(images(1, (36, 36))).shape[1] == expected


def test_a_batch_is_its_images_one_by_one() -> None:
    transform, batch = ScatteringTransform((28, 28)), images(21, (28, 28))
    together = transform(batch)
    np.testing.assert_allclose(together, torch.cat([transform(each[None]) for each in batch]), atol=1e-7)
    assert transform(batch[:0]).shape == (0, 81, 7, 7)


def littlewood_paley(side: int, scales: int, angles: int) -> NDArray[np.float64]:
    """Sum of the filters' powers over a real signal's frequencies: its largest value bounds what each layer keeps."""
    low = filters.window(side, scales)
    total = np.outer(low, low) ** 2
    for scale in range(scales):
        for angle in range(angles):
            power = filters.wavelet((side, side), scale=scale, angle=angle, angles=angles) ** 2
            total += (power + np.roll(power[::-1, ::-1], (1, 1), axis=(0, 1))) / 2
    return total


def test_the_filters_lose_energy_and_add_none() -> None:
    # The published filters overshoot by 6e-5.
    assert littlewood_paley(36, 2, 8).max() < 1 + 1e-4
    for angle in range(8):
        assert abs(filters.wavelet((36, 36), scale=1, angle=angle, angles=8)[0, 0]) < 1e-12
    assert filters.window(36, 2)[0] == pytest.approx(1, abs=1e-4)


def test_the_transform_is_non_expansive() -> None:
    # On a torus and kept at every pixel the map is 1-Lipschitz (Mallat 2012, Proposition 2.5), up to the overshoot
    # above. Kept at every 4th pixel its energy is a 16th; what the low-pass filter lets alias adds under a percent.
    transform = ScatteringTransform((28, 28))
    first, second = images(20, (28, 28), 1), images(20, (28, 28), 2)
    for one, other in ((first, torch.zeros_like(first)), (first, second), (first, first + 0.1 * second)):
        moved = (transform(one) - transform(other)).square().flatten(1).sum(1) * 16
        padded = (
            torch.nn.functional.pad((one - other)[:, None], (4, 4, 4, 4), mode="reflect").square().flatten(1).sum(1)
        )
        assert bool((moved <= 1.01 * padded).all())


def test_a_constant_image_gives_its_value_and_nothing_else() -> None:
    found = ScatteringTransform((28, 28))(torch.full((1, 28, 28), 0.7))
    np.testing.assert_allclose(found[:, 0], 0.7, atol=1e-4)
    np.testing.assert_allclose(found[:, 1:], 0, atol=1e-6)


def test_shifting_an_image_by_the_grid_shifts_its_features() -> None:
    # Something small in the middle: what is mirrored at the border stays out of reach of the wavelets.
    transform = ScatteringTransform((48, 48))
    image = torch.zeros(1, 48, 48)
    image[:, 20:26, 18:27] = images(1, (6, 9))
    moved = transform(torch.roll(image, (4, -8), dims=(1, 2)))
    np.testing.assert_allclose(moved, torch.roll(transform(image), (1, -2), dims=(2, 3)), atol=2e-4)


def test_transposing_an_image_mirrors_its_angles() -> None:
    # Direction l stands at (3 - l) pi/8 from the axis of rows; transposition takes it to pi/2 less that, and the
    # modulus does not see which way a wave runs (pi is added where that leaves the half circle).
    image = images(4, (28, 28))
    found, mirrored = ScatteringTransform((28, 28))(image), ScatteringTransform((28, 28))(image.transpose(1, 2))
    order = [(3 - (4 - (3 - angle))) % 8 for angle in range(8)]
    first = found[:, 1:17].view(4, 2, 8, 7, 7)
    np.testing.assert_allclose(mirrored[:, 1:17].view(4, 2, 8, 7, 7), first[:, :, order].transpose(3, 4), atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "scales", "message"),
    [
        ((4, 4), 2, "scales = 2: needs images of more than 4 pixels a side, these have 4 x 4"),
        ((28, 8), 3, "more than 8 pixels a side"),
        ((28, 28), 0, "scales = 0"),
    ],
)
def test_impossible_transforms_are_refused(shape: tuple[int, int], scales: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ScatteringTransform(shape, scales)


def test_images_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"images has shape \(2, 9, 9\)"):
        ScatteringTransform((8, 8))(images(2, (9, 9)))
    assert filters.impossible((64,), 2) is not None
