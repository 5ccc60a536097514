"""The coverage table: references that resolve, results that are there, and a published page that is current."""

from __future__ import annotations

import dataclasses
import importlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest

from _verdicts import verdict
from wassdp import claims, config
from wassdp.claims.checking import Checked
from wassdp.claims.item import Item
from wassdp.claims.verdict import Verdict
from wassdp.files import RUNS, find_table, read_table
from wassdp.report import coverage, coverage_text, negative
from wassdp.runs import expand

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
ITEMS = [(paper, item) for paper in claims.PAPERS.names() for item in claims.PAPERS.load(paper).ITEMS]
PRESETS = [config.read(path) for path in sorted((ROOT / "workflow" / "presets").glob("*.yaml"))]
CONFIGURED = {item.name for preset in PRESETS for item in preset.experiments}


@pytest.fixture(scope="module")
def published() -> coverage.Published:
    (preset,) = (preset for preset in PRESETS if preset.preset == "paper")
    runs = Counter(run.experiment for run in expand(preset).runs)
    return coverage.Published.read(
        RESULTS, {item.name: (len(item.seeds), runs[item.name]) for item in preset.experiments}
    )


@pytest.mark.parametrize(("paper", "item"), ITEMS, ids=lambda value: getattr(value, "name", value))
def test_references_are_there(paper: str, item: Item, published: coverage.Published) -> None:
    for reference in item.code:
        module, _, name = reference.partition(":")
        found = importlib.import_module(module)
        assert not name or hasattr(found, name), reference
    for experiment in item.experiments:
        assert experiment in CONFIGURED or experiment in published.seeds, experiment


@pytest.mark.parametrize("paper", claims.PAPERS.names())
def test_items_are_named_once(paper: str) -> None:
    names = [item.name for item in claims.PAPERS.load(paper).ITEMS]
    assert len(set(names)) == len(names)


def test_a_claim_belongs_to_the_item_that_is_named_most_closely() -> None:
    claim = claims.claim("tangent-remark-2-1-c")
    checked = [Checked("x", claim, Verdict(status="refuted", figure="f", tried=1), 0.0)]
    table = coverage.frame(checked, coverage.Published({}, {}))
    assert table[table["claim"] == "x"]["item"].tolist() == ["Remark 2.1(c)"]


def test_what_has_nothing_is_named() -> None:
    names = coverage.unexplained(coverage.frame([], coverage.Published({}, {})))
    assert "tangent-dp: Theorem 3.3" in names
    assert "tangent-dp: Remark 2.1(b)" not in names  # the reason is given


def test_a_claim_of_no_known_paper_is_refused() -> None:
    """No page would show it."""
    claim = dataclasses.replace(claims.claim("tangent-theorem-3-2"), paper="tangent")
    checked = [Checked("x", claim, Verdict(status="refuted", figure="f", tried=1), 0.0)]
    with pytest.raises(ValueError, match="paper of claim x = 'tangent': did you mean tangent-dp\\? must be one of dp-"):
        coverage.frame(checked, coverage.Published({}, {}))


def test_seeds_are_counted_by_setting(tmp_path: Path) -> None:
    """An experiment one of whose settings has ten seeds is not said to have ten."""
    lines = ["experiment,label,seed", *(f"x,often,{seed}" for seed in range(10)), "x,once,0", "y,once,"]
    for name, rows in (("a", lines), ("b", [lines[0], "x,once,0", "y,once,"])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "runs.csv").write_text("\n".join(rows) + "\n")
    published = coverage.Published.read(tmp_path, {"x": (10, 20), "y": (1, 1)})
    assert (published.counted("x"), published.counted("y")) == ("1 to 10 of 10", "1 of 1")
    assert coverage.Published.read(tmp_path, {"x": (10, 30)}).counted("x") == "0 to 10 of 10"
    assert (published.counted("z"), published.sets(["x"])) == ("0", ["a", "b"])


def test_a_result_is_no_verdict() -> None:
    """What has runs but no verdict and no reason is named, and so is what is not measured."""
    rows = [
        {"paper": "p", "item": "Figure 1", "verdict": "", "missing": "", "published": "a set"},
        {"paper": "p", "item": "Figure 2", "verdict": "not measured here", "missing": "", "published": "a set"},
        {"paper": "p", "item": "Figure 2", "verdict": "refuted", "missing": "", "published": "a set"},
        {"paper": "p", "item": "Figure 3", "verdict": "not measured here", "missing": "", "published": ""},
        {"paper": "p", "item": "Figure 4", "verdict": "", "missing": "no data here", "published": ""},
    ]
    assert coverage.unexplained(pd.DataFrame(rows)) == ["p: Figure 1", "p: Figure 3"]


def test_every_item_of_the_published_table_has_a_verdict_or_a_reason() -> None:
    kept = pd.read_csv(ROOT / "docs" / "coverage.csv", dtype=str, keep_default_na=False)
    assert coverage.unexplained(kept) == []


def test_every_claim_about_results_finds_them() -> None:
    """Where an experiment is called otherwise, claims about it would say *not measured here*, and no more."""
    page = (ROOT / "docs" / "coverage.md").read_text()
    assert "**holds here**" in page
    assert "**not measured here**" not in page


def test_the_published_table_is_current(published: coverage.Published) -> None:
    """All but figures of searches, which depend on the number of cases: `wassdp coverage` makes it anew."""
    table = coverage.frame([verdict(name) for name in claims.names()], published)
    kept = pd.read_csv(ROOT / "docs" / "coverage.csv", dtype=str, keep_default_na=False)
    shown = [name for name in coverage.COLUMNS if name not in coverage.SEARCHED]
    pd.testing.assert_frame_equal(table[shown], kept[shown])
    assert coverage.unexplained(table) == []


def test_the_page_has_every_item_and_every_claim() -> None:
    kept = pd.read_csv(ROOT / "docs" / "coverage.csv", dtype=str, keep_default_na=False)
    page = (ROOT / "docs" / "coverage.md").read_text()
    assert page == coverage_text.markdown(kept, negative.sentences(RESULTS))
    for name in claims.names():
        assert f"| `{name}` |" in page


def test_negative_results_are_read_from_published_sets(tmp_path: Path) -> None:
    found = negative.sentences(RESULTS)
    assert any("source alone" in text for text in found)
    assert any("its noise alone" in text for text in found)
    assert len(found) == 4
    assert negative.sentences(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("dp-sliced-wasserstein", "source only, dropout in 1 epoch"),
        ("dp-sliced-wasserstein", "DP-DANN, σ = 17"),
        ("dp-sliced-wasserstein", "DP-DANN, learning rate 0.0001, ε = 1"),
        ("equal-budgets", "Wasserstein gradient, private encoder, noise alone, that of ε = 3"),
        ("equal-budgets", "DP-DANN, ε = 3"),
    ],
)
def test_a_negative_result_is_not_lost_where_a_label_is_another(tmp_path: Path, name: str, label: str) -> None:
    for each in ("dp-sliced-wasserstein", "equal-budgets"):
        (tmp_path / each).mkdir()
        text = read_table(find_table(RESULTS / each, RUNS))
        (tmp_path / each / "runs.csv").write_text(text.replace(label, "renamed") if each == name else text)
    with pytest.raises(ValueError, match=f"label = '{label}': is of no run of adaptation-.* in {name}"):
        negative.sentences(tmp_path)


def test_a_negative_result_names_the_largest_proven_budget_of_its_seeds(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(
        "experiment,label,seed,accuracy,epsilon/upper/pld\n"
        'adaptation-mnist-usps,"DP-DANN, σ = 17",0,0.9,0.3\n'
        'adaptation-mnist-usps,"DP-DANN, σ = 17",1,0.9,0.5\n'
        'adaptation-mnist-usps,"DP-DANN, learning rate 0.0001, ε = 1",0,0.8,0.9\n'
        'adaptation-mnist-usps,"DP-DANN, learning rate 0.0001, ε = 10",0,0.7,9.9\n'
        'adaptation-mnist-usps,"DP-DANN, learning rate 0.001, ε = 1",0,0.6,0.9\n'
        'adaptation-mnist-usps,"DP-DANN, learning rate 0.001, ε = 10",0,0.3,9.9\n'
        'adaptation-mnist-usps,"source only, dropout in 1 epoch",0,0.95,\n'
    )
    (text,) = negative.sentences(tmp_path)
    assert "90.0 % with σ = 17 (mean of 2 seeds), a proven ε of 0.5; at" in text
    assert "80.0 % at ε = 1 (seed 0) and 70.0 % at ε = 10 (seed 0); at .001" in text
    assert "60.0 % and 30.0 %, mistuned" in text
    assert text.endswith("seed 0: 95.0 %, and nothing of the target is used.")


def accuracies(folder: Path, experiment: str, settings: Mapping[str, Sequence[float]], **columns: str) -> list[str]:
    """Sentences on these accuracies, of seeds 0, 1, ..."""
    names = ["experiment", "label", "seed", "accuracy", *columns]
    lines = [
        ",".join([experiment, f'"{label}"', str(seed), str(accuracy), *columns.values()])
        for label, values in settings.items()
        for seed, accuracy in enumerate(values)
    ]
    (folder / "runs.csv").write_text("\n".join([",".join(names), *lines]), encoding="utf-8")
    return negative.sentences(folder)


def digits(folder: Path, private: Sequence[float], alone: Sequence[float]) -> str:
    settings = {"DP-SWD, as published, σ = 4.74": private, "source only, dropout in 1 epoch": alone}
    (text,) = accuracies(folder, "adaptation-usps-mnist", settings)
    return text


def test_a_negative_result_is_of_all_seeds_that_both_settings_have(tmp_path: Path) -> None:
    text = digits(tmp_path, [0.80, 0.90, 0.85], [0.87, 0.85, 0.89, 0.10])
    assert "usps to mnist, mean of 3 seeds: 85.0 % (80.0 to 90.0); " in text
    assert "in one epoch, mean of 3 seeds: 87.0 % (85.0 to 89.0). The two cannot be told apart: " in text
    # Differences are -7, 5 and -4 points: their deviation, 6.245, times Student's quantile, 4.303, over √3.
    assert "the difference is -2.0 ± 15.5 points (95 %, Student's, seed by seed)." in text


def test_what_can_be_told_apart_is_said_to_be(tmp_path: Path) -> None:
    text = digits(tmp_path, [0.80, 0.81, 0.80], [0.90, 0.90, 0.90])
    assert "The two can be told apart: the difference is -9.7 ± 1.4 points" in text
    text = digits(tmp_path, [0.80], [0.90, 0.90])
    assert "seed 0: 80.0 %; " in text
    assert text.endswith("seed 0: 90.0 %. One seed cannot tell the two apart.")


def test_settings_without_a_seed_in_common_are_refused(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(
        "experiment,label,seed,accuracy\n"
        'adaptation-usps-mnist,"DP-SWD, as published, σ = 4.74",0,0.8\n'
        'adaptation-usps-mnist,"source only, dropout in 1 epoch",1,0.9\n'
    )
    with pytest.raises(ValueError, match=r"seeds: source only, .* and DP-SWD, as published, .* have none in common"):
        negative.sentences(tmp_path)


def test_noise_of_a_larger_budget_is_not_counted_with_that_of_its_first_digit(tmp_path: Path) -> None:
    gradient = "Wasserstein gradient, private encoder"
    settings = {
        f"{gradient}, {kind}ε = {budget}": [value]
        for kind, values in (("", (0.1, 0.2, 0.3)), ("noise alone, that of ", (0.4, 0.5, 0.6)))
        for budget, value in zip((1, 3, 10), values, strict=True)
    }
    (text,) = accuracies(tmp_path, "adaptation-gradient-usps-mnist", settings)
    assert "10.0 %, 20.0 %, 30.0 %; its noise alone: 40.0 %, 50.0 %, 60.0 %." in text


def test_dp_dann_has_its_shorter_trainings_beside_it() -> None:
    (text,) = (text for text in negative.sentences(RESULTS) if text.startswith("DP-DANN"))
    runs = pd.read_csv(find_table(RESULTS / "equal-budgets", RUNS), dtype=str)
    own = runs[(runs["experiment"] == "adaptation-gradient-mnist-usps") & (runs["method"] == "DP-DANN")]
    means = [100 * own.loc[own["privacy"] == f"ε = {budget}", "accuracy"].astype(float).mean() for budget in (1, 3, 10)]
    assert f"{', '.join(f'{value:.1f} %' for value in means)} at ε = 1, 3, 10 (mean of 3 seeds" in text
