"""Settings of the same seeds: intervals by other means, what they permit, and what is said of that."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from wassdp import claims
from wassdp.claims import Entry, Recomputed
from wassdp.claims.paired_seeds import paired


def runs(values):
    return [{"seed": str(seed), "loss": str(value)} for seed, value in enumerate(values)]


def loss(row):
    return float(row["loss"])


def test_the_interval_is_that_of_a_paired_test():
    """The half width at 95 % is where the paired t-test's p-value is 0.05."""
    before, after = [1.0, 2.0, 4.0], [1.5, 2.1, 4.4]
    pair = paired(runs(before), runs(after)[::-1], loss)
    assert (pair.before, pair.after) == (pytest.approx(np.mean(before)), pytest.approx(np.mean(after)))
    shifted = np.array(after) - (pair.after - pair.before) + pair.spread
    assert stats.ttest_rel(shifted, before).pvalue == pytest.approx(0.05)


def test_noise_that_both_settings_share_does_not_count():
    assert paired(runs([1.0, 5.0, 9.0]), runs([2.0, 6.0, 10.0]), loss).spread == 0


@pytest.mark.parametrize(("first", "second"), [([1.0], [2.0]), ([1.0, 2.0], [1.0, 2.0, 3.0]), ([], [])])
def test_other_seeds_or_one_alone_are_refused(first, second):
    with pytest.raises(ValueError, match=r"seeds = .*must be the same of both settings, two at least"):
        paired(runs(first), runs(second), loss)


def of(*entries):
    words = {"paper": "p", "item": "Figure 9", "place": "there", "statement": "s"}
    return Recomputed(**words, entries=lambda: entries, flipped_entries=lambda: ())


@pytest.mark.parametrize("relation", ["is", "at most", "at least"])
def test_what_agrees_within_the_spread_alone_is_not_decided(relation):
    off = -1 if relation == "at least" else 1
    near, far, beyond = (
        Entry(name="x", printed=1.0, found=1.0 + off * by, digit=0.2, spread=0.3, relation=relation)
        for by in (0.1, 0.4, 0.6)
    )
    assert [(entry.agrees(), entry.unsure) for entry in (near, far, beyond)] == [
        (True, False),
        (True, True),
        (False, False),
    ]
    found = of(near, far).check(np.random.default_rng(0), 1)
    assert found.status == "not decided by these seeds"
    assert found.figure == f"1 of 2 figures are as stated, 1 within the spread of the seeds alone: {far.words}"
    assert of(near, near).check(np.random.default_rng(0), 1).holds
    assert of(near, beyond).check(np.random.default_rng(0), 1).status == "refuted"


def test_figures_of_the_gradients_paper_have_the_cells_that_they_show():
    """Figure 1 has two weights and one budget beside no noise, Figure 5 all that were run."""
    shown = {
        name: len(claims.claim(f"dp-wasserstein-gradients-figure-{name}").found())
        for name in ("1-privacy", "5-privacy")
    }
    assert shown == {"1-privacy": 2 * 1 * 4, "5-privacy": 4 * 2 * 4}
