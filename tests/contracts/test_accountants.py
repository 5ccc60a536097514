"""What every accountant file keeps, found by listing the folders."""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest
from pydantic import ValidationError

from wassdp.accounting import accountant, calibrate
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import Qualified
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.config import AccountantChoice

NAMES = sorted(accountant.names())
DELTA = 1e-5


def gaussian(noise, adjacency="add-remove"):
    return Gaussian(noise_multiplier=noise, adjacency=adjacency)


def sliced(noise, adjacency="replace-one"):
    return SlicedProjections(noise_std=noise, projections=20, dimension=10, adjacency=adjacency)


# One release at a given noise, for every combination of mechanism and sampling.
RELEASES = {
    "gaussian": lambda noise: gaussian(noise),
    "laplace": lambda noise: Laplace(noise_multiplier=noise, adjacency="add-remove"),
    "poisson gaussian": lambda noise: PoissonSampled(event=gaussian(noise), rate=0.05),
    "drawn gaussian": lambda noise: SampledWithoutReplacement(
        event=gaussian(noise, "replace-one"), records=1000, batch=50
    ),
    "drawn dp-swd": lambda noise: SampledWithoutReplacement(event=sliced(noise), records=1000, batch=50),
    "poisson dp-swd": lambda noise: PoissonSampled(event=sliced(noise, "zero-out"), rate=0.05),
    "dp-swd": lambda noise: sliced(noise),
}
PAIRS = [
    (name, release)
    for name in NAMES
    for release, make in RELEASES.items()
    if accountant.load(name).supports(repeated(make(2.0), 10)) is None
]
UPPER = [pair for pair in PAIRS if accountant.names()[pair[0]].package.endswith("upper")]


@cache
def guaranteed(name, event, delta=DELTA):
    """Accountants are stateless: the same question is asked once."""
    return accountant.load(name).epsilon(event, delta)


def value(name, event, delta=DELTA):
    return guaranteed(name, event, delta).value


@pytest.mark.parametrize("name", NAMES)
def test_shape(name):
    found = accountant.load(name)
    assert isinstance(found, accountant.Accountant)
    assert found.source
    kind = accountant.names()[name].package.rsplit(".", 1)[1]
    for release, make in RELEASES.items():
        event = repeated(make(2.0), 10)
        reason = found.supports(event)
        if reason is not None:
            assert isinstance(reason, str)
            with pytest.raises(ValueError, match="event"):
                found.epsilon(event, DELTA)
            continue
        guarantee = guaranteed(name, event)
        assert (guarantee.accountant, guarantee.kind, guarantee.delta) == (name, kind, DELTA), release
        assert (guarantee.adjacency, guarantee.sampling) == (event.adjacency, event.sampling)
        assert guarantee.source


OPTIONS = [
    (name, field.name)
    for name in NAMES
    if dataclasses.is_dataclass(accountant.load(name))
    for field in dataclasses.fields(accountant.load(name))
]
UNFIT = (None, "x", "", True, -1, 0, math.nan, math.inf, 1e308, 10**400, {}, [], [1], [True], ["x"], [math.nan])
UNFIT_ORDERS = ({2: 3}, 2, "23", [0], [-2], [2, None], [[2]], [1e300], [10**400], [10**6], [2, math.inf])


@pytest.mark.parametrize(("name", "option"), OPTIONS)
@pytest.mark.parametrize("value", [*UNFIT, *UNFIT_ORDERS], ids=lambda value: repr(value)[:12])
def test_an_option_is_what_it_may_be_or_refused_by_name(name, option, value):
    choice = {"name": name, "options": {option: value}}
    fit = [("beta", 2), ("beta", 1e308), ("order", 2), *([("orders", [1])] if name in ("moments", "bayesian") else [])]
    if (option, repr(value)) in [(key, repr(item)) for key, item in fit]:
        AccountantChoice.model_validate(choice)
        return
    with pytest.raises(ValidationError, match=rf"{option} = "):
        AccountantChoice.model_validate(choice)


@pytest.mark.parametrize("name", [name for name, option in OPTIONS if option == "orders"])
def test_orders_are_a_list_as_a_configuration_has_it(name):
    choice = AccountantChoice.model_validate({"name": name, "options": {"orders": [2, 4, 8]}})
    found, same = accountant.load(name, **choice.options), accountant.load(name, orders=(2, 4, 8))
    assert found == same
    event = repeated(RELEASES["gaussian"](2.0), 10)
    if found.supports(event) is None:
        assert found.epsilon(event, DELTA) == same.epsilon(event, DELTA)


@pytest.mark.parametrize(("name", "release"), PAIRS)
def test_zero_steps_and_no_noise(name, release):
    nothing = value(name, repeated(RELEASES[release](2.0), 0))
    if accountant.names()[name].package.endswith("upper"):
        assert nothing == 0
    else:
        # A published conversion may keep its tail term: log(1/δ)/(α-1) at its largest order.
        assert nothing >= 0
    assert value(name, repeated(RELEASES[release](0.0), 10)) == math.inf


@pytest.mark.parametrize(("name", "release"), PAIRS)
def test_monotone_in_steps_noise_and_delta(name, release):
    slack = 1 + 1e-3
    middle = value(name, repeated(RELEASES[release](2.0), 20))
    assert 0 < middle < math.inf
    assert value(name, repeated(RELEASES[release](2.0), 40)) * slack >= middle
    assert value(name, repeated(RELEASES[release](3.0), 20)) <= middle * slack
    assert value(name, repeated(RELEASES[release](2.0), 20), 1e-8) * slack >= middle


@pytest.mark.parametrize(("name", "release"), PAIRS)
def test_composition_is_repetition(name, release):
    part = RELEASES[release](2.0)
    together = value(name, repeated(part, 12))
    assert value(name, Composed(events=(part, part, part), counts=(1, 4, 7))) == pytest.approx(together, rel=1e-9)


@pytest.mark.parametrize(("name", "release"), [
    # Brackets of approximated pairs take about 10 s each.
    pytest.param(*pair, marks=pytest.mark.slow) if pair[0] == "pld" and "dp-swd" in pair[1] else pair
    for pair in PAIRS
])  # fmt: skip
def test_path_is_prefix_by_prefix(name, release):
    event, found = repeated(RELEASES[release](2.0), 9), accountant.load(name)
    along = found.path(event, DELTA, [1, 4, 9])
    assert [g.kind for g in along] == [guaranteed(name, event).kind] * 3
    # A path may spend less on each point than a single answer does, but only upward.
    for guarantee, steps in zip(along, (1, 4, 9), strict=True):
        alone = value(name, event.first(steps))
        assert alone * (1 - 1e-9) <= guarantee.value <= alone * (1 + 5e-3)


@pytest.mark.parametrize(("name", "release"), [pair for pair in UPPER if pair[0] != "pld"])
def test_no_upper_bound_is_below_the_exact_one(name, release):
    """pld states the smallest ε of the dominating pair to a relative 2e-4; no other upper bound may be below it."""
    event = repeated(RELEASES[release](2.0), 20)
    exact = guaranteed("pld", event)
    assert value(name, event) >= exact.value - exact.epsilon_error


@pytest.mark.parametrize("name", NAMES)
def test_only_upper_bounds_calibrate(name):
    supported = [release for found, release in PAIRS if found == name]
    if not supported:
        pytest.skip("covers none of these releases")

    def make(noise):
        return repeated(RELEASES[supported[0]](noise), 5)

    if accountant.names()[name].package.endswith("upper"):
        noise = calibrate.noise_multiplier(make, epsilon=1.0, delta=DELTA, accountant=accountant.load(name))
        assert 0.99 <= value(name, make(noise)) <= 1.0
    else:
        with pytest.raises(ValueError, match="only upper bounds calibrate"):
            calibrate.noise_multiplier(make, epsilon=1.0, delta=DELTA, accountant=accountant.load(name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-5])
def test_delta_is_checked(name, delta):
    measured = MeasuredGradients(
        distances=np.full((3, 4), 0.5),
        noise_std=np.ones(3),
        clip_norm=np.ones(3),
        rate=0.05,
        adjacency="replace-one",
        coordinates=10,
    )
    events = (
        repeated(gaussian(1.0), 3),
        SampledWithoutReplacement(event=sliced(2.0), records=1000, batch=50),
        Gibbs(inverse_temperature=1.0, risk_range=1.0, records=10),
        measured,
    )
    supported = [event for event in events if accountant.load(name).supports(event) is None]
    assert supported, "an event of every accountant's kind"
    for event in supported:
        with pytest.raises(ValueError, match="delta"):
            accountant.load(name).epsilon(event, delta)


@pytest.mark.parametrize(("name", "release"), UPPER)
@pytest.mark.parametrize("also", [{"exposed": ("a sum",)}, {"total_variation": 1e-4}], ids=["exposed", "drawn"])
def test_what_is_released_besides_or_drawn_inexactly_bounds_nothing(name, release, also):
    """At δ = 1e-5, draws that are 1e-4 from their law prove nothing; nor does any noise, beside what has none."""
    event = Qualified(events=(RELEASES[release](4.0),), counts=(3,), **also)
    assert value(name, event, 1e-5) == math.inf


@pytest.mark.parametrize("name", ["pld", "zcdp"])
def test_no_published_formula_takes_the_name_of_a_proven_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Folder:
        package = "wassdp.accounting.accountants.published"

        def names(self) -> tuple[str, ...]:
            return "bayesian", name

    monkeypatch.setattr(accountant, "PUBLISHED", Folder())
    with pytest.raises(ValueError, match=rf"^accountant = '{name}': must be one file, of .*upper or .*published$"):
        accountant.names()
