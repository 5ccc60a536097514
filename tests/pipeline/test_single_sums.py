"""Which results say that their upper bounds are of exact sums."""

from __future__ import annotations

import pytest

from _tree import provenance
from wassdp.accounting.guarantee import Guarantee
from wassdp.pipeline import collect, single_sums
from wassdp.result import Result

KINDS = ("upper", "lower", "published")


def _result(
    kind: str, method: str | None = None, *, version: str | None = "0.1.0", started: str = "2026-11-25T00:00:00+00:00"
) -> Result:
    budgets = tuple(
        Guarantee(
            kind=each,
            accountant="some",
            epsilon=1.0,
            delta=1e-5,
            adjacency="add-remove",
            bounded=True,
            sampling="poisson",
            source="a test",
            assumptions=("as it was",),
        )
        for each in KINDS
    )
    parameters = {"dataset": "mnist"} | ({} if method is None else {"method": {"name": method}})
    return Result(
        run="0" * 12,
        spec={"kind": kind, "parameters": parameters},
        guarantees=budgets,
        delta=1e-5,
        metrics={},
        history=(),
        provenance=provenance().model_copy(
            update={"versions": {} if version is None else {"wassdp": version}, "started": started}
        ),
        accounting_code="0" * 64,
    )


SUMS = (
    ("classification", None),
    ("fair_learning", None),
    ("circle_matching", None),
    ("final_model", None),
    ("adaptation", "dp_dann"),
    ("adaptation", "dp_wasserstein_gradient"),
    ("generation", "output_gradient"),
    ("generation", "mean_embedding"),
)
OTHERS = (
    ("adaptation", "dp_swd"),
    ("adaptation", "published_dp_swd"),
    ("generation", "sliced"),
    ("generation", "moments"),
    ("gibbs_accuracy", None),
    ("published_classification", None),
    ("synthetic_gradients", None),
    ("sliced_noise", None),
)


@pytest.mark.parametrize(("kind", "method"), SUMS)
def test_upper_bounds_of_rounded_sums_say_so_and_no_other_figure_does(kind: str, method: str | None) -> None:
    found = {item.kind: item.assumptions for item in collect.amended(_result(kind, method)).guarantees}
    assert found["upper"] == ("as it was", single_sums.NOTE)
    assert not any(single_sums.SAID in text for name in ("lower", "published") for text in found[name])


@pytest.mark.parametrize(("kind", "method"), OTHERS)
def test_what_adds_up_nothing_or_exactly_has_no_such_note(kind: str, method: str | None) -> None:
    assert not single_sums.rounded(_result(kind, method))


@pytest.mark.parametrize(("kind", "method"), SUMS)
def test_later_versions_have_exact_sums(kind: str, method: str | None) -> None:
    assert not single_sums.rounded(_result(kind, method, version="0.2.0"))


@pytest.mark.parametrize(("kind", "method"), SUMS)
def test_a_result_that_names_no_version_is_taken_to_be_rounded(kind: str, method: str | None) -> None:
    assert single_sums.rounded(_result(kind, method, version=None))


def test_embeddings_were_summed_exactly_before_gradients_were() -> None:
    before, after = "2026-11-26T20:55:36+00:00", "2026-11-26T20:55:37+00:00"
    assert single_sums.rounded(_result("generation", "mean_embedding", started=before))
    assert not single_sums.rounded(_result("generation", "mean_embedding", started=after))
    assert single_sums.rounded(_result("generation", "output_gradient", started=after))


def test_it_is_said_once() -> None:
    once = collect.amended(_result("classification"))
    assert collect.amended(once) == once
    assert single_sums.NOTE.startswith(single_sums.SAID)
