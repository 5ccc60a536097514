import math

import pytest
from pydantic import ValidationError

from wassdp.accounting.guarantee import Guarantee, as_epsilon

COMPLETE = {
    "accountant": "pld",
    "kind": "upper",
    "epsilon": 1.0,
    "bounded": True,
    "delta": 1e-5,
    "adjacency": "add-remove",
    "sampling": "poisson",
    "source": "a paper",
}


def test_round_trip():
    guarantee = Guarantee(**COMPLETE)
    assert Guarantee.model_validate_json(guarantee.model_dump_json()) == guarantee
    assert guarantee.label == "upper/pld"


def test_what_was_published_as_k_end_is_read():
    assert Guarantee(**COMPLETE | {"adjacency": "k-end"}).adjacency == "replace-one-inside-class"


@pytest.mark.parametrize("missing", ["kind", "delta", "adjacency", "sampling", "source"])
def test_nothing_that_gives_the_figure_meaning_may_be_left_out(missing):
    with pytest.raises(ValidationError, match=missing):
        Guarantee(**{key: value for key, value in COMPLETE.items() if key != missing})


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": math.inf},
        {"epsilon": math.nan},
        {"epsilon": None},
        {"bounded": False},
        {"delta": 1.0},
        {"delta": -0.1},
        {"kind": "guess"},
        {"adjacency": "neighbour"},
        {"detla": 1},
    ],
)
def test_what_means_nothing_is_refused(change):
    with pytest.raises(ValidationError):
        Guarantee(**(COMPLETE | change))


def test_unbounded_is_null_in_files_and_infinite_in_comparisons():
    unbounded = Guarantee(**(COMPLETE | {"epsilon": as_epsilon(math.inf, "pld"), "bounded": False}))
    assert unbounded.value == math.inf
    assert '"epsilon":null' in unbounded.model_dump_json()


def test_a_failed_accountant_is_no_budget():
    for value, shown in ((math.nan, "nan"), (-5.0, r"-5\.0")):
        with pytest.raises(ValueError, match=rf"^accountant mine: epsilon = {shown}: must be a number of at least 0"):
            as_epsilon(value, "mine")
