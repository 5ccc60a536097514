"""The three lines of Python, and what they print."""

import subprocess
import sys

import pytest

from wassdp.accounting import compare
from wassdp.accounting.accountants.upper.rdp import RDPAccountant
from wassdp.accounting.calibrate import least_noise
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.guarantee import Guarantee


def event(adjacency="replace-one", noise=4.0):
    release = Gaussian(noise_multiplier=noise, adjacency=adjacency)
    return repeated(SampledWithoutReplacement(event=release, records=1000, batch=100), 50)


def test_upper_bounds_come_first_and_the_limit_is_marked():
    found = compare(event(), 1e-5)
    assert [g.kind for g in found.guarantees] == sorted(
        (g.kind for g in found.guarantees), key=["upper", "published"].index
    )
    assert isinstance(found["pld"], Guarantee)
    assert found["pld"].value < found["rdp"].value
    text, html = str(found), found._repr_html_()
    assert "gdp *" in text
    assert "not an upper bound" in text
    assert html.startswith("<table>")
    assert "not an upper bound" in html
    with pytest.raises(KeyError):
        found["nobody"]


def test_refusals():
    with pytest.raises(ValueError, match="no upper bound covers it"):
        compare(event("add-remove"), 1e-5)
    with pytest.raises(ValueError, match="accountant = 'zcdp'"):
        compare(event(), 1e-5, ["zcdp"])


@pytest.mark.parametrize(
    ("method", "answer", "line"),
    [
        ("supports", True, "supports = True: must be None, or the reason why not"),
        ("supports", "", "supports = '': must be None, or the reason why not"),
        ("epsilon", 0.5, r"epsilon = 0\.5: must be a Guarantee, as self\.guarantee\("),
        ("epsilon", None, "epsilon = None: must be a Guarantee"),
    ],
)
def test_an_accountant_that_answers_otherwise_is_named(monkeypatch, method, answer, line):
    """Asked for by name or not: it would vanish among those that do not cover the event."""
    monkeypatch.setattr(RDPAccountant, method, lambda *arguments: answer)
    for names in (None, ["rdp"]):
        with pytest.raises(ValueError, match=f"^accountant rdp: {line}"):
            compare(event(), 1e-5, names)
    with pytest.raises(ValueError, match=f"^accountant rdp: {line}"):
        least_noise(lambda noise: event(noise=noise), epsilon=1.0, delta=1e-5, accountant=RDPAccountant())


def test_accounting_imports_no_torch():
    code = "import sys; import wassdp.cli.verbs.epsilon; from wassdp.accounting import accountant, compare; "
    code += "[accountant.load(name) for name in accountant.names()]; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
