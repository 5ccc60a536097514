"""A proven upper value below a proven lower one is an error wherever budgets are produced for people."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wassdp.accounting import compare, consistency
from wassdp.accounting.accountants.upper import rdp, zcdp
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.guarantee import ContradictionError
from wassdp.accounting.numerics import exact, normal
from wassdp.cli import main

EVENT = repeated(Gaussian(noise_multiplier=5.0, adjacency="add-remove"), 10)


def halved(monkeypatch, which=rdp.RDPAccountant):
    """An accountant that claims half of what it proves."""
    honest = which.epsilon

    def epsilon(self, event, delta):
        found = honest(self, event, delta)
        return found.model_copy(update={"epsilon": found.epsilon and found.epsilon / 2})

    monkeypatch.setattr(which, "epsilon", epsilon)


@pytest.mark.parametrize("names", [None, ["pld", "rdp"], ["rdp"]])
def test_a_false_upper_bound_is_no_row(names, monkeypatch):
    halved(monkeypatch)
    with pytest.raises(ContradictionError, match=r"itself: rdp proves .* at delta = 1e-05, pld one of at least"):
        compare(EVENT, 1e-5, names)


def test_the_command_line_says_so_in_one_line(monkeypatch, capsys):
    halved(monkeypatch)
    assert main(["epsilon", "gaussian", "--noise-multiplier", "5", "--steps", "10", "--delta", "1e-5"]) == 1
    shown = capsys.readouterr()
    assert not shown.out
    assert shown.err.count("\n") == 1
    assert "neither is given out" in shown.err


def test_the_exact_account_is_not_computed_twice(monkeypatch):
    asked = []
    honest = exact.epsilon
    monkeypatch.setattr(exact, "epsilon", lambda *a, **k: asked.append(a) or honest(*a, **k))
    compare(EVENT, 1e-5, ["pld", "rdp", "zcdp"])
    assert len(asked) == 1
    compare(EVENT, 1e-5, ["rdp", "zcdp"])
    assert len(asked) == 2
    compare(EVENT, 1e-5, ["gdp"])
    assert len(asked) == 2


def test_each_delta_has_its_own_lower_value():
    both = [("rdp", rdp.RDPAccountant().epsilon(EVENT, delta)) for delta in (1e-5, 1e-9)]
    consistency.refuse_contradictions(EVENT, both)
    swapped = [
        (name, found.model_copy(update={"delta": other.delta}))
        for (name, found), (_, other) in zip(both, both[::-1], strict=True)
    ]
    with pytest.raises(ContradictionError, match="delta = 1e-09"):
        consistency.refuse_contradictions(EVENT, swapped)


def test_nothing_finite_stands_beside_what_nothing_bounds():
    exposed = qualified(EVENT, exposed=("the largest norm",))
    consistency.refuse_contradictions(exposed, [("rdp", rdp.RDPAccountant().epsilon(exposed, 1e-5))])
    with pytest.raises(ContradictionError, match="at least inf"):
        consistency.refuse_contradictions(exposed, [("rdp", rdp.RDPAccountant().epsilon(EVENT, 1e-5))])


@pytest.mark.parametrize("event", [
    repeated(Laplace(noise_multiplier=1e8, adjacency="add-remove"), 10**12),
    repeated(Gibbs(inverse_temperature=1e-8, risk_range=0.5, records=1), 10**12),
], ids=["laplace", "gibbs"])  # fmt: skip
def test_a_zero_for_a_trillion_tiny_losses_is_found_out(event):
    """The lattice's own lower value is 0 there; μ = 0.01, so ε = 0.0531 at this δ, and half of it is certain."""
    assert 0.026 <= normal.berry_esseen_epsilon(event, 1e-10) <= 0.0531
    nothing = rdp.RDPAccountant().epsilon(event, 1e-10).model_copy(update={"epsilon": 0.0})
    exact_found = nothing.model_copy(update={"accountant": "pld", "epsilon": 0.36, "epsilon_error": 0.36})
    with pytest.raises(ContradictionError, match=r"rdp proves an epsilon of at most 0\.0 at delta = 1e-10"):
        consistency.refuse_contradictions(event, [("pld", exact_found), ("rdp", nothing)])


@pytest.mark.parametrize("event", [
    repeated(Laplace(noise_multiplier=1e3, adjacency="add-remove"), 10**6),
    repeated(Laplace(noise_multiplier=0.5, adjacency="add-remove"), 100),
    repeated(PoissonSampled(event=Gaussian(noise_multiplier=1e3, adjacency="add-remove"), rate=0.01), 10**7),
    repeated(PoissonSampled(event=Gaussian(noise_multiplier=2.0, adjacency="add-remove"), rate=0.1), 10**3),
], ids=str)  # fmt: skip
def test_the_central_limit_with_its_error_is_below_the_exact_value(event):
    for delta in (1e-2, 1e-5):
        assert normal.berry_esseen_epsilon(event, delta) <= exact.epsilon(event, delta, accuracy=1e-2).upper
    assert normal.berry_esseen_epsilon(event, 1e-2) > 0


def test_where_the_exact_account_fails_nothing_is_said(monkeypatch):
    def refuse(*_, **__):
        raise ValueError("outside the range")

    monkeypatch.setattr(exact, "epsilon", refuse)
    consistency.refuse_contradictions(EVENT, [("zcdp", zcdp.ZCDPAccountant().epsilon(EVENT, 1e-5))])


STEPS = st.one_of(st.integers(1, 30), st.sampled_from([1000, 10**6, 10**9]))


@st.composite
def events(draw):
    """Releases whose steps together have a loss of about 1e-6 to 30, in up to 1e9 steps."""
    steps = draw(STEPS)
    # The noise at which all steps together have about μ = 1, times something.
    noise = draw(st.floats(-1.5, 6).map(lambda power: 10.0**power)) * math.sqrt(steps)
    kind = draw(st.sampled_from(["gaussian", "laplace", "gibbs", "poisson", "drawn", "sliced"]))
    if kind == "gaussian":
        return repeated(Gaussian(noise_multiplier=noise, adjacency="add-remove"), steps)
    if kind == "laplace":
        return repeated(Laplace(noise_multiplier=noise, adjacency="add-remove"), steps)
    if kind == "gibbs":
        return repeated(Gibbs(inverse_temperature=1.0, risk_range=0.5 / noise, records=1), steps)
    rate = draw(st.sampled_from([1e-6, 1e-3, 0.1, 0.9]))
    noise = max(noise * rate, 0.2)
    if kind == "poisson":
        return repeated(
            PoissonSampled(event=Gaussian(noise_multiplier=noise, adjacency="add-remove"), rate=rate), steps
        )
    release = Gaussian(noise_multiplier=noise, adjacency="replace-one")
    if kind == "sliced":
        release = SlicedProjections(noise_std=noise, projections=draw(st.sampled_from([1, 5])), dimension=20)
    return repeated(SampledWithoutReplacement(event=release, records=10**6, batch=round(rate * 10**6)), steps)


@settings(max_examples=15, deadline=None)
@given(event=events(), delta=st.sampled_from([1e-30, 1e-10, 1e-5, 0.1]))
def test_no_upper_accountant_contradicts_the_exact_one(event, delta):
    try:
        bracket = exact.epsilon(event, delta, accuracy=1e-2)
    except ValueError as error:
        assume("outside the range" not in str(error))
        raise
    for found in (rdp.RDPAccountant(), zcdp.ZCDPAccountant()):
        if found.supports(event) is None:
            value = found.epsilon(event, delta).value
            assert value >= 0
            assert value >= bracket.lower * (1 - 1e-9), (found.name, bracket)
