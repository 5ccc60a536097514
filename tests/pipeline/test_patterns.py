"""Rules are told apart by patterns that fit exactly their runs and stay short."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from wassdp.pipeline.patterns import NONE, pattern, patterns

IDS = st.sets(st.text("0123456789abcdef", min_size=12, max_size=12), max_size=40)


@given(chosen=IDS, others=IDS)
def test_a_pattern_fits_the_chosen_and_no_other(chosen: set[str], others: set[str]) -> None:
    others -= chosen
    fits = re.compile(pattern(sorted(chosen), sorted(others)))
    assert all(fits.fullmatch(run) for run in chosen)
    assert not any(fits.fullmatch(run) for run in others)


def test_ten_thousand_runs_take_a_short_pattern() -> None:
    draw = random.Random(3)
    runs = [f"{draw.getrandbits(48):012x}" for _ in range(10_000)]
    assert patterns(dict.fromkeys(runs, "train"), ("generate", "train")) == {
        "generate": NONE,
        "train": r"\w*",
        "account": r"\w*",
    }
    mixed = patterns(
        {run: ("train", "audit", "restored")[place % 3] for place, run in enumerate(runs)}, ("train", "audit")
    )
    assert max(map(len, mixed.values())) < 5 * len(runs), "a list of all takes 13 characters for each"
    for rule, places in {"train": {0}, "audit": {1}, "account": {0, 1}}.items():
        fits = re.compile(mixed[rule])
        assert [bool(fits.fullmatch(run)) for run in runs] == [place % 3 in places for place in range(len(runs))]
