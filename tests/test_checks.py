import math

import pytest

from wassdp import checks


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (checks.finite, [0, -1.5, 1e300], [math.nan, math.inf, "1", None, True]),
        (checks.positive, [1e-300, 2], [0, -1, math.nan, math.inf]),
        (checks.non_negative, [0, 1e9], [-1e-12, math.nan, math.inf]),
        (checks.probability, [0, 0.5, 1], [-0.1, 1.1, math.nan]),
        (checks.open_unit, [1e-300, 1 - 1e-12], [0, 1, 2, math.nan]),
        (checks.whole, [0, 7], [-1, 1.0, True, "3"]),
    ],
)
def test_accepts_exactly_what_it_says(check, good, bad):
    for value in good:
        assert check("width", value) == value
    for value in bad:
        with pytest.raises(ValueError, match=r"^width = .*: must "):
            check("width", value)


def test_choice_names_what_is_allowed():
    with pytest.raises(ValueError, match=r"^colour = 'red': must be one of blue, green$"):
        checks.one_of("colour", "red", ["green", "blue"])


def test_every_refusal_is_one_line():
    with pytest.raises(ValueError, match="batch") as caught:
        checks.whole("batch", -3, least=1)
    assert "\n" not in str(caught.value)
