"""A row per setting: what holds for all seeds, and what follows for the claim."""

import math

import pandas as pd
import pytest

from wassdp.ledger import judged


def rows(label, claimed=(), attacked=(), family=(), proven=(), *, delta=1e-5, claimed_delta=None, **options):
    """The ledger's rows of one setting, an item of each list for a seed."""
    kinds = {"published": claimed, "lower": attacked, "family": family, "upper": proven}
    found = [
        {
            "paper": "p",
            "experiment": "e",
            "label": label,
            "run": f"{label}{seed}",
            "seed": seed,
            "kind": "lower" if kind == "family" else kind,
            "accountant": {"published": "own", "lower": "canary", "family": "noise_family", "upper": "pld"}[kind],
            "papers_claim": kind == "published",
            "epsilon_of_one_run": value,
            "delta": (claimed_delta or delta) if kind == "published" else delta,
            "delta_times_records": 0.01,
            "adjacency": "replace-one",
            "sampling": "poisson",
            "headline": "accuracy",
            "headline_value": 0.5 + seed / 10,
            "seeds_configured": 3,
            "rests_on": "",
        }
        | options
        for kind, values in kinds.items()
        for seed, value in enumerate(values)
    ]
    return pd.DataFrame(found)


def judge(*parts, **options):
    frame = pd.concat(parts) if parts else rows("a", **options)
    return judged.settings(frame).iloc[0]


def test_of_several_seeds_counts_what_holds_for_all():
    row = judge(claimed=[2.0, 4.0], attacked=[1.0, 1.5], family=[1.8, 1.6], proven=[5.0, 6.0])
    assert (row["claimed"], row["attacked"], row["attacked_family"], row["proven"]) == (3, 1, 1.6, 6)
    assert (row["seeds_present"], row["value"]) == (2, 0.55)


def test_the_tightest_of_several_accountants_counts_on_each_side_and_the_papers_own_for_the_claim():
    parts = rows("a", claimed=[3.0], attacked=[1.0], proven=[5.0])
    others = rows("a", claimed=[1.0], attacked=[2.0], proven=[4.0], papers_claim=False)
    row = judge(parts, others.assign(accountant=others["accountant"] + "2"))
    assert (row["claimed_by"], row["attacked_by"], row["proven_by"]) == ("own", "canary2", "pld2")
    assert (row["claimed"], row["attacked"], row["proven"]) == (3, 2, 4)


@pytest.mark.parametrize(
    ("budgets", "mark", "words"),
    [
        ({"claimed": [2], "attacked": [4], "proven": [8]}, judged.CONTRADICTED, "assuming nothing: it reaches 2 times"),
        ({"claimed": [2], "family": [4], "proven": [8]}, judged.CONTRADICTED, "by a family: it reaches 2 times"),
        ({"claimed": [2], "family": [4], "proven": [None]}, judged.CONTRADICTED, "by a family"),
        ({"claimed": [2], "attacked": [1], "proven": [None]}, judged.UNBOUNDED, judged.UNBOUNDED),
        ({"claimed": [2], "attacked": [1], "proven": [8]}, judged.NOT_PROVEN, "what is, is 4 times the claim"),
        ({"claimed": [2, 9], "proven": [8, 8]}, judged.NOT_PROVEN, "4 times"),
        ({"claimed": [1.0], "proven": [1.0193]}, judged.NOT_PROVEN, "1.9 % above the claim"),
        ({"claimed": [8], "attacked": [1], "proven": [2]}, judged.HOLDS, "4 times what is proven"),
        ({"claimed": [2], "proven": [2]}, judged.HOLDS, judged.HOLDS),
        ({"claimed": [None], "proven": [2]}, judged.HOLDS, "times what is proven"),
        ({"proven": [2]}, judged.NO_CLAIM, judged.NO_CLAIM),
        ({"proven": [None]}, judged.UNBOUNDED, judged.UNBOUNDED),
        ({"claimed": [2]}, judged.NOT_PROVEN, judged.NOT_PROVEN),
    ],
)
def test_what_follows(budgets, mark, words):
    row = judge(**budgets)
    assert row["mark"] == mark
    assert words in row["verdict"]


def test_bounds_at_another_delta_judge_only_where_they_can():
    """A proven bound holds at larger δ, a measured one at smaller δ."""
    smaller, larger = {"claimed_delta": 1e-10}, {"claimed_delta": 1e-3}
    assert judge(claimed=[2], proven=[8], **smaller)["mark"] == judged.NOT_PROVEN
    assert judge(claimed=[8], proven=[2], **smaller)["mark"] == judged.OTHER_DELTA
    assert judge(claimed=[2], proven=[8], **larger)["mark"] == judged.OTHER_DELTA
    assert judge(claimed=[8], proven=[2], **larger)["mark"] == judged.HOLDS
    assert judge(claimed=[2], attacked=[4], proven=[8], **smaller)["mark"] == judged.CONTRADICTED
    assert judge(claimed=[2], attacked=[4], proven=[8], **larger)["mark"] == judged.OTHER_DELTA


def test_where_nothing_finite_is_proven_that_is_the_verdict_whatever_is_claimed():
    for claimed in ([None], [None, 2], [None, None]):
        row = judge(claimed=claimed, proven=[None] * len(claimed))
        assert (row["mark"], row["verdict"]) == (judged.UNBOUNDED, judged.UNBOUNDED)
    assert judge(claimed=[None], attacked=[3], proven=[None])["mark"] == judged.UNBOUNDED


def named(frame, accountant):
    return frame.assign(accountant=accountant)


@pytest.mark.parametrize("kind", ["attacked", "family"])
def test_an_attack_at_the_claims_delta_counts_before_a_larger_one_at_a_smaller_delta(kind):
    """A claim of ε at δ is refuted by a larger ε at δ or above, and by none below: there it says nothing."""
    name = "canary_family" if kind == "family" else "canary"
    claim, at = rows("a", claimed=[1], proven=[9]), rows("a", **{kind: [2]}, delta=1e-5)
    below = rows("a", **{kind: [3]}, delta=1e-6)
    row = judge(claim, named(below, f"small_{name}"), named(at, name))
    column = "attacked_family" if kind == "family" else "attacked"
    assert row["mark"] == judged.CONTRADICTED
    assert (row[column], row[f"{column}_by"], row[f"{column}_delta"]) == (2, name, 1e-5)
    assert "2 times" in row["verdict"]
    assert judge(claim, below)["mark"] == judged.NOT_PROVEN
    above = rows("a", **{kind: [2]}, delta=1e-3)
    assert judge(claim, named(below, f"small_{name}"), named(above, name))["mark"] == judged.CONTRADICTED
    # Where no attack can refute the claim, the largest is shown.
    assert judge(claim, named(below, f"small_{name}"), named(rows("a", **{kind: [2]}, delta=1e-7), name))[column] == 3


def test_a_proof_at_the_claims_delta_counts_before_a_smaller_one_at_a_larger_delta():
    claim = rows("a", claimed=[1])
    at, above = rows("a", proven=[5]), named(rows("a", proven=[0.5], delta=1e-2), "pure")
    row = judge(claim, at, above)
    assert (row["mark"], row["proven"], row["proven_by"]) == (judged.NOT_PROVEN, 5, "pld")
    assert "5 times" in row["verdict"]
    assert judge(claim, above)["mark"] == judged.OTHER_DELTA
    below = named(rows("a", proven=[0.9], delta=1e-7), "rdp")
    assert judge(claim, at, above, below)["mark"] == judged.HOLDS
    # A proof of nothing finite proves less than any.
    assert judge(claim, rows("a", proven=[None]), above)["proven"] == 0.5


@pytest.mark.parametrize(
    ("delta", "mark"), [(1e-3, judged.HOLDS), (1e-9, judged.OTHER_DELTA), (math.nan, judged.OTHER_DELTA)]
)
def test_each_seeds_claim_has_to_hold_at_its_own_delta(delta, mark):
    claims = rows("a", claimed=[1, 1], claimed_delta=1e-3)
    claims.loc[0, "delta"] = delta
    assert judge(claims, rows("a", proven=[0.9, 0.9], delta=1e-3))["mark"] == mark


def test_a_claim_that_one_seed_makes_at_a_smaller_delta_is_not_refuted_for_all():
    claims = rows("a", claimed=[1, 1], claimed_delta=1e-3)
    claims.loc[0, "delta"] = 1e-9
    attack = rows("a", attacked=[3, 3], proven=[9, 9])
    assert judge(claims, attack)["mark"] == judged.NOT_PROVEN
    assert judge(claims, attack.assign(delta=1e-3))["mark"] == judged.CONTRADICTED


def test_how_good_a_setting_is_is_the_mean_over_its_runs():
    """Not over its budgets, of which a run may have more than another; missing where a run lacks it."""
    attacked_once = rows("a", claimed=[2, 2], attacked=[1], family=[1], proven=[8, 8])
    assert judge(attacked_once)["value"] == pytest.approx(0.55)
    attacked_once.loc[attacked_once["seed"] == 1, "headline_value"] = None
    assert math.isnan(judge(attacked_once)["value"])


def test_controls_have_no_budget_and_verdicts_no_row():
    control = rows("c", proven=[None]).assign(kind="control", accountant="control")
    verdict = rows("v", proven=[None]).assign(kind="claim")
    found = judged.settings(pd.concat([control, verdict]))
    assert found["label"].tolist() == ["c"]
    assert found["mark"].tolist() == [judged.IS_CONTROL]
    assert math.isnan(found["proven"].iloc[0])


def test_why_nothing_was_attacked_is_said():
    assert judge(proven=[2])["not_attacked"] == judged.NOT_ATTACKED
    none = rows("a", proven=[2], family=[0.0], rests_on="no lower bound by this attack: nothing was drawn")
    assert judge(none)["not_attacked"] == "nothing was drawn"
    assert math.isnan(judge(none)["attacked_family"])
    assert judge(attacked=[1], proven=[2])["not_attacked"] == ""


def test_the_summary_counts_every_setting_once():
    found = judged.settings(pd.concat([rows("a", [2], proven=[8]), rows("b", [8], proven=[2]), rows("c", proven=[1])]))
    table = judged.summary(found)
    assert table.columns.tolist() == ["paper", "experiment", judged.NOT_PROVEN, judged.HOLDS, judged.NO_CLAIM]
    assert table.iloc[0, 2:].tolist() == [1, 1, 1]


def test_without_a_budget_there_is_nothing_to_count():
    verdicts = rows("a", proven=[1]).assign(kind=judged.CLAIM)
    assert judged.summary(judged.settings(verdicts)).empty
    assert judged.summary(judged.settings(verdicts.iloc[:0])).empty
