import json

import pytest

from wassdp.fairness.neighbours import groups_are_public
from wassdp.ledger import files as ledger_files
from wassdp.ledger import rows
from wassdp.ledger import text as ledger_text
from wassdp.pipeline import collect, single_sums
from wassdp.pipeline.plan import Plan, PlannedExperiment, PlannedRemark, PlannedRun, relabelled
from wassdp.result import Result
from wassdp.selection import READ


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


def plan_of(pairs, **options):
    """A plan of these runs; with options, of an experiment that has them."""
    experiment = PlannedExperiment(
        name="trial", paper="p", kind="x", accountants=("pld",), figures=(), tables=(), **options
    )
    runs = tuple(planned for planned, _ in pairs)
    return Plan(preset="trial", runs=runs, experiments=(experiment,) if options else (), excluded=())


def ledger_of(pairs, **options):
    plan = plan_of(pairs, **options)
    return rows.ledger(plan, {planned.run: result for planned, result in pairs})


def rows_of(value):
    """The rows of a ledger in JSON, each by the names of its columns, with its texts."""
    rows = [dict(zip(value["columns"], row, strict=True)) for row in value["rows"]]
    return [row | {name: texts[row[name]] for name, texts in value["texts"].items()} for row in rows]


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
    assert list(frame["claim"][:3]) == [
        "ε ≤ 2 at δ = 1e-05, one run",
        "ε ≥ 0.5 at δ = 1e-05, one run",
        "no finite budget",
    ]


def test_markdown_joins_seeds_and_never_hides_an_unbounded_budget(frame):
    text = ledger_text.markdown(frame, preset="trial")
    assert "Claimed by `loose`; proven by `pld`; δ = 1e-05; add/remove one record; Poisson sampling." in text
    assert "| q=0.5 | unbounded | 0.5 | 3 | 0.9 | 2 of ? | holds:" in text
    assert "the canary paper. Batches are really Poisson sampled." in text


def several(tree, accountants, **options):
    """The ledger of one run with these budgets: kind, accountant, ε and δ."""
    budgets = [
        tree.guarantee(kind, name, epsilon, source=f"the {name} paper").model_copy(update={"delta": delta})
        for kind, name, epsilon, delta in accountants
    ]
    spec = {"kind": "x", "parameters": {}, "seed": 0}
    return ledger_of([planned_and_found(tree, 0, spec, tuple(budgets), {"accuracy": 0.9})], **options)


BUDGETS = (
    ("published", "moments", 9.0, 1e-5),
    ("published", "own", 1.0, 1e-5),
    ("published", "own_printed_delta", 1.5, 1e-10),
    ("upper", "pld", 4.0, 1e-5),
    ("upper", "rdp", 5.0, 1e-5),
)


def test_the_papers_claim_is_the_one_that_the_configuration_names_and_the_others_are_folded(tree):
    assert several(tree, BUDGETS).query("papers_claim == True")["accountant"].tolist() == ["moments"]
    frame = several(tree, BUDGETS, claim="own")
    assert frame.query("papers_claim == True")["accountant"].tolist() == ["own"]
    text = ledger_text.markdown(frame, preset="trial")
    shown, folded = text.split("<details>", 1)
    assert "| q=0.5 | 1 | – | 4 | 0.9 | 1 of ? | **not proven: what is, is 4 times the claim** |" in shown
    assert "own_printed_delta" not in shown
    assert (
        "| upper/pld | upper/rdp | published/moments | published/own | published/own_printed_delta, δ = 1e-10 |"
        in folded
    )
    assert "| q=0.5 | 4 | 5 | 9 | 1 | 1.5 |" in folded
    assert folded.count("<details>") + 1 == folded.count("</details>") == 2


def test_what_differs_between_settings_is_a_column(tree):
    pairs = [
        planned_and_found(
            tree,
            place,
            {"kind": "x", "parameters": {}, "seed": place},
            (tree.guarantee("upper", "pld", 1.0).model_copy(update={"delta": delta}),),
            {},
        )
        for place, delta in enumerate((1e-5, 1e-6))
    ]
    pairs = [(planned.model_copy(update={"label": f"s{planned.seed}"}), result) for planned, result in pairs]
    text = ledger_text.markdown(ledger_of(pairs), preset="trial")
    assert "| setting | claimed ε | attacked ε | proven ε | δ | accuracy | seeds | verdict |" in text
    assert "| s0 | – | – | 1 | 1e-05 | – |" in text
    assert "| s1 | – | – | 1 | 1e-06 | – |" in text


def test_json_is_strict_and_complete(frame):
    value = json.loads(rows.as_json(frame, preset="trial"))
    assert value["columns"] == list(rows.COLUMNS)
    assert len(value["rows"]) == 6
    assert [row["epsilon_of_one_run"] for row in rows_of(value)[:3]] == [2.0, 0.5, None]
    known = frame.astype(object).where(frame.notna(), None)
    assert rows_of(value) == known.to_dict(orient="records")


def test_a_verdict_has_a_row_of_its_own_and_is_no_budget(tree):
    spec = {"kind": "claim_check", "parameters": {"claim": "tangent-theorem-3-2", "tried": 50}, "seed": 0}
    for ratio, word in (
        (0.5, "holds here: largest found / stated 0.5 in 50 cases"),
        (3.0, "refuted: largest found / stated 3 in 50 cases"),
    ):
        metrics = {"claim_ratio": ratio, "claim_tried": 50, "claim_holds": float(ratio <= 1)}
        frame = ledger_of([planned_and_found(tree, 0, spec, (), metrics, phase="audit")])
        assert frame["kind"].tolist() == ["claim"]
        assert frame["epsilon_of_one_run"].isna().all()
        text = ledger_text.markdown(frame, preset="trial")
        assert word in text
        assert "max \\|r(w, x)\\|" in text
        assert "unbounded" not in text
        assert len(json.loads(rows.as_json(frame, preset="trial"))["rows"]) == 1


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
    text = ledger_text.markdown(ledger_of(pairs), preset="trial")
    assert "| q=0.5 | – | – | unbounded (1 of 3) | – | 3 of ? | **no finite ε is proven** |" in text


def private_runs(tree, *, seeds=(0, 1), metrics=None, spec=None, epsilon=1.01927, notes=None):
    guarantee = tree.guarantee("upper", "pld", epsilon, source="the pld paper")
    if notes:
        guarantee = guarantee.model_copy(update={"assumptions": notes})
    return [
        planned_and_found(
            tree,
            seed,
            {"kind": "x", "parameters": {}, "seed": seed} | (spec or {}),
            (guarantee,),
            {"accuracy": 0.9} | (metrics or {}),
        )
        for seed in seeds
    ]


def test_a_kind_without_accuracy_shows_its_headline(tree):
    pairs = private_runs(tree, metrics={"accuracy_mlp": 0.75})
    frame = ledger_of(pairs, headline="accuracy_mlp")
    assert frame["accuracy"].tolist() == [0.9, 0.9]
    assert frame[["headline", "headline_value"]].to_numpy().tolist() == [["accuracy_mlp", 0.75]] * 2
    text = ledger_text.markdown(frame, preset="trial")
    assert "| proven ε | accuracy (MLP) | seeds |" in text
    assert "| 0.75 | 2 of ? |" in text
    assert "| proven ε | accuracy | seeds |" in ledger_text.markdown(ledger_of(pairs), preset="trial")


def test_headlines_come_from_the_kind_also_in_plans_that_are_older(tree):
    older = plan_of(private_runs(tree), headline=None, search="none")
    (experiment,) = older.experiments
    for kind, headline in (("generation", "accuracy_mlp"), ("tail_bound", None), ("gone", None)):
        plan = older.model_copy(update={"runs": (), "experiments": (experiment.model_copy(update={"kind": kind}),)})
        assert relabelled(plan).experiments[0].headline == headline


def everything(pairs, folder, **options):
    """The ledger's three files as texts, by suffix."""
    ledger_files.write(folder, plan_of(pairs, **options), {planned.run: result for planned, result in pairs})
    return {suffix: (folder / f"ledger.{suffix}").read_text() for suffix in ("md", "csv", "json")}


def test_a_bound_is_never_shown_below_what_was_proven(tree):
    frame = ledger_of(private_runs(tree))
    assert set(frame["claim"]) == {"ε ≤ 1.02 at δ = 1e-05, one run"}
    assert "| 1.02 |" in ledger_text.markdown(frame, preset="trial")


def test_a_row_says_that_it_is_one_runs_budget(tree, tmp_path):
    for text in everything(private_runs(tree), tmp_path).values():
        assert "one run" in text or "epsilon_of_one_run" in text
    assert "Runs that read the same records compose" in (tmp_path / "ledger.md").read_text()
    assert "compose" in json.loads((tmp_path / "ledger.json").read_text())["covers"]


def test_delta_times_records_is_there_and_marked_where_it_is_large(tree, tmp_path):
    few, many = {"records": 958.0}, {"records": 20_000.0}
    assert "; δ × records 0.0096;" in everything(private_runs(tree, metrics=few), tmp_path)["md"]
    texts = everything(private_runs(tree, metrics=many), tmp_path)
    assert "; δ × records **0.2, above 0.1**;" in texts["md"]
    assert all("above 0.1" in texts[suffix] for suffix in ("csv", "json"))
    assert rows_of(json.loads(texts["json"]))[0]["delta_times_records"] == 0.2


def test_search_and_remarks_reach_every_file(tree, tmp_path):
    remark = PlannedRemark(text="a mistuned baseline", where={"method.name": "dp_dann"})
    pairs = private_runs(tree, spec={"parameters": {"method": {"name": "dp_dann"}}})
    texts = everything(pairs, tmp_path, search="about forty trials", remarks=(remark,))
    assert all("about forty trials" in text for text in texts.values())
    assert all("mistuned baseline" in text.lower() for text in texts.values())
    others = everything(private_runs(tree), tmp_path, search="none", remarks=(remark,))
    assert not any("mistuned" in text for text in others.values())
    assert "Search: none." in others["md"]
    assert all("not recorded" in text for text in everything(private_runs(tree), tmp_path).values())


def test_what_settings_were_chosen_by_is_marked_where_test_accuracies_were_read(tree, tmp_path):
    texts = everything(private_runs(tree), tmp_path, search="about forty trials", selection=READ)
    assert f"about forty trials. Settings chosen by: **{READ}**." in texts["md"]
    assert all(READ in text for text in texts.values())
    texts = everything(private_runs(tree), tmp_path, search="as below", selection="validation, 8 trials")
    assert "Settings chosen by: validation, 8 trials." in texts["md"]
    assert {row["selection"] for row in rows_of(json.loads(texts["json"]))} == {"validation, 8 trials"}


def test_seeds_are_those_with_results_of_those_configured_and_a_cut_plan_says_so(tree, tmp_path):
    texts = everything(private_runs(tree), tmp_path, seeds=(0, 1, 2), configured_runs=9)
    assert "| 2 of 3 |" in texts["md"]
    assert all("2 of 9 configured runs" in text for text in texts.values())
    whole = everything(private_runs(tree), tmp_path, seeds=(0, 1), configured_runs=2)
    assert "| 2 of 2 |" in whole["md"]
    assert not any("configured runs" in text.lower() for text in whole.values())


def test_a_control_shows_no_budget_even_where_its_result_holds_one(tree, tmp_path):
    pairs = private_runs(tree, spec={"parameters": {"method": {"name": "m", "control": True}}})
    texts = everything(pairs, tmp_path)
    assert all("nothing" in text and "of the private side" in text for text in texts.values())
    assert not any("1.01" in text or "1.02" in text for text in texts.values())


def test_old_runs_of_fair_learning_name_the_group_inside_which_a_record_is_replaced(tree, tmp_path):
    odds = {"sensitive": "race", "penalty": "equality_of_odds", "privacy": {"epsilon": 10.0}}
    said = groups_are_public("race", and_label=True)
    texts = everything(private_runs(tree, spec={"kind": "fair_learning", "parameters": odds}), tmp_path)
    assert all(said in text for text in texts.values())
    assert not any(
        said in text for text in everything(private_runs(tree, spec={"parameters": odds}), tmp_path).values()
    )
    once = ledger_of(private_runs(tree, spec={"kind": "fair_learning", "parameters": odds}, notes=(said,)))
    assert set(once["rests_on"]) == {f"{said}; {single_sums.NOTE}"}


def test_old_runs_under_the_published_sensitivity_say_so(tree, tmp_path):
    published = {"parameters": {"privacy": {"epsilon": 10.0, "bound": "published"}}}
    assert all("sensitivity" in text for text in everything(private_runs(tree, spec=published), tmp_path).values())
    noted = private_runs(tree, spec=published, notes=("sensitivity 2: this project's tight bound",))
    assert not any(collect.ONE_SENSITIVITY in text for text in everything(noted, tmp_path).values())


def test_a_remark_on_all_stands_on_top_of_every_file(tree, tmp_path):
    pairs = private_runs(tree)
    found = {planned.run: result for planned, result in pairs}
    ledger_files.write(tmp_path, plan_of(pairs), found, remarks=dict.fromkeys(found, "drawn in float32"))
    assert (tmp_path / "ledger.md").read_text().splitlines()[2] == "**drawn in float32**"
    assert json.loads((tmp_path / "ledger.json").read_text())["remark"] == "drawn in float32"
    assert all("drawn in float32" in line for line in (tmp_path / "ledger.csv").read_text().splitlines()[1:])
