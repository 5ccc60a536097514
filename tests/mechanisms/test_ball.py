"""Norms and balls of points of every length that their type holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wassdp import noise
from wassdp.experiments import circle_matching, published_classification
from wassdp.mechanisms.ball import in_ball
from wassdp.mechanisms.clip_norm import LEAST, MOST
from wassdp.mechanisms.dpsgd import clipped_sum
from wassdp.mechanisms.norms import norms
from wassdp.mechanisms.published_step import PublishedStep

numbers = st.floats(-(2.0**50), 2.0**50, width=32) | st.floats(-(2.0**-66), 2.0**-66, width=32)


@given(st.lists(numbers, min_size=1, max_size=6))
def test_a_norm_is_that_of_exact_squares(entries: list[float]) -> None:
    row = torch.tensor([entries])
    exact = math.hypot(*row[0].tolist())
    assert float(norms(row)) == pytest.approx(exact, rel=1e-5, abs=1e-44)


@given(st.lists(numbers, min_size=1, max_size=6), st.sampled_from([1e-40, 1e-30, 1e-20, 1e-10, 1.0, 1e10]))
def test_what_is_moved_into_a_ball_is_there(entries: list[float], norm: float) -> None:
    moved = in_ball(torch.tensor([entries]), norm=norm)
    assert math.hypot(*moved[0].tolist()) <= norm * (1 + 1e-5) + 4e-45  # the least number, of each entry


def test_ordinary_rows_have_torchs_norm_to_the_bit() -> None:
    rows = torch.randn(50, 7, generator=torch.Generator().manual_seed(0))
    rows[3] = 0
    assert torch.equal(norms(rows), torch.linalg.vector_norm(rows, dim=1))
    assert norms(torch.zeros(3, 0)).tolist() == [0, 0, 0]


def test_short_mean_gradients_are_clipped_too() -> None:
    """Their squares vanish in single precision: they were taken for 0 and released as they were."""
    step = PublishedStep(clip_norm=1e-30, noise_multiplier=0.0, keep=1.0)
    released = step.release(torch.full((650,), 1e-24), generator=noise.seeded(0))
    assert float(np.linalg.norm(released.double().numpy())) <= 1e-30 * (1 + 1e-5)


@pytest.mark.parametrize("norm", [1e-30, 1e-25, 1e-20])
def test_short_gradients_of_records_are_clipped_too(norm: float) -> None:
    released = clipped_sum(torch.full((1, 100), 1e-23), clip_norm=norm)
    assert float(np.linalg.norm(released.double().numpy())) <= norm * (1 + 1e-5)


@pytest.mark.parametrize("norm", [LEAST / 2, MOST * 2, 1e-30, 1e38])
def test_clip_norms_without_full_precision_cannot_be_asked_for(norm: float) -> None:
    with pytest.raises(ValueError, match=r"output_norm\n"):
        circle_matching.Parameters.model_validate({"privacy": {"epsilon": 1.0}, "output_norm": norm})
    with pytest.raises(ValueError, match=r"clip_norm\n"):
        published_classification.Parameters.model_validate({"privacy": {"clip_norm": norm}})
