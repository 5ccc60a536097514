"""What is printed of a bound never claims more than was proven."""

import math
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wassdp.accounting import rounding

finite = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
awkward = [2.0**power for power in (-1074, -1022, -3, 0, 10, 53, 1023)] + [1e-300, 1e300, 9.9999999, 0.0, 1.01927, 0.1]


def with_awkward(test):
    for value in awkward:
        test = example(value, 4)(test)
    return test


@with_awkward
@given(finite, st.integers(1, 17))
def test_an_upper_bound_never_reads_smaller_and_a_lower_one_never_larger(value, digits):
    assert float(rounding.rounded(value, "upper", digits=digits)) >= value
    assert float(rounding.rounded(value, "lower", digits=digits)) <= value


@with_awkward
@given(finite, st.integers(1, 17))
def test_a_text_is_the_nearest_of_its_length_on_its_side(value, digits):
    shortest = Decimal(repr(value))
    texts = {kind: Decimal(rounding.rounded(value, kind, digits=digits)) for kind in ("upper", "lower", "published")}
    assert texts["lower"] <= shortest <= texts["upper"]
    assert texts["published"] in (texts["lower"], texts["upper"])
    if value:
        unit = Decimal(1).scaleb(shortest.adjusted() - digits + 1)
        assert texts["upper"] - texts["lower"] <= unit
        assert len(texts["upper"].normalize().as_tuple().digits) <= digits


@given(finite)
def test_the_exact_text_reads_as_the_same_float(value):
    assert float(rounding.exact(value)) == value


@given(st.floats(min_value=0, max_value=1e300), st.integers(0, 6))
def test_fixed_decimals_keep_to_their_side(value, decimals):
    assert float(rounding.fixed(value, "upper", decimals=decimals).replace(",", "")) >= value
    assert float(rounding.fixed(value, "lower", decimals=decimals).replace(",", "")) <= value


@pytest.mark.parametrize("kind", ["upper", "lower", "published"])
def test_infinity_has_its_name_and_what_is_no_number_is_refused(kind):
    assert rounding.rounded(math.inf, kind) == "∞"
    assert rounding.rounded(math.inf, kind, infinite="unbounded") == "unbounded"
    assert rounding.rounded(0.0, kind) == "0"
    with pytest.raises(ValueError, match="must be a number"):
        rounding.rounded(math.nan, kind)
    with pytest.raises(ValueError, match="kind = 'proven'"):
        rounding.rounded(1.0, "proven")


def test_what_holds_for_all_seeds():
    assert rounding.worst([1.0, math.inf], "upper") == math.inf
    assert rounding.worst([1.0, math.inf], "published") == math.inf
    assert rounding.worst([1.0, math.inf], "lower") == 1.0
    with pytest.raises(ValueError, match="at least one"):
        rounding.worst([], "upper")
