"""Distances on the line: against scipy, POT, a linear program, closed forms and finite differences."""

import itertools
import math
from fractions import Fraction

import numpy as np
import ot
import pytest
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wassdp.distances import plan, sorting
from wassdp.distances.one_d import wasserstein, wasserstein_power


def sample(seed, *shape, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def probabilities(seed, points):
    return torch.rand(points, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@given(n=st.integers(1, 40), m=st.integers(1, 40), seed=st.integers(0, 10**6), p=st.sampled_from([1, 1.5, 2, 3, 7.5]))
@settings(max_examples=60)
def test_agrees_with_pot_for_any_sizes_orders_and_weights(n, m, seed, p):
    x, y = sample(seed, n), sample(seed + 1, m) + 0.3
    a, b = probabilities(seed + 2, n) + 1e-3, probabilities(seed + 3, m) + 1e-3
    expected = ot.emd2_1d(x.numpy(), y.numpy(), p=p, metric="minkowski")
    assert float(wasserstein_power(x, y, p=p)) == pytest.approx(expected, rel=1e-9)
    weighted = ot.wasserstein_1d(x.numpy(), y.numpy(), (a / a.sum()).numpy(), (b / b.sum()).numpy(), p=p)
    assert float(wasserstein_power(x, y, p=p, x_weights=a, y_weights=b)) == pytest.approx(weighted, rel=1e-8)


def test_agrees_with_scipy_at_order_1():
    x, y, weights = sample(0, 31), sample(1, 17), probabilities(2, 31)
    expected = scipy.stats.wasserstein_distance(x.numpy(), y.numpy(), weights.numpy())
    assert float(wasserstein(x, y, p=1, x_weights=weights)) == pytest.approx(expected, rel=1e-12)


@given(
    seed=st.integers(0, 10**6),
    p=st.sampled_from([1.0, 1.3, 2.0, 4.0, math.inf]),
    n=st.integers(1, 20),
    m=st.integers(1, 20),
)
@settings(max_examples=50)
def test_is_a_metric_that_grows_with_its_order_and_moves_with_its_samples(seed, p, n, m):
    x, y, z = sample(seed, n), sample(seed + 1, m), sample(seed + 2, 5)
    between = float(wasserstein(x, y, p=p))
    assert between == pytest.approx(float(wasserstein(y, x, p=p)), abs=1e-12)
    assert float(wasserstein(x, x.flip(0), p=p)) == 0
    assert between <= float(wasserstein(x, z, p=p) + wasserstein(z, y, p=p)) + 1e-9
    assert float(wasserstein(x, y, p=1)) <= between + 1e-9
    assert float(wasserstein(3 * x + 1, 3 * y + 1, p=p)) == pytest.approx(3 * between, abs=1e-9)
    # A translate lies at its shift, for every order.
    assert float(wasserstein(x, x + 0.7, p=p)) == pytest.approx(0.7, abs=1e-12)


def test_the_largest_order_is_the_limit_of_large_ones():
    x, y = sample(0, 12), sample(1, 7)
    assert float(wasserstein(x, y, p=math.inf)) == pytest.approx(float(wasserstein(x, y, p=2000.0)), rel=5e-3)


def test_repeating_every_point_changes_nothing():
    x, y = sample(0, 9), sample(1, 14)
    twice = wasserstein(x.repeat(3), y.repeat(5), p=2.5)
    assert float(twice) == pytest.approx(float(wasserstein(x, y, p=2.5)), rel=1e-12)
    weights = torch.zeros(18, dtype=torch.float64)
    weights[:9] = 1
    padded = torch.cat([x, torch.full((9,), 1e6, dtype=torch.float64)])
    for p in (1.0, 2.0, math.inf):
        without = float(wasserstein(x, y, p=p))
        assert float(wasserstein(padded, y, p=p, x_weights=weights)) == pytest.approx(without, rel=1e-9)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize(("n", "m"), [(6, 6), (6, 4)])
def test_gradients_agree_with_finite_differences(p, n, m):
    x, y = sample(0, 3, n).requires_grad_(), sample(1, 3, m).requires_grad_()
    weights = probabilities(3, n) + 0.1
    for given_weights in (None, weights):
        torch.autograd.gradcheck(lambda a, b, w=given_weights: wasserstein(a, b, p=p, x_weights=w), (x, y))
        torch.autograd.gradcheck(lambda a, b, w=given_weights: wasserstein_power(a, b, p=p, x_weights=w), (x, y))


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5, math.inf])
def test_the_gradient_at_distance_0_is_0_not_nan(p):
    x = sample(0, 2, 5).requires_grad_()
    (found,) = torch.autograd.grad(wasserstein(x, x.detach().flip(-1), p=p).sum(), x)
    assert (found == 0).all()


def test_large_orders_neither_overflow_nor_underflow():
    x, y = sample(0, 50, dtype=torch.float32) * 1e20, sample(1, 50, dtype=torch.float32) * 1e20
    for scale in (1.0, 1e-30):
        found = wasserstein(x * scale, y * scale, p=40.0)
        exact = wasserstein(x.double() * scale, y.double() * scale, p=40.0)
        assert float(found) == pytest.approx(float(exact), rel=1e-4)


@pytest.mark.slow
def test_single_precision_is_stable_at_a_million_points():
    x, y = sample(0, 10**6, dtype=torch.float32), 2 * sample(1, 10**6, dtype=torch.float32) + 1
    assert float(wasserstein(x, y)) == pytest.approx(float(wasserstein(x.double(), y.double())), rel=1e-5)
    shorter = y[:999_999]
    assert float(wasserstein(x, shorter)) == pytest.approx(float(wasserstein(x.double(), shorter.double())), rel=1e-5)
    # Two Gaussians: W_2^2 = (difference of means)^2 + (difference of deviations)^2 = 2. With a million points its
    # standard deviation is about 3e-3; five of them are exceeded with probability below 1e-6.
    assert float(wasserstein(x, y)) ** 2 == pytest.approx(2, abs=0.015)


@pytest.mark.parametrize("shape", [(3, 5), (70, 100), (1, 5000)])
def test_the_packed_sort_is_the_stable_sort(shape):
    values = sample(0, *shape, dtype=torch.float32)
    values[:, ::3] = values[:, :1]  # ties
    values[0, :2] = torch.tensor([-0.0, 0.0])
    values[0, 2:4] = torch.tensor([3.4e38, -3.4e38])
    found, order = sorting._packed(values)
    expected = torch.sort(values, dim=-1, stable=True)
    assert torch.equal(found, expected.values)
    assert torch.equal(order, expected.indices)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"p": 0.5}, "p = 0.5"),
        ({"p": math.nan}, "p = nan"),
        ({"x": torch.zeros(0)}, "x has shape"),
        ({"y": torch.tensor([math.nan, 1.0])}, "y: 1 values are not finite"),
        ({"y": torch.zeros(3, 2)}, "y has shape"),
        ({"y": torch.zeros(2, dtype=torch.float64)}, "y is torch.float64"),
        ({"x_weights": torch.tensor([1.0, -1.0])}, "x_weights"),
        ({"x_weights": torch.zeros(2)}, "x_weights: must not all be 0"),
        ({"y_weights": torch.ones(3)}, "y_weights has shape"),
    ],
)
def test_bad_input_is_one_line_that_names_it(arguments, named):
    given_arguments = {"x": torch.tensor([0.0, 1.0]), "y": torch.tensor([0.0, 2.0])} | arguments
    with pytest.raises(ValueError, match=named.replace("(", r"\(")) as found:
        wasserstein(given_arguments.pop("x"), given_arguments.pop("y"), **given_arguments)
    assert "\n" not in str(found.value)


def test_agrees_with_a_linear_program_on_the_whole_cost_matrix():
    x, y = sample(0, 8), sample(1, 5)
    a, b = probabilities(2, 8), probabilities(3, 5)
    cost = np.abs(x.numpy()[:, None] - y.numpy()[None]) ** 1.7
    expected = ot.emd2((a / a.sum()).numpy(), (b / b.sum()).numpy(), cost)
    assert float(wasserstein_power(x, y, p=1.7, x_weights=a, y_weights=b)) == pytest.approx(expected, rel=1e-9)


def exact(x, y, p):
    """W_p of points with whole weights, (point, weight) each: shares are exact rational numbers."""
    laws = [sorted((point, Fraction(weight, sum(w for _, w in law))) for point, weight in law) for law in (x, y)]
    ends = [[(sum(share for _, share in law[: place + 1]), law[place][0]) for place in range(len(law))] for law in laws]
    cuts = sorted({Fraction(0), *(end for side in ends for end, _ in side)})
    pieces = [
        (last - first, abs(Fraction.__sub__(*(next(at for end, at in side if end >= last) for side in ends))))
        for first, last in itertools.pairwise(cuts)
    ]
    if p == math.inf:
        return float(max(gap for _, gap in pieces))
    return float(sum(share * gap**p for share, gap in pieces)) ** (1 / p)


def law(points):
    """Whole points, and weights that are whole tenths."""
    pairs = st.tuples(st.integers(-5, 5).map(Fraction), st.integers(0, 3))
    return st.lists(pairs, min_size=1, max_size=points).filter(lambda pairs: any(weight for _, weight in pairs))


def tensors(law):
    return (torch.tensor([float(value) for value in column], dtype=torch.float64) for column in zip(*law, strict=True))


@given(x=law(6), y=law(6))
@settings(max_examples=500)
def test_agrees_with_exact_fractions_for_weights_in_tenths(x, y):
    (x_points, x_tenths), (y_points, y_tenths) = tensors(x), tensors(y)
    for p in (1, 2, 8, math.inf):
        expected = exact([pair for pair in x if pair[1]], [pair for pair in y if pair[1]], p)
        found = wasserstein(x_points, y_points, p=p, x_weights=x_tenths / 10, y_weights=y_tenths / 10)
        assert float(found) == pytest.approx(expected, rel=1e-12, abs=0 if p == math.inf else 1e-12)


def test_rounding_of_running_sums_is_no_mass_at_the_largest_order():
    x, y = torch.tensor([0.0, -4.0]), torch.tensor([4.0, 3.0, -3.0])
    tenths = torch.tensor([1, 2, 3], dtype=torch.float64) / 10
    assert float(wasserstein(x, y, p=math.inf, x_weights=tenths[:1].expand(2), y_weights=tenths)) == 4
    # A point of weight 0, behind ten tenths whose running sum ends below 1.
    far = torch.cat([torch.zeros(10), torch.tensor([1000.0])])
    weights = torch.cat([torch.full((10,), 0.1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)])
    for p in (1.0, 8.0, 500.0, math.inf):
        assert float(wasserstein(far, torch.zeros(1), p=p, x_weights=weights)) == 0
        assert float(wasserstein(-far, torch.zeros(1), p=p, x_weights=weights)) == 0
    # A hundredth of a millionth is mass.
    small = torch.cat([torch.ones(10, dtype=torch.float64), torch.full((1,), 1e-8, dtype=torch.float64)])
    assert float(wasserstein(far, torch.zeros(1), p=math.inf, x_weights=small)) == 1000
    assert float(wasserstein(torch.zeros(1), far, p=math.inf, y_weights=small)) == 1000


@pytest.mark.parametrize("points", [3, 1000, 100_000])
def test_equal_laws_lie_at_0_however_their_weights_are_summed(points):
    tenths = torch.randint(0, 10, (points,), generator=torch.Generator().manual_seed(0)).double() + 0.1
    x = torch.arange(points, dtype=torch.float64)
    order = torch.randperm(points, generator=torch.Generator().manual_seed(1))
    # Every point twice with half its weight, in another order and unit: other totals, sums and quotients.
    twice, halves = x[order].repeat(2), (tenths[order] / 3).repeat(2)
    assert float(wasserstein(x, twice, p=math.inf, x_weights=tenths, y_weights=halves)) == 0


def test_pieces_of_a_weighted_plan_fill_the_unit_interval_and_keep_every_weight():
    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randint(0, 4, (50, size), generator=generator).double() / 10 for size in (7, 5))
    left[:, 3], right[:, 2] = 0.1, 0.2
    left, right = left / left.sum(dim=1, keepdim=True), right / right.sum(dim=1, keepdim=True)
    found = plan.weighted_plan(left, right)
    assert (found.share >= 0).all()
    for points, weights in ((found.left, left), (found.right, right)):
        kept = torch.zeros_like(weights).scatter_add_(1, points, found.share)
        torch.testing.assert_close(kept, weights, rtol=0, atol=1e-14)
        assert (kept[weights == 0] == 0).all()
    smallest = torch.where(found.share > 0, found.share, 1.0).min()
    assert float(smallest) > 1e-3  # whole tenths of totals of at most 21 and 15 tenths are no nearer than 1/315


@pytest.mark.parametrize("p", [2.0, 3.0, math.inf])
def test_gradients_where_the_weights_cut_at_one_place_agree_with_finite_differences(p):
    x, y = sample(0, 2, 4).requires_grad_(), sample(1, 2, 3).requires_grad_()
    tenths = torch.tensor([1, 2, 3, 0], dtype=torch.float64) / 10
    torch.autograd.gradcheck(
        lambda a, b: wasserstein(a, b, p=p, x_weights=tenths, y_weights=tenths[:3].flip(0)), (x, y)
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("n", "m"), [(64, 64), (60, 42), (1, 9)])
def test_samples_without_weights_are_computed_to_the_bit_as_written_here(dtype, n, m):
    # Published runs have no weights: no change of the weighted plan may reach them.
    x, y = (sample(seed, 3, size, dtype=dtype).sort(dim=-1).values for seed, size in ((0, n), (1, m)))
    ends = sorted({place * m for place in range(n + 1)} | {place * n for place in range(m + 1)})
    left, right = (torch.tensor([end // size for end in ends[:-1]]) for size in (m, n))
    share = torch.tensor(ends).diff().to(torch.float64) / (n * m)
    gaps = x - y if n == m else x[:, left] - y[:, right]

    def mean(powers):
        return powers.mean(dim=-1) if n == m else (powers * share.to(dtype)).sum(dim=-1)

    scale = gaps.abs().amax(dim=-1)
    for p in (1.0, 2.0, 3.5):
        powers = {1.0: torch.abs, 2.0: torch.square}.get(p, lambda values: values.abs().pow(3.5))
        assert torch.equal(wasserstein_power(x, y, p=p), mean(powers(gaps)))
        assert torch.equal(wasserstein(x, y, p=p), scale * mean(powers(gaps / scale[:, None])).pow(1 / p))
    assert torch.equal(wasserstein(x, y, p=math.inf), scale)
