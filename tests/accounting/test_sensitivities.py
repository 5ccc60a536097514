"""A release under two proven sensitivities: both readings are bounds, and the larger sensitivity never costs less."""

import pytest

from wassdp.accounting import accountant
from wassdp.accounting.event import decode, encode
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep


def released(published=2.0):
    step = WassersteinGradientStep(noise_std=4.0, sensitivity=1.0, published_sensitivity=published)
    drawn = SampledWithoutReplacement(event=step, records=100, batch=10)
    return qualified(repeated(drawn, 5), notes=("a note",))


def test_the_published_sensitivity_takes_the_place_of_the_tight_one_and_nothing_else_changes():
    found = released().under_published()
    step = WassersteinGradientStep(noise_std=4.0, sensitivity=2.0)
    assert found == qualified(
        repeated(SampledWithoutReplacement(event=step, records=100, batch=10), 5), notes=("a note",)
    )


def test_an_event_without_a_second_sensitivity_has_no_second_reading():
    assert released(published=None).under_published() is None
    assert Gaussian(noise_multiplier=1.0, adjacency="replace-one").under_published() is None


def test_upper_accountants_read_the_smaller_sensitivity():
    pld = accountant.load("pld")
    tight = pld.epsilon(released(), 1e-5).value
    assert tight < pld.epsilon(released().under_published(), 1e-5).value
    assert tight == pld.epsilon(released(published=None), 1e-5).value


def test_events_stored_before_there_were_two_are_read():
    stored = encode(WassersteinGradientStep(noise_std=1.0, sensitivity=1.0))
    del stored["published_sensitivity"]
    assert decode(stored).published_sensitivity is None


def test_a_published_sensitivity_below_the_proven_one_is_refused():
    with pytest.raises(ValueError, match=r"published_sensitivity = 0\.5: must be at least"):
        WassersteinGradientStep(noise_std=1.0, sensitivity=1.0, published_sensitivity=0.5)
