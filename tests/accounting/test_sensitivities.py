"""A release under two proven sensitivities: both readings are bounds, and the larger sensitivity never costs less."""

import pytest

from wassdp.accounting import accountant, event, sensitivities


def released(published=2.0):
    step = event.WassersteinGradientStep(noise_std=4.0, sensitivity=1.0, published_sensitivity=published)
    drawn = event.SampledWithoutReplacement(event=step, records=100, batch=10)
    return event.qualified(event.repeated(drawn, 5), notes=("a note",))


def test_the_published_sensitivity_takes_the_place_of_the_tight_one_and_nothing_else_changes():
    found = sensitivities.under_published(released())
    step = event.WassersteinGradientStep(noise_std=4.0, sensitivity=2.0)
    assert found == event.qualified(
        event.repeated(event.SampledWithoutReplacement(event=step, records=100, batch=10), 5), notes=("a note",)
    )


def test_an_event_without_a_second_sensitivity_has_no_second_reading():
    assert sensitivities.under_published(released(published=None)) is None
    assert sensitivities.under_published(event.Gaussian(noise_multiplier=1.0, adjacency="replace-one")) is None


def test_upper_accountants_read_the_smaller_sensitivity():
    pld = accountant.load("pld")
    tight = pld.epsilon(released(), 1e-5).value
    assert tight < pld.epsilon(sensitivities.under_published(released()), 1e-5).value
    assert tight == pld.epsilon(released(published=None), 1e-5).value


def test_events_stored_before_there_were_two_are_read():
    stored = event.encode(event.WassersteinGradientStep(noise_std=1.0, sensitivity=1.0))
    del stored["published_sensitivity"]
    assert event.decode(stored).published_sensitivity is None


def test_a_published_sensitivity_below_the_proven_one_is_refused():
    with pytest.raises(ValueError, match=r"published_sensitivity = 0\.5: must be at least"):
        event.WassersteinGradientStep(noise_std=1.0, sensitivity=1.0, published_sensitivity=0.5)
