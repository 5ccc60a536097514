import dataclasses
import json

import numpy as np
import pytest

from wassdp.accounting import accountant
from wassdp.accounting import event as events
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement

STEP = PoissonSampled(event=Gaussian(noise_multiplier=1.1, adjacency="add-remove"), rate=0.01)


def measured(steps: int = 4) -> MeasuredGradients:
    generator = np.random.default_rng(0)
    return MeasuredGradients(
        distances=generator.random((steps, 6)),
        noise_std=generator.random(steps),
        clip_norm=np.full(steps, np.inf),
        rate=0.1,
        adjacency="add-remove",
    )


@pytest.mark.parametrize(
    "event",
    [
        STEP,
        repeated(STEP, 1000),
        Composed(events=(STEP, dataclasses.replace(STEP, rate=0.5)), counts=(3, 4)),
        SampledWithoutReplacement(event=Gaussian(noise_multiplier=2.0, adjacency="replace-one"), records=10, batch=3),
    ],
)
def test_encoding_round_trips(event):
    assert events.decode(json.loads(json.dumps(events.encode(event), allow_nan=False))) == event


def test_encoding_keeps_arrays_bit_for_bit():
    event = measured()
    back = events.decode(json.loads(json.dumps(events.encode(event), allow_nan=False)))
    for field in dataclasses.fields(event):
        np.testing.assert_array_equal(getattr(back, field.name), getattr(event, field.name), strict=True)


@pytest.mark.parametrize(
    ("written", "event"),
    [
        (
            {"type": "Gaussian", "noise_multiplier": 2.0, "relation": "k-end"},
            Gaussian(noise_multiplier=2.0, adjacency="replace-one-inside-class"),
        ),
        (events.encode(STEP), STEP),
    ],
)
def test_what_was_stored_under_former_names_is_read(written, event):
    text = json.dumps(written).replace('"adjacency"', '"relation"')
    assert events.decode(json.loads(text)) == event


def test_measured_gradients_stored_under_former_names_are_read():
    event = dataclasses.replace(measured(), sampling="shuffled")
    text = json.dumps(events.encode(event)).replace('"adjacency"', '"relation"').replace('"sampling"', '"scheme"')
    back = events.decode(json.loads(text))
    assert (back.adjacency, back.sampling) == ("add-remove", "shuffled")


def test_events_are_frozen_and_printable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        STEP.rate = 0.5
    assert "noise_multiplier=1.1" in repr(STEP)


@pytest.mark.parametrize("steps", [0, 1, 3, 5, 7])
def test_prefix_has_as_many_steps(steps):
    event = Composed(events=(STEP, dataclasses.replace(STEP, rate=0.5)), counts=(3, 4))
    assert event.first(steps).steps == steps
    assert event.first(7) == event


def test_prefix_of_measured_gradients():
    event = measured()
    np.testing.assert_array_equal(event.first(2).distances, event.distances[:2])


@pytest.mark.parametrize(
    ("build", "line"),
    [
        (lambda: Gaussian(noise_multiplier=float("nan"), adjacency="add-remove"), "noise_multiplier = nan"),
        (lambda: Gaussian(noise_multiplier=-1.0, adjacency="add-remove"), "noise_multiplier = -1.0"),
        (lambda: Gaussian(noise_multiplier=1.0, adjacency="neighbour"), "adjacency = 'neighbour': must be one of"),
        (lambda: PoissonSampled(event=STEP.event, rate=1.5), r"rate = 1.5: must lie in \[0, 1\]"),
        (lambda: SampledWithoutReplacement(event=STEP.event, records=5, batch=6), "batch = 6: must be at most"),
        (lambda: Composed(events=(), counts=()), "counts"),
        (lambda: Composed(events=(STEP,), counts=(-1,)), "counts = -1"),
        (lambda: Composed(events=(STEP, STEP.event), counts=(1, 1)), "share one sampling"),
        (lambda: repeated(STEP, 3).first(4), "steps = 4: must be at most 3"),
        (lambda: events.decode({"type": "Exec"}), "event type = 'Exec': must be one of"),
    ],
)
def test_bad_events_are_refused_by_name(build, line):
    with pytest.raises(ValueError, match=line):
        build()


@pytest.mark.parametrize("name", ["pld", "rdp", "zcdp"])
def test_what_is_exposed_beside_a_composition_leaves_no_bound_wherever_it_stands(name):
    step = Gaussian(noise_multiplier=2.0, adjacency="replace-one")
    plain, found = repeated(step, 3), accountant.load(name)
    exposed = qualified(plain, exposed=("the largest norm",), notes=("a note",))
    again = qualified(exposed, notes=("another note",))
    assert (again.exposed, again.notes) == (("the largest norm",), ("a note", "another note"))
    for event in (exposed, again, Composed(events=(step, exposed), counts=(1, 2))):
        guarantee = found.epsilon(event, 1e-5)
        assert guarantee.epsilon is None
        assert any("the largest norm" in each for each in guarantee.assumptions)
    # A note changes no figure, and nothing is exposed where nothing was released.
    noted = found.epsilon(qualified(plain, notes=("a note",)), 1e-5)
    assert (noted.epsilon, noted.assumptions[0]) == (found.epsilon(plain, 1e-5).epsilon, "a note")
    assert found.epsilon(exposed.first(0), 1e-5).epsilon == 0


def test_two_events_of_one_name_are_refused_in_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """The later file's would be read in the place of the other, and another budget be proven of the run."""
    other = type("Gaussian", (Gaussian,), {})

    class Folder:
        def names(self) -> tuple[str, ...]:
            return "gaussian", "response"

        def choice(self, name: str, base: type) -> type:
            return Gaussian if name == "gaussian" else other

    written = events.encode(Gaussian(noise_multiplier=1.0, adjacency="add-remove"))
    monkeypatch.setattr(events, "EVENTS", Folder())
    with pytest.raises(ValueError, match=r"^event type Gaussian: must be defined once, not by .*gaussian and response"):
        events.decode(written)
