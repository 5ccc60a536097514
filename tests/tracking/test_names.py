from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from wassdp.tracking.names import LONGEST, short_names

WORDS = st.sampled_from(
    ["linear", "batch 512", "ε = 1", "ε = 10", "the 0.99 quantile of the batch's norms", "a", "x-y"]
)
LABELS = st.lists(WORDS, min_size=1, max_size=6).map(", ".join)
SEEDS = st.lists(st.integers(0, 10**6), min_size=1, max_size=3, unique=True)


@settings(deadline=None)
@given(st.lists(LABELS, min_size=1, max_size=40, unique=True), SEEDS)
def test_names_are_short_and_tell_runs_apart(labels: list[str], seeds: list[int]) -> None:
    names = short_names([(label, seed) for label in labels for seed in seeds])
    assert len(set(names)) == len(labels) * len(seeds)
    assert max(map(len, names)) <= LONGEST


def test_what_is_shared_is_left_out() -> None:
    claims = [("wasserstein-dp-theorem-1", 0), ("wasserstein-dp-theorem-1-repaired", 0), ("wasserstein-dp-remark", 0)]
    assert short_names(claims) == ["theorem-1", "theorem-1-repaired", "remark"]
    assert short_names([("tail-bound", 0)]) == ["tail-bound"]
    long = "DP-SWD, public labels, norm 0.707, orthogonal, low 5×5, 60×1 rows, ε = 10"
    assert short_names([(long, 0), ("SWD", 0)]) == ["DP-SWD, publ…rows, ε = 10", "SWD"]
