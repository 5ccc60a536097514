"""Words of statements and verdicts are fair: forms are named, what holds where is said beside what does not."""

from __future__ import annotations

import collections
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from wassdp import claims
from wassdp.accounting.formulas.sliced_tails import bernstein
from wassdp.claims import fair_limits, moved_gradients
from wassdp.claims.printed.dp_sliced_wasserstein_table_4 import SETTINGS
from wassdp.claims.steps_of_releases import budget, plain_budget
from wassdp.claims.tails import Tail

NAMES = claims.names()


def verdict(name: str) -> claims.Verdict:
    claim = claims.claim(name)
    return claim.check(np.random.default_rng(0), claim.few)


def test_no_two_rows_of_a_paper_state_the_same_in_the_same_words() -> None:
    stated = collections.Counter((claims.claim(name).paper, claims.claim(name).statement) for name in NAMES)
    assert [words for words, count in stated.items() if count > 1] == []


@pytest.mark.parametrize("name", [name for name in NAMES if claims.claim(name).note])
def test_a_note_is_part_of_what_was_found(name: str) -> None:
    claim = claims.claim(name)
    assert claim.note == claim.note.strip().removesuffix(".")
    assert "\n" not in claim.note
    assert len(claim.note) <= 250
    assert verdict(name).figure.count(claim.note) == 1


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("dp-wasserstein-gradients-limit", "Poisson"),
        ("dp-wasserstein-gradients-limit-uniform", "fixed size"),
        ("dp-wasserstein-gradients-section-5-3", "Poisson form"),
        ("dp-wasserstein-gradients-section-5-3-uniform", "uniform form"),
        ("dp-wasserstein-gradients-appendix-b-budgets", "Poisson form"),
    ],
)
def test_each_statement_on_a_limit_names_its_form(name: str, form: str) -> None:
    assert form in claims.claim(name).statement


def test_at_every_noise_the_uniform_limit_is_enough_and_the_poisson_one_is_not() -> None:
    poisson, uniform = (verdict(f"dp-wasserstein-gradients-limit{end}") for end in ("", "-uniform"))
    assert uniform.figure.startswith("6 of 6 figures are as stated")
    assert poisson.status == "refuted"
    assert poisson.figure.startswith("0 of 6 figures are as stated")
    assert "uniform limit 11.86" in poisson.figure
    assert set(fair_limits.LIMITS) == {"gdp", "gdp_uniform"}


@pytest.mark.parametrize("end", ["", "-uniform"])
def test_a_limit_and_what_is_proven_beside_it_take_the_same_sensitivity(end: str) -> None:
    """That the same runs have a smaller budget by a smaller sensitivity is said where it is so."""
    claim = claims.claim(f"dp-wasserstein-gradients-limit{end}")
    assert isinstance(claim, claims.Measured)
    assert "both by the paper's sensitivity" in claim.statement
    own = {"name": "x", "label": "α = 0", "privacy": "ε = 10", "noise_multiplier": "2.4", "epsilon/upper/pld": "11.2"}
    limits = {"epsilon/published/gdp": "10", "epsilon/published/gdp_uniform": "11.9"}
    smaller = {
        "label": "α = 0.75",
        "noise_multiplier": "2.5",
        "epsilon/upper/pld": "5.0819",
        "epsilon/upper/pld_published_sensitivity": "11.1",
    }
    runs = [own | limits, own | limits | smaller]
    first, second = claim.entries({name: runs if name == "fair-odds" else [] for name in fair_limits.NAMES})
    assert (first.found, second.found) == (11.2, 11.1)
    assert "sensitivity 5.082)" in second.name
    assert "smaller" not in first.name
    assert (first.name.count("σ = 2.4 "), second.name.count("σ = 2.5 ")) == (1, 1)


def test_the_first_page_says_which_form_the_paper_refers_to() -> None:
    claim = claims.foremost_claims()["dp-wasserstein-gradients-limit"]
    assert "in the limit regime of Section 5.2 of (Dong et al., 2019)" in claim.words
    assert "[...]" not in claim.words
    assert not re.search(r"does not\s+say which form", claim.finding)
    (finding, *_) = claims.found_in("dp-wasserstein-gradients")
    assert "for Poisson samples" in finding.text
    assert "of a fixed size" in finding.text


def test_table_2_s_order_is_judged_at_each_framework_s_own_noise() -> None:
    claim = claims.claim("wasserstein-dp-table-2-lower")
    assert isinstance(claim, claims.Measured)
    entries = claim.found()
    assert len(entries) == 6
    assert all("WDP at σ = 0.0001" in entry.name for entry in entries)
    assert sum("BDP at σ = 0.1" in entry.name for entry in entries) == 3
    assert claim.lacking.startswith("the noise")
    assert verdict("wasserstein-dp-table-2-lower").status != "refuted"


@pytest.mark.parametrize("name", ["lowest", "lowest-at-any-order"])
def test_figure_2_has_no_clipped_gradients_and_thresholds_of_the_batch_alone(name: str) -> None:
    """Four quantiles, three seeds, two other accountants."""
    claim = claims.claim(f"wasserstein-dp-figure-2-{name}")
    assert isinstance(claim, claims.Measured)
    assert len(claim.found()) == 24


@pytest.mark.parametrize("name", ["wasserstein-dp-attack", "wasserstein-dp-attack-repaired"])
def test_a_bound_on_success_says_that_both_data_sets_are_equally_likely(name: str) -> None:
    assert "both data sets with probability 1/2" in claims.claim(name).formula


def test_a_loss_of_1_for_sure_is_within_a_budget_of_1_and_reaches_it() -> None:
    printed, read = (claims.claim(f"wasserstein-dp-definition-5{end}") for end in ("-as-printed", ""))
    assert isinstance(printed, claims.Inequality)
    sure = Tail(np.array([[1.0]]), np.array([1.0]), 1.0, 1.0)
    assert printed.ratio(sure) == printed.verified(sure) == pytest.approx(100)
    assert printed.corrupted(sure) == 0
    assert verdict("wasserstein-dp-definition-5-as-printed").status == "refuted"
    assert read.repairs == "wasserstein-dp-definition-5-as-printed"
    assert verdict("wasserstein-dp-definition-5").status == "repaired"


@pytest.mark.parametrize("name", ["clt-bound", "clt-bound-mnist"])
def test_the_clt_bound_s_row_has_the_paper_s_own_caution(name: str) -> None:
    assert "'is not rigorous due to the CLT approximation'" in claims.claim(f"dp-sliced-wasserstein-{name}").note


def test_bernstein_is_the_tighter_one_at_the_settings_of_table_4() -> None:
    ratios = []
    for row in SETTINGS:
        hoeffding = row.projections / row.dimension + math.sqrt(row.projections * math.log(1 / row.delta) / 2)
        ratios.append(bernstein(row.projections, row.dimension, row.delta) / hoeffding)
    note = claims.claim("dp-sliced-wasserstein-lemma-2-hoeffding").note
    assert f"{min(ratios):.2f} to {max(ratios):.2f}".replace("0.", ".") in note


def test_a_share_of_delta_in_each_step_is_an_effect_and_no_claim() -> None:
    rows = [row for row in SETTINGS if not row.problem.endswith("(c)")]
    effects = [budget(row, bernstein, row.steps) / budget(row, bernstein, 1) for row in rows]
    plain = [plain_budget(row, math.log(row.steps)) / plain_budget(row, 0.0) for row in rows]
    assert plain == pytest.approx(effects, rel=1e-6)
    note = claims.claim("dp-sliced-wasserstein-proposition-2-steps").note
    assert f"{min(effects):.3g} to {max(effects):.3g} times" in note
    assert "dp-sliced-wasserstein-proposition-2-union" not in NAMES


def test_table_1_s_order_is_said_to_hold_at_the_scales_of_figure_1() -> None:
    assert "wasserstein-dp-figure-1-order" in claims.claim("wasserstein-dp-table-1-order").note
    assert verdict("wasserstein-dp-figure-1-order").holds


def test_figure_3_names_its_method_and_compares_the_same_seeds() -> None:
    claim = claims.claim("dp-sliced-wasserstein-figure-3")
    assert isinstance(claim, claims.Measured)
    assert "accounted in full" in claim.statement
    rows = {
        f"adaptation-budget-{task}": [
            {"name": "x", "label": f"DP-SWD, accounted in full, ε = {epsilon}", "seed": seed, "accuracy": accuracy}
            for epsilon, seed, accuracy in ((3, "0", "0.9"), (10, "0", "0.91"), (10, "1", "0.1"))
        ]
        for task in ("usps-mnist", "mnist-usps")
    }
    assert [(entry.found, entry.printed) for entry in claim.entries(rows)] == [(0.9, 0.91)] * 2
    assert all("1 of the same seeds" in entry.name for entry in claim.entries(rows))


def test_figure_3_says_how_many_seeds_it_compares_where_no_entry_is_named(tmp_path: Path) -> None:
    lines = [
        f'adaptation-budget-{task},"DP-SWD, accounted in full, ε = {epsilon}",{seed},0.9'
        for task, seeds in (("usps-mnist", range(3)), ("mnist-usps", range(1)))
        for epsilon in (3, 10)
        for seed in seeds
    ]
    (tmp_path / "runs.csv").write_text("\n".join(["experiment,label,seed,accuracy", *lines]), encoding="utf-8")
    claim = claims.claim("dp-sliced-wasserstein-figure-3")
    assert isinstance(claim, claims.Measured)
    found = claim.within(tmp_path).check(np.random.default_rng(0), 1)
    assert found.holds
    assert found.figure.endswith("the seeds that both budgets have: 3 of usps-mnist, 1 of mnist-usps")


def adapted(*, public: tuple[float, ...], private: tuple[float, ...]) -> dict[str, list[dict[str, str]]]:
    runs = [
        {"name": label, "label": label, "seed": str(seed), "accuracy": str(value)}
        for label, values in (("SWD", public), ("DP-SWD, as published, σ = 5", private))
        for seed, value in enumerate(values)
    ]
    return {f"adaptation-{task}": runs for task in ("mnist-usps", "usps-mnist")}


@pytest.mark.parametrize(
    ("private", "status"),
    [
        ((0.97, 0.96, 0.98), "holds here"),
        ((0.95, 0.96, 0.95), "not decided by these seeds"),
        ((0.90, 0.91, 0.90), "refuted"),
    ],
)
def test_a_loss_that_the_seeds_alone_may_make_is_none(private: tuple[float, ...], status: str) -> None:
    claim = claims.claim("dp-sliced-wasserstein-no-loss")
    assert isinstance(claim, claims.Measured)
    entries = claim.entries(adapted(public=(0.97, 0.96, 0.97), private=private))
    assert claim.judged(entries).status == status
    interval = stats.ttest_rel(private, (0.97, 0.96, 0.97)).confidence_interval(0.95)
    assert entries[0].spread == pytest.approx((interval.high - interval.low) / 2)
    assert all("3 of the same seeds each" in entry.name for entry in entries)


def test_a_training_that_clips_mean_gradients_is_not_said_to_clip_examples() -> None:
    """What the authors' published code does."""
    assert "clips the mean gradient of each batch" in claims.claim("wasserstein-dp-table-2-by-proof").statement


def test_epochs_to_an_accuracy_are_judged_by_the_mean_over_seeds(tmp_path: Path) -> None:
    lines = [
        f'published-epochs,"model_a, σ = {noise}",{seed},{epochs},{accuracy}'
        for noise, epochs in (("3.1", 110), ("0.1", 60), ("0.01", 25))
        for seed, accuracy in enumerate((0.97, 0.95, 0.93))
    ]
    header = "experiment,label,seed,parameters.epochs,accuracy"
    (tmp_path / "runs.csv").write_text("\n".join([header, *lines]), encoding="utf-8")
    claim = claims.claim("wasserstein-dp-epochs")
    assert isinstance(claim, claims.Measured)
    entries = claim.within(tmp_path).found()
    assert [entry.found for entry in entries] == pytest.approx([95.0] * 3)
    assert all("epochs, mean of 3 seeds, printed after" in entry.name for entry in entries)


def test_a_sensitivity_s_tightness_is_confirmed_by_gradients() -> None:
    """A gradient that moved twice as far would make the same constant tight."""
    claim = claims.claim("dp-wasserstein-gradients-tight-sensitivity")
    assert isinstance(claim, claims.Inequality)
    generator = np.random.default_rng(0)
    for case in (claim.draw(generator) for _ in range(5)):
        assert claim.verified(case) == pytest.approx(claim.ratio(case), rel=1e-9)


def test_the_confirmation_of_tightness_computes_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = claims.claim("dp-wasserstein-gradients-tight-sensitivity")
    assert isinstance(claim, claims.Inequality)
    case = claim.draw(np.random.default_rng(0))
    once, plain = claim.verified(case), moved_gradients.plain_gradient
    monkeypatch.setattr(moved_gradients, "plain_gradient", lambda *given: 2 * plain(*given))
    assert claim.verified(case) == pytest.approx(once / 2)
