import json

import pytest

from wassdp.pipeline.plan import Plan, PlannedRun
from wassdp.report import ledger
from wassdp.result import Result


def planned_and_found(tree, seed, spec, guarantees, metrics, phase="train"):
    """A run of the plan, and its result."""
    run = f"{seed:012x}"
    planned = PlannedRun(
        run=run,
        experiment="trial",
        paper="p",
        name=f"trial q=0.5 seed={seed}",
        kind=spec["kind"],
        phase=phase,
        seed=seed,
        spec=spec,
    )
    result = Result(
        run=run,
        spec=spec,
        guarantees=guarantees,
        delta=1e-5 if guarantees else None,
        metrics=metrics,
        history=(),
        provenance=tree.provenance(),
        accounting_code="0" * 16,
    )
    return planned, result


def ledger_of(pairs):
    plan = Plan(preset="trial", runs=tuple(planned for planned, _ in pairs), experiments=(), excluded=())
    return ledger.ledger(plan, {planned.run: result for planned, result in pairs})


@pytest.fixture
def frame(tree):
    return ledger_of(
        [
            planned_and_found(
                tree,
                seed,
                {"kind": "x", "parameters": {}, "seed": seed},
                (
                    tree.guarantee("published", "loose", None, source="the loose paper"),
                    tree.guarantee("lower", "canary", 0.5 + seed, source="the canary paper"),
                    tree.guarantee("upper", "pld", 2.0 + seed, source="the pld paper"),
                ),
                {"accuracy": 0.9},
            )
            for seed in (0, 1)
        ]
    )


def test_a_row_per_run_and_budget_proven_ones_first(frame):
    assert len(frame) == 2 * 3
    assert list(frame["kind"][:3]) == ["upper", "lower", "published"]
    assert set(frame["adjacency"]) == {"add-remove"}
    assert frame["rests_on"].str.len().gt(0).all()


def test_claims_say_what_they_are(frame):
    assert list(frame["claim"][:3]) == ["ε ≤ 2 at δ = 1e-05", "ε ≥ 0.5 at δ = 1e-05", "no finite budget"]


def test_markdown_joins_seeds_and_never_hides_an_unbounded_budget(frame):
    text = ledger.markdown(frame, preset="trial")
    assert "| q=0.5 | upper | pld | 2.5 (2 to 3) | 1e-05 | add-remove | poisson | 0.9 | 2 |" in text
    assert "| q=0.5 | published | loose | unbounded |" in text
    assert "the canary paper. Batches are really Poisson sampled." in text


def test_json_is_strict_and_complete(frame):
    value = json.loads(ledger.as_json(frame, preset="trial"))
    assert len(value["rows"]) == 6
    assert [row["epsilon"] for row in value["rows"][:3]] == [2.0, 0.5, None]


def test_a_verdict_has_a_row_of_its_own_and_is_no_budget(tree):
    spec = {"kind": "claim_check", "parameters": {"claim": "tangent-theorem-3-2", "tried": 50}, "seed": 0}
    for ratio, word in ((0.5, "held in all 50 cases"), (3.0, "refuted; found / stated up to 3 in 50 cases")):
        metrics = {"claim_ratio": ratio, "claim_tried": 50, "claim_holds": float(ratio <= 1)}
        frame = ledger_of([planned_and_found(tree, 0, spec, (), metrics, phase="audit")])
        assert frame["kind"].tolist() == ["claim"]
        assert frame["epsilon"].isna().all()
        text = ledger.markdown(frame, preset="trial")
        assert word in text
        assert "max \\|r\\|" in text
        assert "unbounded" not in text
        assert len(json.loads(ledger.as_json(frame, preset="trial"))["rows"]) == 1


def test_one_unbounded_seed_among_bounded_ones_is_said(tree):
    pairs = [
        planned_and_found(
            tree,
            seed,
            {"kind": "trial", "parameters": {"q": 0.5}, "seed": seed},
            (tree.guarantee("upper", "pld", epsilon, source="the pld paper"),),
            {},
        )
        for seed, epsilon in enumerate((2.0, None, 3.0))
    ]
    text = ledger.markdown(ledger_of(pairs), preset="trial")
    assert "| q=0.5 | upper | pld | unbounded (1 of 3) |" in text
