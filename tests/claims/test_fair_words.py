"""Words of statements and verdicts are fair: forms are named, what holds where is said beside what does not."""

from __future__ import annotations

import collections
import re

import numpy as np
import pytest

from wassdp import claims
from wassdp.claims import fair_limits

NAMES = claims.names()


def verdict(name: str) -> claims.Verdict:
    claim = claims.claim(name)
    return claim.check(np.random.default_rng(0), claim.few)


def test_no_two_rows_of_a_paper_state_the_same_in_the_same_words() -> None:
    stated = collections.Counter((claims.claim(name).paper, claims.claim(name).statement) for name in NAMES)
    assert [words for words, count in stated.items() if count > 1] == []


@pytest.mark.parametrize("name", [name for name in NAMES if claims.claim(name).note])
def test_a_note_is_part_of_what_was_found(name: str) -> None:
    claim = claims.claim(name)
    assert claim.note == claim.note.strip().removesuffix(".")
    assert "\n" not in claim.note
    assert len(claim.note) <= 250
    assert verdict(name).figure.count(claim.note) == 1


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("dp-wasserstein-gradients-limit", "Poisson"),
        ("dp-wasserstein-gradients-limit-uniform", "fixed size"),
        ("dp-wasserstein-gradients-section-5-3", "Poisson form"),
        ("dp-wasserstein-gradients-section-5-3-uniform", "uniform form"),
        ("dp-wasserstein-gradients-appendix-b-budgets", "Poisson form"),
    ],
)
def test_each_statement_on_a_limit_names_its_form(name: str, form: str) -> None:
    assert form in claims.claim(name).statement


def test_at_every_noise_the_uniform_limit_is_enough_and_the_poisson_one_is_not() -> None:
    poisson, uniform = (verdict(f"dp-wasserstein-gradients-limit{end}") for end in ("", "-uniform"))
    assert uniform.figure.startswith("6 of 6 figures are as stated")
    assert poisson.status == "refuted"
    assert poisson.figure.startswith("0 of 6 figures are as stated")
    assert "uniform limit 11.86" in poisson.figure
    assert set(fair_limits.LIMITS) == {"gdp", "gdp_uniform"}


def test_the_first_page_says_which_form_the_paper_refers_to() -> None:
    claim = claims.foremost_claims()["dp-wasserstein-gradients-limit"]
    assert "in the limit regime of Section 5.2 of (Dong et al., 2019)" in claim.words
    assert "[...]" not in claim.words
    assert not re.search(r"does not\s+say which form", claim.finding)
    (finding, *_) = claims.found_in("dp-wasserstein-gradients")
    assert "for Poisson samples" in finding.text
    assert "of a fixed size" in finding.text


def test_table_2_s_order_is_judged_at_each_framework_s_own_noise() -> None:
    claim = claims.claim("wasserstein-dp-table-2-lower")
    assert isinstance(claim, claims.Measured)
    entries = claim.found()
    assert len(entries) == 6
    assert all("WDP at σ = 0.0001" in entry.name for entry in entries)
    assert sum("BDP at σ = 0.1" in entry.name for entry in entries) == 3
    assert claim.lacking.startswith("the noise")
    assert verdict("wasserstein-dp-table-2-lower").status != "refuted"


@pytest.mark.parametrize("name", ["lowest", "lowest-at-any-order"])
def test_figure_2_has_no_clipped_gradients_and_thresholds_of_the_batch_alone(name: str) -> None:
    """Four quantiles, three seeds, two other accountants."""
    claim = claims.claim(f"wasserstein-dp-figure-2-{name}")
    assert isinstance(claim, claims.Measured)
    assert len(claim.found()) == 24
