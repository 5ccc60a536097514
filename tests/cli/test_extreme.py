"""Extreme input: every question is answered with a proven value, or refused in one line, in bounded time and memory."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.numerics import exact, revealed
from wassdp.accounting.profiles.dominating import directions
from wassdp.cli import main

CALLS = Path(__file__).parents[1] / "extreme_calls.py"
DPSGD = ["--records", "60000", "--batch", "256", "--delta", "1e-5"]


def epsilons(arguments, capsys):
    assert main([*arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    return {row["accountant"]: row["epsilon"] for row in rows if row["kind"] == "upper"}


@pytest.mark.parametrize(("arguments", "reason"), [
    (["epsilon", "gaussian", "--noise-multiplier", "1e-300"], "noise_multiplier = 1e-300: must be 0 (no noise) or"),
    (["epsilon", "gaussian", "--noise-multiplier", "1e308"], "noise_multiplier = 1e+308: must be 0 (no noise) or"),
    (["epsilon", "dpswd", "--sigma", "5e-324", "--projections", "5", "--dimension", "3"], "must be 0 (no noise) or"),
    (["epsilon", "dpswd", "--sigma", "1", "--projections", "1" + 40 * "0", "--dimension", "3"],
     "projections = about 10^40: must be at most 10^15"),
    (["epsilon", "laplace", "--noise-multiplier", "1", "--steps", "1" + 18 * "0"], "steps = about 10^18: must be"),
    (["epsilon", "dpsgd", "--noise-multiplier", "1", *DPSGD, "--epochs", "1e308"], "epochs = 1e+308: must be at most"),
    (["epsilon", "dpsgd", "--noise-multiplier", "1", "--records", "1" + 40 * "0", *DPSGD[2:]], "records = about 10^40"),
    (["epsilon", "gibbs", "--inverse-temperature", "1e300", "--risk-range", "1e300", "--records", "3"], "finite"),
    (["epsilon", "gaussian", "--noise-multiplier", "1", "--delta", "1e-320"], "delta = 1e-320: must be at least"),
    (["curve", "gaussian", "--noise-multiplier", "1", "--points", "1" + 18 * "0", "--out", "x.svg"], "at most 1000"),
    (["curve", "gaussian", "--noise-multiplier", "1", "--points", "41", "--kind", "steps", "--out", "x.svg"],
     "points = 41: must be at most 40 with --kind steps"),
])  # fmt: skip
def test_what_doubles_cannot_hold_is_refused_in_one_line(arguments, reason, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*arguments, *([] if "--delta" in arguments else ["--delta", "1e-5"])]) == 2
    shown = capsys.readouterr()
    assert reason in shown.err
    assert shown.err.count("\n") == 1
    assert not shown.out


def test_two_dashes_are_no_number(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["epsilon", "gaussian", "--noise-multiplier=--", "--delta", "1e-5"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_enormous_losses_are_answered_in_closed_form(capsys):
    """Three Laplace releases of ε = 1e8 are 3e8-DP; of 1,000 batches of rate .0043 a record enters 17 with P < 1e-5."""
    found = epsilons(["epsilon", "laplace", "--noise-multiplier", "1e-8", "--steps", "3", "--delta", "1e-5"], capsys)
    assert 2.9e8 < found["pld"] <= 3e8 * (1 + 1e-6)
    found = epsilons(["epsilon", "dpsgd", "--noise-multiplier", "1e-6", *DPSGD, "--steps", "1000"], capsys)
    assert 10 * 0.5e12 < found["pld"] <= 17 * 0.5e12 * (1 + 1e-4)


def test_more_steps_than_a_transform_resolves_are_answered_by_renyi(capsys):
    """10^15 steps lose at least their mean loss, T E ℓ = T (e - 1 + e^{-e}), e the pure ε of each."""
    each = 1 / 166
    found = epsilons(
        ["epsilon", "laplace", "--noise-multiplier", "166", "--steps", "1" + 15 * "0", "--delta", "1e-5"], capsys
    )
    mean = 1e15 * (each + math.expm1(-each))
    assert mean < found["pld"] < 1.01 * mean


def test_a_delta_below_what_a_lattice_gives_up_is_answered_too(capsys):
    """At δ = 1e-300 the tails that a lattice leaves out weigh more: no lower value may follow from that."""
    words = ["epsilon", "dpsgd", "--noise-multiplier", "17.77", "--records", "1000000000000", "--batch", "6314"]
    found = epsilons([*words, "--steps", "4588", "--delta", "1e-300", "--accountant", "rdp"], capsys)
    assert 0 < found["rdp"] < 1
    found = epsilons([*words, "--steps", "4588", "--delta", "1e-300", "--accountant", "pld"], capsys)
    assert 0 < found["pld"] < math.inf


@pytest.mark.parametrize("event", [
    Gaussian(noise_multiplier=0.02, adjacency="add-remove"),
    PoissonSampled(event=Gaussian(noise_multiplier=0.02, adjacency="add-remove"), rate=0.01),
    PoissonSampled(event=Gaussian(noise_multiplier=2.0, adjacency="add-remove"), rate=0.3),
    SampledWithoutReplacement(event=Gaussian(noise_multiplier=0.02, adjacency="replace-one"), records=100, batch=3),
    SampledWithoutReplacement(event=Laplace(noise_multiplier=0.05, adjacency="replace-one"), records=100, batch=3),
    Laplace(noise_multiplier=0.05, adjacency="add-remove"),
    SlicedProjections(noise_std=0.3, projections=5, dimension=7),
    SlicedProjections(noise_std=0.3, projections=5, dimension=7, directions="orthogonal"),
    PoissonSampled(event=SlicedProjections(noise_std=0.3, projections=5, dimension=7, adjacency="zero-out"), rate=0.1),
], ids=str)  # fmt: skip
def test_published_batches_bound_hidden_ones(event):
    """Where lattices serve too, the closed form is never below their lower value; for large losses it is about as if a
    record entered one batch more."""
    releases = repeated(event, 20)
    closed = [revealed.Revealed(direction) for direction in directions(releases)]
    for delta in (1e-9, 1e-3):
        bracket = exact.epsilon(releases, delta)
        upper = max(found.epsilon(delta) for found in closed)
        assert upper >= bracket.lower
        if bracket.upper > 1000 and not isinstance(event, SlicedProjections):
            assert upper <= 1.3 * bracket.upper
        at = 0.5 * bracket.upper
        assert max(found.delta(at) for found in closed) >= exact.delta(releases, at).lower


@pytest.mark.parametrize("event", [
    repeated(PoissonSampled(event=Gaussian(noise_multiplier=1.0, adjacency="add-remove"), rate=0.004), 1000),
    repeated(
        SampledWithoutReplacement(
            event=Gaussian(noise_multiplier=1, adjacency="replace-one-inside-class"), records=500, batch=2
        ),
        99,
    ),
    repeated(Laplace(noise_multiplier=3.0, adjacency="add-remove"), 50),
    repeated(Gaussian(noise_multiplier=3.0, adjacency="add-remove"), 50),
], ids=lambda event: str(event)[:60])  # fmt: skip
def test_a_whole_profile_from_few_compositions_is_an_upper_one(event, monkeypatch):
    """At each ε above the exact δ by at most 2 % and what 1 % of ε makes of it, from 12 compositions a side at most."""
    top = exact.upper_epsilon(event, 1e-12)
    points = np.linspace(0, top, 40)
    made = []
    original = exact.Solver.upper_deltas
    monkeypatch.setattr(exact.Solver, "upper_deltas", lambda self, *rest: made.append(1) or original(self, *rest))
    upper = exact.upper_deltas(event, points.tolist())
    assert len(made) <= 12 * len(directions(event))
    assert all(np.diff(upper) <= 0)
    for place in (0, 7, 20, 33, 39):
        bracket = exact.delta(event, float(points[place]))
        assert upper[place] >= bracket.lower * (1 - 1e-6)
        near = exact.delta(event, float(max(0.0, 0.99 * points[place] - 1e-3)))
        assert upper[place] <= near.upper * 1.02


def test_the_profile_of_a_curve_takes_ascending_budgets():
    with pytest.raises(ValueError, match="must ascend"):
        exact.upper_deltas(Gaussian(noise_multiplier=1.0, adjacency="add-remove"), [1.0, 0.5])


@pytest.mark.parametrize("words", [
    "epsilon laplace --noise-multiplier 1e-8 --steps 3 --delta 1e-5",
    "epsilon dpsgd --noise-multiplier 1e-6 --records 60000 --batch 256 --steps 1000 --delta 1e-5",
    "curve dpswd --sigma 0.01 --projections 1 --dimension 4588 --steps 1000 --points 7",
    "curve dpsgd --noise-multiplier 1 --records 60000 --batch 256 --steps 1000 --kind profile",
])  # fmt: skip
def test_time_and_memory_of_what_took_without_end(words, tmp_path):
    """At most eight seconds of one processor, and one GiB beside what Python and its libraries take."""
    program = (
        "import resource, sys; from wassdp.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (20, 20)); before = resource.getrusage(resource.RUSAGE_SELF)\n"
        "import matplotlib.figure, scipy.signal; start = resource.getrusage(resource.RUSAGE_SELF)\n"
        "code = main(sys.argv[1:]); end = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(); print(code, end.ru_utime - start.ru_utime, (end.ru_maxrss - start.ru_maxrss) / 2**20)"
    )
    words = [*words.split(), *(["--out", str(tmp_path / "curve.svg")] if words.startswith("curve") else [])]
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    code, seconds, gibibytes = done.stdout.split("\n")[-2].split()
    assert code == "0"
    assert float(seconds) < 8
    assert float(gibibytes) < 1


@pytest.mark.slow
def test_four_hundred_random_calls():
    """No traceback, nothing above 20 s or 2 GiB, no NaN, no negative ε, one line and code 2 for what is refused; and
    more noise or fewer steps never have a larger upper value, beyond its stated error."""
    done = subprocess.run(
        [sys.executable, CALLS, "--calls", "400", "--seed", "2", "--cheap"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    counts = json.loads(done.stdout.splitlines()[-1])
    assert counts["calls"] >= 400
    assert min(counts["answered"], counts["refused"]) > 100
