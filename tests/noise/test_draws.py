"""Samples of records, whole numbers and outcomes: exact probabilities, from scripted bits and by frequency."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import stats

from _scripted_bits import Scripted
from wassdp import noise


@pytest.mark.parametrize("rate", [0.0, 1.0, 0.3, 512 / 60000, 1e-9, 2.0**-70])
def test_a_record_enters_exactly_where_a_uniform_number_is_below_the_rate(rate):
    first, rest = divmod(Fraction(rate) * 2**64, 1)
    if rate == 1:
        assert noise.poisson_sample(2, rate=rate, generator=Scripted(0, 2**64 - 1)).tolist() == [0, 1]
        return
    below, above = max(int(first) - 1, 0), int(first) + 1
    found = noise.poisson_sample(2, rate=rate, generator=Scripted(below, above, 0))
    assert found.tolist() == ([0] if first or rest else [])
    # At the word that the rate begins with, the next words decide.
    second = int(rest * 2**64)
    if second:
        for word, enters in ((second - 1, True), (second + 1, False)):
            assert len(noise.poisson_sample(1, rate=rate, generator=Scripted(int(first), word))) == enters


def test_sizes_of_samples_are_binomial():
    """Chi-squared of 8,000 sizes: fails by chance with probability 1e-4."""
    generator = noise.seeded(0)
    sizes = [len(noise.poisson_sample(8, rate=0.3, generator=generator)) for _ in range(8_000)]
    shares = stats.binom.pmf(np.arange(9), 8, 0.3)
    assert stats.chisquare(np.bincount(sizes, minlength=9), shares * 8_000).pvalue > 1e-4


def test_all_orders_of_all_subsets_are_equally_likely():
    """Chi-squared over the 60 ordered triples of five: fails by chance with probability 1e-4."""
    generator = noise.seeded(1)
    seen = Counter(tuple(noise.subset(5, 3, generator=generator).tolist()) for _ in range(12_000))
    assert len(seen) == 60
    assert stats.chisquare(list(seen.values())).pvalue > 1e-4


def test_equal_words_are_drawn_again():
    assert noise.subset(3, 2, generator=Scripted(5, 5, 9, 8, 7, 9)).tolist() == [1, 0]
    # A tie beyond those that enter decides nothing.
    assert noise.subset(3, 1, generator=Scripted(5, 9, 9)).tolist() == [0]
    # One at the border does.
    assert noise.subset(3, 1, generator=Scripted(9, 9, 10, 3, 2, 1)).tolist() == [2]


def test_permutations_hold_every_number_once():
    found = noise.permutation(1000, generator=noise.seeded(2))
    assert torch.equal(found.sort().values, torch.arange(1000))
    assert not torch.equal(found, torch.arange(1000))


def test_whole_numbers_avoid_the_remainder():
    last = 2**64 - 1
    assert last % 3 == 0  # 2^64 = 3 n + 1: one word too many
    assert noise.integers(3, 2, generator=Scripted(last, 4, 5)).tolist() == [2, 1]
    with pytest.raises(ValueError, match="bound = 0"):
        noise.integers(0, 1, generator=Scripted())


def test_outcomes_have_their_probabilities():
    """Chi-squared of 8,000 draws: fails by chance with probability 1e-4."""
    logs = np.array([-np.inf, 1.0, 0.0, -2.0, 1.5])
    q = np.exp(logs) / np.exp(logs).sum()
    generator = noise.seeded(3)
    seen = np.bincount(noise.categoricals(logs, 8_000, generator=generator), minlength=5)
    assert seen[0] == 0
    assert stats.chisquare(seen[1:], q[1:] * 8_000).pvalue > 1e-4


def test_outcomes_at_a_border_are_decided_by_more_bits():
    even = np.zeros(2)
    assert noise.categorical(even, generator=Scripted(2**63 - 1, 2**63)) == 0
    assert noise.categorical(even, generator=Scripted(2**63, 2**63)) == 1
    # e^-800 is no double beside 1, but it happens where every bit says so.
    rare = np.array([0.0, -800.0])
    assert noise.categorical(rare, generator=Scripted(*([2**64 - 1] * 30))) == 1
    assert noise.categorical(rare[::-1].copy(), generator=Scripted(*([0] * 30))) == 0
    assert noise.categorical(rare[::-1].copy(), generator=Scripted(1, 0)) == 1


def test_many_outcomes_are_as_many_single_ones():
    logs = np.array([-np.inf, 1.0, 0.0, -2.0, 1.5])
    one = noise.seeded(4)
    singles = [noise.categorical(logs, generator=one) for _ in range(50)]
    assert noise.categoricals(logs, 50, generator=noise.seeded(4)).tolist() == singles
    # Where the first word leaves a draw open, the words behind all first ones decide it.
    even = np.zeros(2)
    assert noise.categoricals(even, 3, generator=Scripted(2**63, 0, 2**63 - 1, 2**63, 2**63)).tolist() == [1, 0, 0]
    assert noise.categoricals(even, 0, generator=Scripted()).shape == (0,)


@pytest.mark.parametrize("bad", [[np.nan, 0.0], [np.inf, 0.0], [-np.inf], []])
def test_weights_that_define_no_law_are_refused(bad):
    with pytest.raises(ValueError, match="log_weights"):
        noise.categorical(np.array(bad, dtype=float), generator=Scripted(0))


def test_streams_are_distinct_and_as_long_as_their_key():
    keys = [noise.seeded(seed, *names) for seed in (0, 1, 2**32, 2**64) for names in ((), ("a",), ("b",), ("a", "b"))]
    heads = {tuple(each.words(4).tolist()) for each in keys}
    assert len(heads) == len(keys)
    assert len({tuple(each.get_state()[:2].tolist() + each.get_state()[4:6].tolist()) for each in keys}) == len(keys)
    with pytest.raises(ValueError, match="key"):
        noise.CounterBits(b"short")
    with pytest.raises(ValueError, match="seed = -1"):
        noise.seeded(-1)


def test_the_counter_gives_the_words_of_numpys_philox():
    stream = noise.CounterBits(bytes(range(32)))
    key = np.frombuffer(bytes(range(32)), dtype="<u8").astype(np.uint64)
    peer = np.random.Philox(key=key[:2], counter=np.append(np.zeros(2, dtype=np.uint64), key[2:]))
    assert np.array_equal(np.concatenate([stream.words(3), stream.words(8)]), peer.random_raw(11))


def test_system_bits_never_repeat_and_have_no_state():
    first, second = noise.SystemBits(), noise.SystemBits()
    assert not np.array_equal(first.words(4), second.words(4))
    first.set_state(first.get_state())
    with pytest.raises(ValueError, match="seeded"):
        first.set_state(noise.seeded(0).get_state())
