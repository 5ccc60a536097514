import math
import shutil
import threading
import time

import pytest
from filelock import FileLock

from _digits_run import DIGITS
from _tree import provenance
from wassdp import noise
from wassdp.accounting.accountant import load
from wassdp.accounting.accountants.published import bayesian
from wassdp.accounting.accountants.upper import rdp
from wassdp.accounting.event import decode, encode
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep
from wassdp.accounting.guarantee import ContradictionError
from wassdp.audit import noise_scale
from wassdp.cli import main
from wassdp.config import AccountantChoice
from wassdp.pipeline import plan
from wassdp.pipeline.account import account
from wassdp.pipeline.collect import run_frame
from wassdp.pipeline.run_codes import account_code
from wassdp.result import Outcome, load_outcome, load_result, save
from wassdp.runs import identify, parse


def test_budgets_are_those_of_the_accountants(planned, results):
    for run in planned.runs:
        folder = results / "runs" / run.run
        outcome, result = load_outcome(folder / "outcome.json"), load_result(folder / "result.json")
        event = decode(outcome.event)
        by_key = {item.accountant: item for item in result.guarantees}
        assert set(by_key) == {"pld", "loose", "noise_scale_family"}
        assert by_key["loose"].epsilon == load("wasserstein", beta=0.5).epsilon(event, outcome.delta).epsilon
        assert by_key["pld"].epsilon == load("pld").epsilon(event, outcome.delta).epsilon
        assert by_key["pld"].bounded == run.spec["parameters"]["clip"], "nothing bounds gradients that are not clipped"


def test_the_course_of_a_budget_ends_at_the_budget(planned, results):
    for run in planned.runs:
        result = load_result(results / "runs" / run.run / "result.json")
        for item in result.guarantees:
            if item.kind == "lower":  # of the whole run alone
                continue
            course = [point for point in result.history if point.metric == f"epsilon/{item.label}"]
            assert [point.position for point in course] == [1, 2, 3]
            assert course[-1].value == item.epsilon


def test_another_accountant_needs_no_other_outcome(planned, results, tmp_path):
    folder = results / "runs" / planned.runs[0].run
    shutil.copy(folder / "outcome.json", tmp_path)
    before = (tmp_path / "outcome.json").read_bytes()
    result = account(tmp_path / "outcome.json", tmp_path / "result.json", [AccountantChoice(name="bayesian")])
    assert [item.label for item in result.guarantees] == ["published/bayesian", "lower/noise_scale_family"]
    assert (tmp_path / "outcome.json").read_bytes() == before


def test_an_accountant_that_does_not_fit_is_refused_with_its_reason(planned, results, tmp_path, monkeypatch):
    monkeypatch.setattr(bayesian.BayesianAccountant, "supports", lambda self, event: "it is Thursday")
    shutil.copy(results / "runs" / planned.runs[0].run / "outcome.json", tmp_path)
    with pytest.raises(ValueError, match=r"accountant = 'bayesian': does not support this run \(it is Thursday\)"):
        account(tmp_path / "outcome.json", tmp_path / "result.json", [AccountantChoice(name="bayesian")])
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize("names", [("pld", "rdp"), ("rdp",)])
def test_an_upper_bound_below_the_exact_lower_one_is_an_error_and_no_result(
    names, planned, results, tmp_path, monkeypatch
):
    """Whether the exact accountant was asked for or not, and whatever a row is called."""
    monkeypatch.setattr(rdp.RDPAccountant, "_value", lambda self, event, delta: 0.0)
    event = repeated(Gaussian(noise_multiplier=5.0, adjacency="add-remove"), 10)
    outcome = load_outcome(results / "runs" / planned.runs[0].run / "outcome.json")
    save(tmp_path / "outcome.json", outcome.model_copy(update={"event": encode(event), "accounted_at": None}))
    choices = [AccountantChoice(name=name, label=f"the-{name}") for name in names]
    with pytest.raises(ContradictionError, match="rdp proves an epsilon of at most 0"):
        account(tmp_path / "outcome.json", tmp_path / "result.json", choices)
    assert not (tmp_path / "result.json").exists()


def test_an_accountant_may_be_asked_at_another_delta(planned, results, tmp_path):
    """Published tables print one run's budgets at several deltas; the run is not trained again for each."""
    shutil.copy(results / "runs" / planned.runs[0].run / "outcome.json", tmp_path)
    choices = [
        AccountantChoice(name="wasserstein", options={"beta": 2}),
        AccountantChoice(name="wasserstein", label="small", options={"beta": 2}, delta=1e-10),
    ]
    result = account(tmp_path / "outcome.json", tmp_path / "result.json", choices)
    own, small, _ = result.guarantees
    assert (own.delta, small.delta, result.delta) == (1e-5, 1e-10, 1e-5)
    assert small.value - own.value == pytest.approx(math.log(1e5) / 2)
    course = [point for point in result.history if point.metric == "epsilon/published/small"]
    assert course[-1].value == small.epsilon
    planned_run = planned.runs[0]
    frame = run_frame(planned.model_copy(update={"runs": (planned_run,)}), {planned_run.run: result})
    assert frame["delta/published/small"].tolist() == [1e-10]
    assert frame["delta/published/wasserstein"].tolist() == [1e-5]
    with pytest.raises(ValueError, match="delta"):
        AccountantChoice(name="wasserstein", delta=1.0)


def test_a_budget_at_another_delta_than_the_runs_is_printed_with_it(planned, results, tmp_path, capsys):
    shutil.copy(results / "runs" / planned.runs[0].run / "outcome.json", tmp_path)
    choices = '["pld", {"name": "wasserstein", "label": "small", "options": {"beta": 2}, "delta": 1e-10}]'
    words = ["account", "--accountants", choices, "--outcome", str(tmp_path / "outcome.json")]
    assert main([*words, "--out", str(tmp_path / "result.json")]) == 0
    budgets = capsys.readouterr().out.split(" | ")
    own, small, lower = (budget for budget in budgets if budget.startswith("ε "))
    assert " at δ 1e-10" in small
    assert "δ" not in own + lower
    assert "δ 1e-05" in map(str.strip, budgets)


def test_an_accountants_own_delta_of_one_in_the_records_is_refused(tmp_path):
    """As the run's delta is, before it runs."""
    event = repeated(Gaussian(noise_multiplier=5.0, adjacency="add-remove"), 10)
    spec = {"kind": "classification", "parameters": DIGITS, "seed": 0}
    outcome = Outcome(
        run=identify(spec), spec=spec, event=encode(event), delta=1e-5, metrics={}, provenance=provenance()
    )
    save(tmp_path / "outcome.json", outcome)
    with pytest.raises(
        ValueError, match=r"^accountants\.pld\.delta: delta 0\.4 is not below 1 in 1438 records of digits"
    ):
        account(tmp_path / "outcome.json", tmp_path / "result.json", [AccountantChoice(name="pld", delta=0.4)])
    assert not (tmp_path / "result.json").exists()
    account(tmp_path / "outcome.json", tmp_path / "result.json", [AccountantChoice(name="pld", delta=1e-4)])


def test_a_wasserstein_gradient_is_accounted_under_both_sensitivities(planned, results, tmp_path):
    """The tight one is what a run proves; the paper's is a theorem too, and what its published account reads."""
    outcome = load_outcome(results / "runs" / planned.runs[0].run / "outcome.json")
    step = WassersteinGradientStep(noise_std=3.0, sensitivity=1.0, published_sensitivity=2.0)
    drawn = repeated(SampledWithoutReplacement(event=step, records=1000, batch=100), 20)
    save(
        tmp_path / "outcome.json",
        outcome.model_copy(update={"event": encode(drawn), "accounted_at": None, "history": ()}),
    )
    choices = [AccountantChoice(name="pld"), AccountantChoice(name="gdp")]
    result = account(tmp_path / "outcome.json", tmp_path / "result.json", choices)
    found = {item.label: item for item in result.guarantees}
    assert list(found) == [
        "upper/pld",
        "upper/pld_published_sensitivity",
        "published/gdp",
        "published/gdp_tight_sensitivity",
        "lower/noise_scale_family",
    ]
    delta = outcome.delta
    alone = repeated(
        SampledWithoutReplacement(
            event=WassersteinGradientStep(noise_std=3.0, sensitivity=1.0), records=1000, batch=100
        ),
        20,
    )
    assert found["upper/pld"].value == load("pld").epsilon(alone, delta).value
    assert found["upper/pld"].value < found["upper/pld_published_sensitivity"].value
    assert found["published/gdp_tight_sensitivity"].value < found["published/gdp"].value
    assert "sensitivity 1: this project's tight bound" in found["upper/pld"].assumptions
    assert "sensitivity 2: the paper's published bound" in found["published/gdp"].assumptions


def test_an_attack_stands_beside_every_budget_and_below_the_proof(planned, results):
    for run in planned.runs:
        result = load_result(results / "runs" / run.run / "result.json")
        found = {item.kind: item for item in result.guarantees}
        lower, upper = found["lower"], found["upper"]
        assert (lower.delta, lower.adjacency, lower.sampling) == (upper.delta, upper.adjacency, upper.sampling)
        if upper.bounded:
            assert 0 < lower.value < upper.value
            assert any("confidence" in note for note in lower.assumptions)
        else:
            assert lower.value == 0
            assert lower.assumptions[0].startswith("no lower bound by this attack: no noise covers all")


def test_an_attack_above_a_proof_is_an_error_and_no_result(planned, results, tmp_path, monkeypatch):
    """Noise that the code draws smaller than it says: here a tenth of it, as a wrong scale would be."""
    real = noise.rounded
    monkeypatch.setattr(noise, "rounded", lambda x, *, std, generator: real(x, std=std / 10, generator=generator))
    run = next(run for run in planned.runs if run.spec["parameters"]["clip"])
    shutil.copy(results / "runs" / run.run / "outcome.json", tmp_path)
    noise_scale.drawn.cache_clear()
    with pytest.raises(ContradictionError, match="an attack contradicts a proof: upper/pld"):
        account(tmp_path / "outcome.json", tmp_path / "result.json", [AccountantChoice(name="pld")])
    noise_scale.drawn.cache_clear()
    assert not (tmp_path / "result.json").exists()


def _first_alone(job):
    kind, parameters, _ = parse(job.spec)
    accounting = account_code(kind, parameters, [AccountantChoice.model_validate(job.accountants[0])])
    return {"accountants": job.accountants[:1], "accounting": accounting}


def test_who_waited_for_another_asks_the_plan_again(planned, results, tmp_path, capsys):
    """A job of a pipeline that was killed may be accounting still, as its plan had it, when the next one's begins."""
    run = planned.runs[0].run
    for name in ("outcome.json", "result.json"):
        shutil.copy(results / "runs" / run / name, tmp_path / name)
    plan.write(tmp_path / "plan.json", planned)
    before = (tmp_path / "result.json").read_bytes()
    lock = FileLock(tmp_path / ".lock")
    words = ["account", run, "--plan", str(tmp_path / "plan.json"), "--outcome", str(tmp_path / "outcome.json")]
    ended = []
    with lock:
        waits = threading.Thread(target=lambda: ended.append(main([*words, "--out", str(tmp_path / "result.json")])))
        waits.start()
        while "accounts for this run" not in capsys.readouterr().err:
            time.sleep(0.05)
        job = planned.jobs[run].model_copy(update=_first_alone(planned.jobs[run]))
        plan.write(tmp_path / "plan.json", planned.model_copy(update={"jobs": planned.jobs | {run: job}}))
    waits.join()
    assert ended == [2]
    assert "asks for other accountants by now" in capsys.readouterr().err
    assert (tmp_path / "result.json").read_bytes() == before
    assert main([*words, "--out", str(tmp_path / "result.json")]) == 0
    assert [choice["name"] for choice in load_result(tmp_path / "result.json").accountants] == ["pld"]


def test_a_plan_of_other_code_is_not_accounted_for(planned, results, tmp_path, capsys):
    run = planned.runs[0].run
    shutil.copy(results / "runs" / run / "outcome.json", tmp_path)
    path = tmp_path / "plan.json"
    words = ["account", run, "--plan", str(path), "--outcome", str(tmp_path / "outcome.json")]
    job = planned.jobs[run]
    for code, ended in (("0" * 16, 2), (job.accounting, 0)):
        other = job.model_copy(update={"accounting": code})
        plan.write(path, planned.model_copy(update={"jobs": planned.jobs | {run: other}}))
        assert main([*words, "--out", str(tmp_path / "result.json")]) == ended
        assert (tmp_path / "result.json").exists() == (ended == 0)
        told = f"run = {run!r}: the code is {job.accounting}, but {path} was made for {code}"
        assert (told in capsys.readouterr().err) == (ended == 2)
