"""Printed figures beside recomputed and measured ones: agreement to the printed digits, and what is missing is said."""

import math

import numpy as np
import pytest
import yaml

from wassdp import claims
from wassdp.claims import Entry, Recomputed
from wassdp.claims.printed.dp_sliced_wasserstein_table_4 import SETTINGS
from wassdp.claims.recomputed import BOTH_PRINTED, UNCONFIRMED

GENERATOR = np.random.default_rng(0)


def of(*entries, **more):
    fields = {"paper": "p", "item": "Table 9", "place": "there", "statement": "s", "entries": lambda: entries}
    fields["flipped_entries"] = lambda: ()
    return Recomputed(**(fields | more))


@pytest.mark.parametrize(
    ("found", "agrees"), [(0.898, True), (0.8984, True), (0.8975, True), (0.8989, True), (0.8991, False), (0.9, False)]
)
def test_a_figure_agrees_rounded_or_cut_off(found, agrees):
    assert Entry(name="x", printed=0.898, found=found, digit=0.001).agrees() == agrees


def test_relations_permit_what_they_say():
    assert Entry(name="x", printed=1.0, found=0.5, relation="at most").agrees()
    assert not Entry(name="x", printed=1.0, found=0.5, relation="at least").agrees()
    assert Entry(name="x", printed=1.0, found=0.5, relation="at least", digit=0.5).agrees()
    assert Entry(name="x", printed=math.inf, found=math.inf, digit=0.1).agrees()
    with pytest.raises(ValueError, match="x: no number was found"):
        Entry(name="x", printed=1.0, found=math.nan).agrees()


def test_one_wrong_entry_refutes_unless_inputs_are_missing():
    right, wrong = (Entry(name=str(value), printed=1.0, found=value, again=lambda: 2.0) for value in (1.0, 2.0))
    assert of(right).check(GENERATOR, 1).status == "holds here"
    refuted = of(right, wrong).check(GENERATOR, 1)
    assert refuted.status == "refuted"
    assert refuted.counterexample.verified == 2.0
    assert of(right, wrong, exceptions=1).check(GENERATOR, 1).holds
    missing = of(right, wrong, lacking="the noise").check(GENERATOR, 1)
    assert missing.status == "not reproducible from what is published"
    assert missing.figure == "1 of 2 figures are as stated; not: 2.0: stated 1, found 2. Not published: the noise"


def test_a_refutation_that_nothing_confirms_says_so():
    wrong = Entry(name="x", printed=1.0, found=2.0)
    assert of(wrong).check(GENERATOR, 1).figure.endswith(f"found 2. {UNCONFIRMED}")
    assert of(wrong, both_printed=True).check(GENERATOR, 1).figure.endswith(f"found 2. {BOTH_PRINTED}")


def test_beside_a_stated_0_the_figures_themselves_are_told():
    verdict = of(Entry(name="x", printed=0.0, found=2.0, again=lambda: 2.5)).check(GENERATOR, 1)
    assert verdict.counterexample.words == "x: stated 0, found 2: found 2, by independent code 2.5"


def test_code_that_agrees_with_the_print_is_an_error():
    with pytest.raises(ValueError, match="Table 9: x: stated 1, found 2, but by independent code 1"):
        of(Entry(name="x", printed=1.0, found=2.0, again=lambda: 1.0)).check(GENERATOR, 1)


def test_results_that_are_not_there_are_named(tmp_path):
    claim = claims.claim("wasserstein-dp-epochs").within(tmp_path)
    verdict = claim.check(GENERATOR, 1)
    assert verdict.status == "not measured here"
    assert not verdict.holds
    assert verdict.figure.startswith("no results of published-epochs of the set wasserstein-dp")


def test_other_results_are_read(tmp_path):
    """Each framework has its least budget among the trainings that reach 96 %, whatever their noise."""
    (tmp_path / "runs.csv").write_text(
        "run,name,experiment,label,privacy,seed,accuracy,epsilon/published/wasserstein_printed_delta,"
        "epsilon/published/moments,epsilon/published/bayesian_printed_delta\n"
        "a,a,published-epochs,x,σ = 1,0,0.2,1,2,3\n"  # not accurate enough to be compared
        "b,b,published-epochs,x,σ = .1,0,0.96,30,20,5\n"
        "c,c,published-epochs,x,σ = .01,0,0.96,4,inf,inf\n"
    )
    claim = claims.claim("wasserstein-dp-table-2-lower").within(tmp_path)
    assert claim.check(GENERATOR, 1).figure.startswith("2 of 2 figures are as stated")
    assert [(entry.found, entry.printed) for entry in claim.found()] == [(4.0, 20.0), (4.0, 5.0)]


def test_table_2_of_wasserstein_dp_has_three_probabilities_that_do_not_follow():
    verdict = claims.claim("wasserstein-dp-table-2-attack").check(GENERATOR, 1)
    assert verdict.figure.startswith("9 of 12 figures are as stated; not: mnist, DP: stated 0.898, found 0.9002")


def test_the_preset_calibrates_the_printed_noise(request):
    """Settings of the experiment on Table 4 are the printed ones, word for word."""
    preset = yaml.safe_load((request.config.rootpath / "workflow" / "presets" / "paper.yaml").read_text())
    (experiment,) = (item for item in preset["experiments"] if item["name"] == "printed-noise")
    rows = {row["problem"]: row for row in experiment["grid"]["setting"]}
    for setting in SETTINGS:
        row = rows[setting.problem]
        names = ("dimension", "projections", "records", "batch", "steps", "sigma", "delta")
        assert {name: row[name] for name in names} == {name: getattr(setting, name) for name in names}


@pytest.mark.parametrize("moments", [8, 30])
def test_other_code_reads_the_folder_that_the_check_reads(tmp_path, moments):
    """Budgets at two thresholds: the moments accountant's over the Wasserstein accountant's is 2, then more or less."""
    columns = ",".join(f"epsilon/published/{name}" for name in ("moments", "bayesian", "wasserstein"))
    (tmp_path / "runs.csv").write_text(
        f"run,experiment,label,parameters.clip,parameters.threshold,parameters.clip_quantile,seed,{columns}\n"
        'a,composition,"not clipped, C the 0.05 quantile of the batch\'s norms",False,,0.05,0,10,10,5\n'
        f'b,composition,"not clipped, C the 0.5 quantile of the batch\'s norms",False,,0.5,0,{moments},30,5\n'
    )
    verdict = claims.claim("wasserstein-dp-figure-2-advantage").within(tmp_path).check(GENERATOR, 1)
    assert verdict.holds == (moments == 30)
    if not verdict.holds:
        assert verdict.counterexample.words.endswith("found / stated 0.8, by independent code 0.8")
