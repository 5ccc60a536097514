"""Distances and norms of small changes of a density on the line, and of small moves of records."""

import dataclasses

import numpy as np
import pytest

from wassdp.claims import line_densities, tangent_moved_points
from wassdp.claims.line_densities import Line

UNIFORM = Line((0.5, 0.5), (1.0, 1.0), (1.0, -1.0), 1e-4)


def test_the_norm_of_a_step_of_a_uniform_density_by_hand():
    """F rises to η/2 in the middle and falls again: ∫ F² is η²/12."""
    assert line_densities.norm(UNIFORM) == pytest.approx(1e-4 / np.sqrt(12), rel=1e-12)
    assert line_densities.norm_without_weight(UNIFORM) == pytest.approx(1e-4 / np.sqrt(12), rel=1e-12)


def test_a_change_has_no_mass_and_is_small():
    line = line_densities.draw(np.random.default_rng(0))
    assert abs(line.change.sum()) < 1e-18
    relative = np.abs(line.change / line.widths_of_cells).max() / (line.mass / line.widths_of_cells).min()
    assert relative == pytest.approx(line.relative)


@pytest.mark.parametrize("seed", range(3))
def test_the_distance_is_that_of_many_quantiles(seed):
    line = dataclasses.replace(line_densities.draw(np.random.default_rng(seed)), relative=0.3)
    ends = np.concatenate([[0.0], np.cumsum(line.widths_of_cells)])
    levels = (np.arange(200_000) + 0.5) / 200_000
    one, other = (
        np.interp(levels, np.concatenate([[0.0], np.cumsum(mass)]), ends)
        for mass in (line.mass, line.mass + line.change)
    )
    assert line_densities.distance(line) == pytest.approx(np.sqrt(((one - other) ** 2).mean()), rel=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_the_norm_is_the_limit_of_the_distance(seed):
    """Ten times less change, ten times less error."""
    line = line_densities.draw(np.random.default_rng(seed))
    errors = []
    for relative in (1e-2, 1e-3):
        near = dataclasses.replace(line, relative=relative)
        errors.append(abs(line_densities.distance(near) / line_densities.norm(near) - 1))
    assert errors[1] < 0.2 * errors[0] < 0.01


@pytest.mark.parametrize("seed", range(10))
def test_records_that_move_a_little_are_matched_with_themselves(seed):
    moved = tangent_moved_points.draw(np.random.default_rng(seed))
    assert moved.size == pytest.approx(tangent_moved_points.plain_size(moved), rel=1e-6)
    assert moved.slack == pytest.approx(tangent_moved_points.plain_slack(moved), rel=1e-6)
