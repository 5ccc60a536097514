"""The Wasserstein accountant against a naive reimplementation and known figures."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from wassdp.accounting.accountant import load
from wassdp.accounting.accountants.published import wasserstein, wasserstein_text
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients


def event(distances: list[list[float]], noise_std: float, rate: float, **more: object) -> MeasuredGradients:
    rows = np.array(distances, dtype=float)
    return MeasuredGradients(
        distances=rows,
        noise_std=np.full(len(rows), noise_std),
        clip_norm=np.full(len(rows), math.inf),
        rate=rate,
        adjacency="replace-one",
        **more,  # type: ignore[arg-type]
    )


def moment(order: float, distance: float, noise_std: float, rate: float) -> mpmath.mpf:
    """E|Z|^μ by the printed series (equation 14), term by term; exact for even μ, where it ends."""
    q, s, d = (mpmath.mpf(value) for value in (rate, noise_std, distance))
    variance = (2 - 2 * q + 2 * q**2) * s**2
    total, product = mpmath.mpf(0), mpmath.mpf(1)
    for n in range(int(order) // 2 + 1):
        if n > 0:
            product *= mpmath.mpf(order - 2 * n + 2) / (1 + 2 * n - 2)
        total += q ** (2 * n) * d ** (2 * n) / (mpmath.factorial(n) * (2 * variance) ** n) * product
    return (
        (2 * variance) ** (mpmath.mpf(order) / 2)
        * mpmath.gamma((mpmath.mpf(order) + 1) / 2)
        / mpmath.sqrt(mpmath.pi)
        * total
    )


DISTANCES = [[0.0, 1.0, 35.0], [2.0, 2.0, 900.0]]


@pytest.mark.parametrize("order", [2, 4, 16])
@pytest.mark.parametrize("rate", [0.001, 0.2, 1.0])
def test_as_coded_equals_the_naive_sum_over_pairs(order: int, rate: float) -> None:
    expected = mpmath.mpf(0)
    for row in DISTANCES:
        expected += mpmath.fsum(moment(order, d, 0.7, rate) for d in row) ** (mpmath.mpf(1) / order)
    expected -= mpmath.log(mpmath.mpf("1e-5")) / 3
    found = wasserstein.WassersteinAccountant(order=order, beta=3.0).epsilon(event(DISTANCES, 0.7, rate), 1e-5)
    assert found.value == pytest.approx(float(expected), rel=1e-10)
    assert found.kind == "published"
    assert (found.adjacency, found.sampling, found.delta) == ("replace-one", "poisson", 1e-5)


@pytest.mark.parametrize("order", [2, 4, 16])
def test_as_printed_equals_the_naive_infimum_over_distances(order: int) -> None:
    expected = mpmath.mpf(0)
    for row in DISTANCES:
        expected += min((5 * moment(order, d, 0.7, 0.1)) ** (mpmath.mpf(1) / order) for d in row)
    expected -= mpmath.log(mpmath.mpf("1e-5"))
    found = wasserstein_text.WassersteinTextAccountant(order=order).epsilon(
        event(DISTANCES, 0.7, 0.1, coordinates=5), 1e-5
    )
    assert found.value == pytest.approx(float(expected), rel=1e-10)


@pytest.mark.parametrize(
    ("order", "distance", "noise_std", "expected"),
    [(2, 10.0, 0.1, 0.173), (1, 1.0, 1.0, 1.12), (1, 1.0, 5.0, 5.61)],
)
def test_one_component_of_a_sampled_release(order: float, distance: float, noise_std: float, expected: float) -> None:
    """At q = 0.01 the true W is 0.973 in the first case and 0.01 in the others."""
    one = event([[distance]], noise_std, 0.01, coordinates=1)
    for kind in (wasserstein.WassersteinAccountant, wasserstein_text.WassersteinTextAccountant):
        assert float(kind(order=order).losses(one)[0]) == pytest.approx(expected, abs=6e-3)


def test_without_sampling_probability_it_is_a_noise_floor() -> None:
    """ε ≈ T √2 σC (15!! pairs)^(1/16), whatever the data."""
    rng = np.random.default_rng(0)
    found = wasserstein.WassersteinAccountant().losses(event(rng.uniform(0, 50, (4, 1225)).tolist(), 20.0, 1e-3))
    floor = math.sqrt(2) * 20.0 * (math.prod(range(1, 16, 2)) * 1225) ** (1 / 16)
    np.testing.assert_allclose(found, floor, rtol=2e-3)


def test_the_tail_alone() -> None:
    """delta = 1e-10 and beta = 32 leave 0.72."""
    assert wasserstein.tail_bound(0.0, 1e-10, 32.0) == pytest.approx(0.72, abs=5e-3)


def test_a_path_is_the_sequence_of_prefixes() -> None:
    whole = event(DISTANCES, 0.7, 0.1, coordinates=3)
    for name in ("wasserstein", "wasserstein_text"):
        accountant = load(name, order=6, beta=2.0)
        path = accountant.path(whole, 1e-5, (0, 1, 2))  # type: ignore[attr-defined]
        assert [item.epsilon for item in path] == [accountant.epsilon(whole.first(n), 1e-5).epsilon for n in (0, 1, 2)]
        assert {item.accountant for item in path} == {name}


def test_says_what_it_does_not_prove() -> None:
    found = wasserstein.WassersteinAccountant().epsilon(event(DISTANCES, 0.7, 0.1, sampling="shuffled"), 1e-5)
    text = " ".join(found.assumptions)
    assert "not a bound on likelihood ratios" in text
    assert "shuffled" in text
    assert "order 16, beta 1" in text


def test_refusals() -> None:
    gaussian = Gaussian(noise_multiplier=1.0, adjacency="add-remove")
    assert wasserstein.WassersteinAccountant().supports(gaussian) is not None
    with pytest.raises(ValueError, match="no measured distances"):
        wasserstein.WassersteinAccountant().epsilon(gaussian, 1e-5)
    assert "coordinates" in str(wasserstein_text.WassersteinTextAccountant().supports(event(DISTANCES, 1.0, 0.1)))
    with pytest.raises(ValueError, match="delta"):
        wasserstein.WassersteinAccountant().epsilon(event(DISTANCES, 1.0, 0.1), 1.0)
    with pytest.raises(ValueError, match="steps = 3"):
        wasserstein.WassersteinAccountant().path(event(DISTANCES, 1.0, 0.1), 1e-5, (3,))


@pytest.mark.parametrize(("options", "name"), [({"order": 0.5}, "order"), ({"beta": 0.0}, "beta")])
@pytest.mark.parametrize("accountant", ["wasserstein", "wasserstein_text"])
def test_options_are_checked(accountant: str, options: dict[str, float], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        load(accountant, **options)
    with pytest.raises(TypeError):
        load(accountant, mu=16)
