"""What the papers print, as it is kept."""

from __future__ import annotations

import pytest

from wassdp import claims, data
from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.claims.verdicts.dp_sliced_wasserstein_table_3 import parameters
from wassdp.generation.generators import Upsampling


@pytest.mark.parametrize("name", claims.PRINTED.names())
def test_every_file_has_records_that_say_where_they_stand(name: str) -> None:
    found = claims.load(name)
    assert found
    for record in found:
        assert record.paper
        assert record.where
        assert record.unit in ("percent", "nats", "probability", "epochs", "noise", "FID")
        assert data.descriptor(record.row)
    cells = [(record.row, record.column) for record in found]
    assert len(set(cells)) == len(cells)


def test_every_claim_has_a_line_of_mathematics() -> None:
    found = {name: claims.claim(name).formula for name in claims.names()}
    assert len(found) >= 212
    assert not [name for name, formula in found.items() if not formula or "\n" in formula]


def test_the_size_of_table_3_is_that_of_the_generator_here() -> None:
    network = Upsampling((1, 28, 28), code=10, classes=10)
    assert parameters(maps=8) == sum(each.numel() for each in network.parameters())


def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match=r"claim = 'table-2': must be one of .*wasserstein-dp-table-2"):
        claims.load("table-2")


def test_table_2_is_complete() -> None:
    found = {(record.row, record.column): record for record in claims.load("wasserstein-dp-table-2")}
    assert len(found) == 4 * 8
    for row in ("mnist", "cifar10", "svhn", "fashion_mnist"):
        assert found[row, "accuracy"].printed <= found[row, "accuracy without privacy"].printed
        for framework, delta in (("DP", 1e-5), ("BDP", 1e-10), ("WDP", 1e-10)):
            assert found[row, framework].delta == delta
            assert found[row, f"P(A) {framework}"].delta is None


def test_printed_probabilities_follow_from_printed_budgets_but_for_four() -> None:
    """To three digits, rounded or cut off: all of BDP and WDP, none of DP but CIFAR-10's (0.9997 printed as 0.999)."""
    found = {(record.row, record.column): record.printed for record in claims.load("wasserstein-dp-table-2")}
    rows = dict.fromkeys(row for row, _ in found)
    wrong = {
        (row, framework)
        for row in rows
        for framework in ("DP", "BDP", "WDP")
        if abs(attack_success(found[row, framework]) - found[row, f"P(A) {framework}"]) >= 1e-3
    }
    assert wrong == {("mnist", "DP"), ("svhn", "DP"), ("fashion_mnist", "DP")}
