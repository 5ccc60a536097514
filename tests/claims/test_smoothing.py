"""Directions that stand for the sphere: no mixtures that differ look the same along all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wassdp import claims
from wassdp.claims import smoothing
from wassdp.claims.smoothing import Mixtures


def against_its_negative(corners: int, first: float) -> Mixtures:
    """A regular polygon and its negative: along each axis of an odd one they look the same."""
    angles = [math.radians(first + 360 / corners * number) for number in range(corners)]
    points = tuple((math.cos(angle), math.sin(angle)) for angle in angles)
    return Mixtures(points, tuple((-a, -b) for a, b in points), points[:1], 0.1, 0.1, 2.0)


@pytest.mark.parametrize("corners", [3, 5, 7, 9])
@pytest.mark.parametrize("first", [0.0, 18.0, 90.0])
def test_a_polygon_and_its_negative_are_told_apart_by_both_ways(corners: int, first: float) -> None:
    claim = claims.claim("dp-sliced-wasserstein-property-1")
    assert isinstance(claim, claims.Inequality)
    case = against_its_negative(corners, first)
    assert claim.ratio(case) < 1e-6
    assert claim.verified(case) < 1e-6


def test_a_search_has_more_directions_than_centres_and_its_confirmation_has_others() -> None:
    for corners in (3, 7, 20):
        assert smoothing.directions(against_its_negative(corners, 0.0)).shape[1] > corners
    assert smoothing.PLAIN_DIRECTIONS > 2 * smoothing.DIRECTIONS


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0])
def test_both_ways_to_a_power_agree_as_far_as_their_directions_let_them(order: float) -> None:
    generator = np.random.default_rng(int(order))
    for _ in range(3):
        drawn = smoothing.draw(generator)
        case = Mixtures(drawn.first, drawn.second, drawn.third, drawn.width, drawn.noise, order)
        power = smoothing.power(case.first, case.third, case)
        assert smoothing.plain_power(case.first, case.third, case) == pytest.approx(power, rel=0.1, abs=1e-3)
