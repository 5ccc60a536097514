import json

import pytest

from wassdp.pipeline.plan import Plan, PlannedRun
from wassdp.report import ledger
from wassdp.result import Result


@pytest.fixture
def frame(tree):
    runs, found = [], {}
    for seed in (0, 1):
        run = f"{seed:012x}"
        spec = {"kind": "x", "parameters": {}, "seed": seed}
        runs.append(
            PlannedRun(
                run=run, experiment="trial", paper="p", name=f"trial q=0.5 seed={seed}", kind="x", phase="train",
                seed=seed, spec=spec,
            )
        )  # fmt: skip
        found[run] = Result(
            run=run,
            spec=spec,
            guarantees=(
                tree.guarantee("published", "loose", None, source="the loose paper"),
                tree.guarantee("lower", "canary", 0.5 + seed, source="the canary paper"),
                tree.guarantee("upper", "pld", 2.0 + seed, source="the pld paper"),
            ),
            delta=1e-5,
            metrics={"accuracy": 0.9},
            history=(),
            provenance=tree.provenance(),
            accounting_code="0" * 16,
        )
    return ledger.ledger(Plan(preset="trial", runs=tuple(runs), experiments=(), excluded=()), found)


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
    planned = PlannedRun(
        run="c" * 12,
        experiment="claims",
        paper="p",
        name="claims",
        kind="claim_check",
        phase="audit",
        seed=0,
        spec=spec,
    )
    for ratio, word in ((0.5, "held in all 50 cases"), (3.0, "refuted; found / stated up to 3 in 50 cases")):
        result = Result(
            run="c" * 12,
            spec=spec,
            guarantees=(),
            delta=None,
            metrics={"claim_ratio": ratio, "claim_tried": 50, "claim_holds": float(ratio <= 1)},
            history=(),
            provenance=tree.provenance(),
            accounting_code="0" * 16,
        )
        frame = ledger.ledger(Plan(preset="trial", runs=(planned,), experiments=(), excluded=()), {"c" * 12: result})
        assert frame["kind"].tolist() == ["claim"]
        assert frame["epsilon"].isna().all()
        text = ledger.markdown(frame, preset="trial")
        assert word in text
        assert "max \\|r\\|" in text
        assert "unbounded" not in text
        assert len(json.loads(ledger.as_json(frame, preset="trial"))["rows"]) == 1


def test_one_unbounded_seed_among_bounded_ones_is_said(tree):
    runs, found = [], {}
    for seed, epsilon in enumerate((2.0, None, 3.0)):
        run = f"{seed}" * 12
        spec = {"kind": "trial", "parameters": {"q": 0.5}, "seed": seed}
        runs.append(
            PlannedRun(
                run=run, experiment="trial", paper="p", name="q=0.5", kind="trial", phase="train", seed=seed, spec=spec
            )
        )
        found[run] = Result(
            run=run,
            spec=spec,
            guarantees=(tree.guarantee("upper", "pld", epsilon, source="the pld paper"),),
            delta=1e-5,
            metrics={},
            history=(),
            provenance=tree.provenance(),
            accounting_code="0" * 16,
        )
    frame = ledger.ledger(Plan(preset="trial", runs=tuple(runs), experiments=(), excluded=()), found)
    text = ledger.markdown(frame, preset="trial")
    assert "| q=0.5 | upper | pld | unbounded (1 of 3) |" in text
