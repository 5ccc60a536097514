"""Budgets by `wassdp` beside dp-accounting, autodp, prv-accountant and Opacus on the same question.

Each row: median seconds of both, taken in turn so that a busy machine slows both alike, the ratio peer / ours
(above 1: ours is faster), both epsilons, their ratio, our bracket, and whether a target, if there is one, is met.
autodp and prv-accountant belong to the ``bench`` extra; without them their rows say so.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any

from wassdp.accounting import calibrate
from wassdp.accounting.accountants.published.gdp import GDPAccountant
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.accounting.accountants.upper.rdp import RDPAccountant, _divergence
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections, mixture
from wassdp.accounting.guarantee import Adjacency
from wassdp.accounting.numerics import exact

NOISE, RATE, STEPS, DELTA = 1.0, 256 / 60000, 60000, 1e-5


def subsampled() -> Event:
    release = Gaussian(noise_multiplier=NOISE, adjacency="add-remove")
    return repeated(PoissonSampled(event=release, rate=RATE), STEPS)


def drawn(noise: float) -> Event:
    release = Gaussian(noise_multiplier=noise, adjacency="replace-one")
    return repeated(SampledWithoutReplacement(event=release, records=30000, batch=6000), 500)


def sliced(noise: float, sampling: str) -> Event:
    adjacency: Adjacency = "replace-one" if sampling == "without replacement" else "zero-out"
    release = SlicedProjections(noise_std=noise, projections=1000, dimension=784, adjacency=adjacency)
    if sampling == "without replacement":
        return repeated(SampledWithoutReplacement(event=release, records=60000, batch=100), 60000)
    return repeated(PoissonSampled(event=release, rate=1 / 600), 60000)


def once(function: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and value of one call that finds nothing kept from an earlier one."""

    mixture.cache_clear()
    _divergence.cache_clear()
    start = time.perf_counter()
    value = function()
    return time.perf_counter() - start, value


def in_turn(*functions: Callable[[], Any]) -> list[tuple[float, Any]]:
    """Median seconds and value of each, called in turn: a round to warm up, then five, or three slow ones."""
    first = [once(function) for function in functions]
    rounds = 5 if sum(seconds for seconds, _ in first) < 3 else 3
    taken = [[once(function)[0] for function in functions] for _ in range(rounds)]
    return [
        (statistics.median(seconds), value) for seconds, (_, value) in zip(zip(*taken, strict=True), first, strict=True)
    ]


def row(
    question: str,
    ours: Callable[[], Any],
    peer: str,
    theirs: Callable[[], float] | None,
    *,
    seconds_at_most: float | None = None,
    ratio_at_least: float | None = None,
) -> dict[str, Any]:
    timings = in_turn(*([ours] if theirs is None else [ours, theirs]))
    seconds, answer = timings[0]
    upper, error = (answer.upper, answer.upper - answer.lower) if isinstance(answer, exact.Bracket) else (answer, None)
    line: dict[str, Any] = {"question": question, "seconds": seconds, "epsilon": upper, "error": error, "peer": peer}
    peer_seconds, peer_epsilon = timings[1] if theirs is not None else (None, None)
    ratio = None if peer_seconds is None else peer_seconds / seconds
    targets, met = [], True
    if seconds_at_most is not None:
        targets.append(f"at most {seconds_at_most:g} s")
        met = met and seconds <= seconds_at_most
    if ratio_at_least is not None and ratio is not None:
        targets.append(f"ratio at least {ratio_at_least:g}")
        met = met and ratio >= ratio_at_least
    return line | {
        "peer seconds": peer_seconds,
        "ratio": ratio,
        "peer epsilon": peer_epsilon,
        "epsilon ratio": None if peer_epsilon is None else upper / peer_epsilon,
        "target": ", ".join(targets),
        "met": met if targets else None,
    }


def dp_accounting_pld() -> float:
    # Peers are imported where they are measured: not every one is installed, and one brings torch.
    from dp_accounting import dp_event
    from dp_accounting.pld import pld_privacy_accountant

    accountant = pld_privacy_accountant.PLDAccountant()
    accountant.compose(dp_event.PoissonSampledDpEvent(RATE, dp_event.GaussianDpEvent(NOISE)), STEPS)
    return float(accountant.get_epsilon(DELTA))


def dp_accounting_poisson_rdp() -> float:
    from dp_accounting import dp_event
    from dp_accounting.rdp import rdp_privacy_accountant

    accountant = rdp_privacy_accountant.RdpAccountant()
    accountant.compose(dp_event.PoissonSampledDpEvent(RATE, dp_event.GaussianDpEvent(NOISE)), STEPS)
    return float(accountant.get_epsilon(DELTA))


def dp_accounting_rdp(noise: float) -> float:
    from dp_accounting import dp_event, privacy_accountant
    from dp_accounting.rdp import rdp_privacy_accountant

    accountant = rdp_privacy_accountant.RdpAccountant(
        neighboring_relation=privacy_accountant.NeighboringRelation.REPLACE_ONE
    )
    accountant.compose(dp_event.SampledWithoutReplacementDpEvent(30000, 6000, dp_event.GaussianDpEvent(noise)), 500)
    return float(accountant.get_epsilon(0.1 / 30000))


def opacus(name: str, **options: Any) -> float:
    from opacus import accountants

    accountant = getattr(accountants, name)()
    accountant.history = [(NOISE, RATE, STEPS)]
    return float(accountant.get_epsilon(DELTA, **options))


def autodp_poisson() -> Callable[[], float] | None:
    if importlib.util.find_spec("autodp") is None:
        return None

    def run() -> float:
        from autodp import rdp_acct, rdp_bank

        accountant = rdp_acct.anaRDPacct()
        accountant.compose_poisson_subsampled_mechanisms(
            lambda order: rdp_bank.RDP_gaussian({"sigma": NOISE}, order), RATE, coeff=STEPS
        )
        return float(accountant.get_eps(DELTA))

    return run


def autodp_wor(noise: float) -> Callable[[], float] | None:
    if importlib.util.find_spec("autodp") is None:
        return None

    def run() -> float:
        from autodp import rdp_acct, rdp_bank

        accountant = rdp_acct.anaRDPacct()
        accountant.compose_subsampled_mechanism(
            lambda order: rdp_bank.RDP_gaussian({"sigma": noise}, order), 0.2, coeff=500, improved_bound_flag=True
        )
        return float(accountant.get_eps(0.1 / 30000))

    return run


def prv_accountant() -> Callable[[], float] | None:
    if importlib.util.find_spec("prv_accountant") is None:
        return None

    def run() -> float:
        import prv_accountant as prv
        from prv_accountant.privacy_random_variables import PoissonSubsampledGaussianMechanism

        mechanism = PoissonSubsampledGaussianMechanism(noise_multiplier=NOISE, sampling_probability=RATE)
        accountant = prv.PRVAccountant(
            prvs=[mechanism], max_self_compositions=[STEPS], eps_error=0.01, delta_error=DELTA / 1000
        )
        return float(accountant.compute_epsilon(delta=DELTA, num_self_compositions=[STEPS])[2])

    return run


class Counting(PLDAccountant):
    """Counts what a calibration asks."""

    asked = 0

    def epsilon(self, event: Event, delta: float) -> Any:
        type(self).asked += 1
        return super().epsilon(event, delta)

    def upper(self, event: Event, delta: float) -> float:
        type(self).asked += 1
        return super().upper(event, delta)


def calibration(name: str, make: Callable[[float], Event]) -> dict[str, Any]:
    Counting.asked = 0
    start = time.perf_counter()
    noise = calibrate.noise_multiplier(make, epsilon=1.0, delta=DELTA, accountant=Counting())
    seconds = time.perf_counter() - start
    return {
        "question": f"calibrate {name} to epsilon 1: noise {noise:.5g}",
        "seconds": seconds,
        "epsilon": exact.upper_epsilon(make(noise), DELTA),
        "peer": f"{Counting.asked} evaluations",
        "target": "at most 12 evaluations",
        "met": Counting.asked <= 12,
    }


def poisson_rows() -> list[dict[str, Any]]:
    question = f"Poisson Gaussian, {STEPS} steps"

    def bracket() -> exact.Bracket:
        return exact.epsilon(subsampled(), DELTA)

    def upper() -> float:
        return exact.upper_epsilon(subsampled(), DELTA)

    def closed() -> float:
        return RDPAccountant().epsilon(subsampled(), DELTA).value

    def limit() -> float:
        return GDPAccountant().epsilon(subsampled(), DELTA).value

    pld = "dp-accounting PLD"
    return [
        row(f"{question}, bracket", bracket, pld, dp_accounting_pld, ratio_at_least=1),
        row(f"{question}, upper value alone", upper, pld, dp_accounting_pld, ratio_at_least=3),
        row(
            f"{question}, bracket", bracket, "opacus PRV (error 0.01)", lambda: opacus("PRVAccountant", eps_error=0.01)
        ),
        row(f"{question}, bracket", bracket, "prv-accountant (error 0.01)", prv_accountant()),
        row(f"{question}, bracket", bracket, "dp-accounting RDP", dp_accounting_poisson_rdp),
        row(f"{question}, bracket", bracket, "opacus RDP", lambda: opacus("RDPAccountant")),
        row(f"{question}, bracket", bracket, "autodp RDP", autodp_poisson()),
        row(f"{question}, closed-form RDP", closed, "opacus RDP", lambda: opacus("RDPAccountant")),
        row(
            f"{question}, GDP limit",
            limit,
            "opacus GDP (a limit, no bound)",
            lambda: opacus("GaussianAccountant", poisson=True),
        ),
    ]


def drawn_rows() -> list[dict[str, Any]]:
    return [
        row(
            f"without replacement, noise {noise}, 500 steps, bracket",
            functools.partial(exact.epsilon, drawn(noise), 0.1 / 30000),
            peer,
            theirs,
        )
        for noise in (18.163, 4.239)
        for peer, theirs in (
            ("dp-accounting RDP", functools.partial(dp_accounting_rdp, noise)),
            ("autodp RDP (improved bound)", autodp_wor(noise)),
        )
    ]


def by_orders(event: Event) -> float:
    return RDPAccountant().epsilon(event, DELTA).value


def sliced_rows() -> list[dict[str, Any]]:
    return [
        row(
            f"DP-SWD, d 784, k 1000, 60000 steps, sigma {noise}, {sampling}, bracket",
            functools.partial(exact.epsilon, event, DELTA),
            "our closed-form RDP",
            functools.partial(by_orders, event),
            seconds_at_most=3,
        )
        for noise in (2.94, 0.84)
        for sampling in ("without replacement", "Poisson")
        for event in (sliced(noise, sampling),)
    ]


def main() -> list[dict[str, Any]]:
    rows = poisson_rows() + drawn_rows() + sliced_rows()
    rows.append(calibration("DP-SWD", lambda noise: sliced(noise, "without replacement")))
    release = Gaussian(noise_multiplier=1.0, adjacency="add-remove")
    rows.append(
        calibration(
            "Poisson Gaussian",
            lambda noise: repeated(
                PoissonSampled(event=dataclasses.replace(release, noise_multiplier=noise), rate=RATE), STEPS
            ),
        )
    )
    return rows
