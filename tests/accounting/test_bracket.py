"""The search ends, within its bound, on every increasing function; and where it promises to be close, it is."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wassdp.accounting.numerics.bracket import Real, UnfitError, Whole, largest_kept

STEP, LEAST, MOST = 1e-6, -20.0, 20.0
BOUND = 3 * math.ceil(math.log2((MOST - LEAST) / STEP)) + 12

# Each rises from below to above the target 1 at ``root``, in its own way.
SHAPES = {
    "power": lambda x, root: math.exp(x - root),
    "square": lambda x, root: math.exp(2 * (x - root)),
    "cliff": lambda x, root: 1e-3 * math.exp(1e-3 * (x - root)) if x <= root else math.exp(300 * min(x - root, 2)),
    "steep": lambda x, root: math.exp(min(math.sinh(min(8 * (x - root), 300)), 700)),
    "flat": lambda x, root: math.exp(0.01 * math.atan(x - root)),
    "wall": lambda x, root: 0.0 if x <= root else math.inf,
    "stairs": lambda x, root: 1.5 ** (math.floor(x - root) + (1 if x > root else 0)),
    "late": lambda x, root: 0.0 if x <= root - 1e-3 else math.exp(min(1e4 * (x - root), 700)),
    "refused": lambda x, root: math.exp(x - root) if x <= root + 1e-9 else refuse(),
}


def refuse():
    raise ValueError("too much work")


def asked(function):
    points = []

    def counting(x):
        points.append(x)
        return function(x)

    return points, counting


@pytest.mark.parametrize("name", SHAPES)
@given(root=st.floats(-19.9, 19.9), start=st.sampled_from([LEAST, -3.0, 0.0, 7.0, MOST]))
def test_every_shape_is_bracketed_or_met(name, root, start):
    points, function = asked(lambda x: SHAPES[name](x, root))
    found = largest_kept(function, 1.0, Real(STEP), start=start, least=LEAST, most=MOST, close=3e-4)
    assert len(points) <= BOUND
    assert len(set(points)) == len(points)
    assert found.kept is not None
    assert found.kept.value == SHAPES[name](found.kept.position, root) <= 1
    if found.close:
        assert found.kept.value >= 1 - 3e-4
    else:
        assert found.broken.value > 1
        assert 0 < found.broken.position - found.kept.position <= STEP
    if name in ("power", "square"):
        assert found.close
        assert len(points) <= 12


@given(root=st.integers(1, 10**9), most=st.integers(1, 10**9), power=st.sampled_from([0.5, 1.0, 3.0]))
@example(root=10**9, most=10**9, power=0.5)
def test_whole_numbers_are_exact(root, most, power):
    points, function = asked(lambda n: (n / root) ** power if n <= root else (n / root) ** power + 1e-9)
    found = largest_kept(function, 1.0, Whole(), start=1, least=1, most=most)
    assert found.kept.position == min(root, most)
    assert (found.broken is None) == (root >= most)
    if found.broken:
        assert found.broken.position == root + 1
    assert len(points) <= 3 * 31 + 12
    assert all(1 <= n <= most for n in points)


@given(values=st.lists(st.floats(0, math.inf), min_size=40, max_size=40))
def test_even_a_function_that_does_not_increase_ends(values):
    points, function = asked(lambda n: values[n - 1])
    found = largest_kept(function, 1.0, Whole(), start=7, least=1, most=40)
    assert len(set(points)) == len(points) <= 40
    if found.kept and found.broken:
        assert found.broken.position == found.kept.position + 1
        assert values[found.kept.position - 1] <= 1 < values[found.broken.position - 1]


def test_no_position_keeps_the_target_or_all_do():
    assert largest_kept(lambda x: 2.0, 1.0, Real(STEP), start=0.0, least=LEAST, most=MOST).kept is None
    found = largest_kept(lambda x: 0.0, 1.0, Real(STEP), start=0.0, least=LEAST, most=MOST)
    assert (found.kept.position, found.broken) == (MOST, None)


def test_not_a_number_is_above_every_target():
    found = largest_kept(lambda x: math.nan if x > 0.5 else 0.9, 1.0, Real(STEP), start=0.0, least=LEAST, most=MOST)
    assert found.kept.position == pytest.approx(0.5, abs=STEP)


def test_what_is_not_about_one_position_ends_the_search():
    def unfit(_):
        raise UnfitError("not an upper bound")

    with pytest.raises(UnfitError, match="not an upper bound"):
        largest_kept(unfit, 1.0, Real(STEP), start=0.0, least=LEAST, most=MOST)
