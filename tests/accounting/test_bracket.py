"""The search ends, within its bound, on every increasing function; and where it promises to be close, it is."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wassdp.accounting.numerics.bracket import Real, UnfitError, Whole, bisected, crossed, largest_kept

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


# Each falls from above to below 0 at ``root``, in its own way.
FALLING = {
    "line": lambda x, root: 1 - x / root,
    "logarithm": lambda x, root: math.log(root) - math.log(x) if x > 0 else math.inf,
    "square": lambda x, root: 1 - (x / root) ** 2 if x < 1e150 * root else -math.inf,
    "tail": lambda x, root: math.exp(-x / root) - math.exp(-1),
    "step": lambda x, root: 1.0 if x < root else -1.0,
    "cliff": lambda x, root: 1e-300 if x < root else -math.inf,
    "kink": lambda x, root: 1e-9 * (1 - x / root) if x < root else -1e9 * min(x / root - 1, 1e9),
    "flat": lambda x, root: (1 - x / root) ** 3 if x < 1e90 * root else -math.inf,
}


@given(shape=st.sampled_from(sorted(FALLING)), exponent=st.floats(-100, 100), close=st.sampled_from([1e-13, 1e-6, 0.1]))
@example(shape="step", exponent=-300.0, close=1e-13)
@example(shape="tail", exponent=300.0, close=1e-13)
def test_where_a_falling_function_crosses_zero(shape, exponent, close):
    root, asked = 10.0**exponent, []

    def height(value):
        asked.append(value)
        return FALLING[shape](value, root)

    low, high = crossed(height, close=close)
    assert low < high
    assert high - low <= close * high
    assert low == 0 or FALLING[shape](low, root) > 0
    assert FALLING[shape](high, root) <= 0
    assert len(set(asked)) == len(asked) <= 300
    slow = bisected(lambda value: FALLING[shape](value, root) <= 0, 1.0, close=close)
    assert low <= slow[1] * (1 + 1e-15)
    assert slow[0] <= high * (1 + 1e-15)


def test_a_smooth_crossing_takes_a_dozen_heights_and_others_end():
    asked = []

    def height(value):
        asked.append(value)
        return math.log(0.3) - value - 0.1 * value**2 + 5

    low, high = crossed(height, close=1e-13)
    assert height(low) > 0 >= height(high)
    assert len(asked) <= 20
    assert crossed(lambda value: -value, close=1e-13) == (0.0, 0.0)
    assert crossed(lambda value: -1.0, close=1e-13) == (0.0, 0.0)
    assert crossed(lambda value: 1.0 if value < math.inf else -1.0, close=1e-13)[1] == math.inf
    low, high = crossed(lambda value: 1.0 if value == 0 else -1.0, close=1e-13)
    assert low == 0 < high <= 1e-300


def test_rounding_that_is_not_monotone_changes_no_side():
    """Each end is on the side that its own height says, whatever heights between them say."""

    def height(value):
        return (1 - value) + 1e-12 * math.sin(1e15 * value)

    low, high = crossed(height, close=1e-15)
    assert height(low) > 0 >= height(high)


def test_a_height_that_is_not_a_number_is_on_no_side():
    """Bisection takes it for too small, so that what it finds is larger; a search that reads heights refuses."""
    for bad in (0.0, 1.0, 1.5, 2.0, 4.0):
        # From ``bad`` to the crossing at 2 nothing is known, or just at ``bad``.
        def height(value, bad=bad):
            return math.nan if value == bad or bad <= value < 2 else 2.0 - value

        with pytest.raises(ValueError, match=r"height at \d.* is not a number"):
            crossed(height, close=1e-9)
    low, high = bisected(lambda value: (math.nan if 1 <= value < 3 else value) >= 2, 1.0, close=1e-9)
    assert low < 3 <= high
