"""The whole range that accounting promises: every answer is right or refused with a reason, in little memory.

One process of its own answers every question, so that its peak memory is its own, and prints what it found.
"""

import json
import math
import subprocess
import sys

import pytest

QUESTIONS = r"""
import itertools, json, sys, time, warnings
from wassdp.accounting.numerics import exact
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.pipeline.provenance import peak_memory_mib

warnings.simplefilter("error", RuntimeWarning)


def poisson(noise, rate, steps):
    release = Gaussian(noise_multiplier=noise, adjacency="add-remove")
    return repeated(release if rate == 1 else PoissonSampled(event=release, rate=rate), steps)


def drawn(noise, rate, steps):
    release = Gaussian(noise_multiplier=noise, adjacency="replace-one")
    return repeated(SampledWithoutReplacement(event=release, records=10**6, batch=round(rate * 10**6)), steps)


def sliced(projections, dimension, noise, steps):
    release = SlicedProjections(noise_std=noise, projections=projections, dimension=dimension)
    return repeated(SampledWithoutReplacement(event=release, records=10000, batch=100), steps)


def asked(which):
    deltas = (1e-30, 1e-5)
    if which == "projections":
        # Noise relative to the mean sensitivity √(k/d), so that every shape is asked at comparable budgets.
        for k, d in itertools.product((1, 10**5), (2, 10**5)):
            for relative, steps, delta in itertools.product((0.3, 3.0, 100.0), (1, 1000), deltas):
                yield (k, d, relative, steps), sliced(k, d, relative * (k / d) ** 0.5, steps), delta
        return
    make = {"poisson": poisson, "drawn": drawn}[which]
    for noise, rate, steps in itertools.product((0.05, 1.0, 30.0, 1e4), (1e-6, 0.01, 1.0), (1, 1000, 10**7)):
        for delta in deltas:
            yield (noise, rate, steps), make(noise, rate, steps), delta


found = []
for name, event, delta in asked(sys.argv[1]):
    start = time.perf_counter()
    try:
        bracket = exact.epsilon(event, delta)
        answer = [bracket.lower, bracket.upper]
    except ValueError as error:
        answer = str(error)
    found.append([name, delta, answer, time.perf_counter() - start])
print(json.dumps({"found": found, "peak": peak_memory_mib() / 1024}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("which", ["poisson", "drawn", "projections"])
def test_every_corner_is_right_or_refused(which):
    done = subprocess.run([sys.executable, "-c", QUESTIONS, which], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout)
    found = result["found"]
    refused = [(name, answer) for name, _, answer, _ in found if isinstance(answer, str)]
    answered = [(name, delta, *answer) for name, delta, answer, _ in found if not isinstance(answer, str)]
    widths = sorted(((high - low) / high, name, delta) for name, delta, low, high in answered if high > 0)
    slowest = max((seconds, name, delta) for name, delta, _, seconds in found)
    print(
        f"{which}: {len(found)} settings, {len(refused)} refused, widest {widths[-3:]}, slowest {slowest}, "
        f"peak {result['peak']:.2f} GiB"
    )
    assert result["peak"] < 1.0
    assert all("outside the range" in reason for _, reason in refused), refused
    assert len(refused) <= 0.02 * len(found)
    for name, delta, low, high in answered:
        assert math.isfinite(high), (name, delta, low, high)
        assert 0 <= low <= high, (name, delta, low, high)
    # More releases, and a smaller δ, never cost less; a zero is one whose total variation is within δ.
    known = {(tuple(name), delta): (low, high) for name, delta, low, high in answered}
    for (name, delta), (low, _) in known.items():
        for steps in (1000, 10**7):
            more = (*name[:-1], steps)
            if name[-1] < steps and (more, delta) in known:
                assert known[more, delta][1] >= low * (1 - 1e-9), (name, more, delta)
        if delta == 1e-5 and (name, 1e-30) in known:
            assert known[name, 1e-30][1] >= low * (1 - 1e-9), (name, delta)
    if which != "projections":
        for (noise, rate, steps), delta, _, high in answered:
            # The total variation of T releases is at least that of one and at most T times that.
            single = rate * math.erf(0.5 / noise / math.sqrt(2))
            assert (high > 0) if single > delta else True
            assert (high == 0) if steps * single < delta else True
    assert widths[-1][0] <= 0.1
