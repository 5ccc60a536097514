"""What every mechanism keeps, found by listing the folder: shapes, sensitivity, noise, events, seeds.

A mechanism's `examples` tell how to try it on records that are rows of numbers; nothing here knows which one it is.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import math
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from torch import Tensor

from wassdp import full_precision, mechanisms
from wassdp.accounting import accountant
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.guarantee import REPLACING
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.noise import seeded

UPPER = [name for name, plugins in accountant.names().items() if plugins.package.endswith("upper")]
ROUNDING = 1e-5
"""Share of a sensitivity that sums in the precision of the release may be off by."""
EXTREME = (0.0, 1.0, -1.0, 1e-300, 1e-30, 1e30, -1e300, 1.7e308, math.inf, -math.inf, math.nan)
"""What a number of a record may be, besides an ordinary one."""


def listed() -> Iterator[type[Mechanism]]:
    """The mechanisms that the files of the folder define; one is whatever has a release."""
    for file in pkgutil.iter_modules(mechanisms.__path__):
        module = importlib.import_module(f"{mechanisms.__name__}.{file.name}")
        for _, value in inspect.getmembers(module, inspect.isclass):
            own = value.__module__ == module.__name__
            if own and hasattr(value, "release") and not inspect.isabstract(value):
                yield value


def examples(noise: float) -> list[Example]:
    return [example for mechanism in listed() for example in mechanism.examples(noise)]


def named(example: Example) -> str:
    """The mechanism, and how records enter."""
    return f"{type(example.mechanism).__name__}-{example.mechanism.event(1).sampling}"


def innermost(event: Event) -> Event:
    """One release on records that have entered."""
    return list(event.within())[-1]


EXACT, NOISY = examples(0.0), examples(1.3)
exact = pytest.mark.parametrize("example", EXACT, ids=named)
noisy = pytest.mark.parametrize("example", NOISY, ids=named)


def ordinary(example: Example, rows: int) -> Tensor:
    return torch.randn(rows, example.width, generator=torch.Generator().manual_seed(rows), dtype=torch.float64)


def test_whatever_has_a_release_is_a_mechanism_with_examples() -> None:
    classes = set(listed())
    assert classes
    for mechanism in classes:
        assert issubclass(mechanism, Mechanism), f"{mechanism.__name__} has a release: derive it from Mechanism"
        assert mechanism.examples(1.0), f"{mechanism.__name__}: give examples"
    files = {Path(inspect.getfile(mechanism)).name for mechanism in classes}
    written = {path.name for path in Path(mechanisms.__path__[0]).glob("*.py") if "def release(" in path.read_text()}
    assert files == written - {"base.py"}


@noisy
def test_a_full_batch_and_an_empty_one_leave_in_the_declared_shape(example: Example) -> None:
    assert example.released(ordinary(example, example.rows), seeded(0)).shape == example.shape
    nobody = torch.zeros(0, example.width, dtype=torch.float64)
    if example.mechanism.event(1).sampling == "poisson":  # it is drawn now and then
        assert example.released(nobody, seeded(0)).shape == example.shape
        return
    try:
        found: object = example.released(nobody, seeded(0)).shape
    except ValueError as refused:  # batches of a fixed size are never empty: one line may refuse it
        found = len(str(refused).splitlines())
    assert found in (example.shape, 1)


@st.composite
def neighbours(draw: st.DrawFn, example: Example) -> tuple[Tensor, Tensor]:
    """Two batches of which the event says that they are neighbours, with records of every kind."""
    adjacency = example.mechanism.event(1).adjacency
    number = st.one_of(st.sampled_from(EXTREME), st.floats(-3, 3, width=32))
    record = st.lists(number, min_size=example.width, max_size=example.width)
    count = example.rows if adjacency in REPLACING else draw(st.integers(1, example.rows))
    few = draw(st.lists(record, min_size=1, max_size=3))  # so that there are duplicates
    batch = [draw(st.sampled_from(few)) for _ in range(count)]
    place = draw(st.integers(0, count - 1))
    if adjacency == "add-remove":
        other = batch[:place] + batch[place + 1 :]
    else:
        other = [*batch]
        other[place] = [0.0] * example.width if adjacency == "zero-out" else draw(record)
    return tuple(torch.tensor(rows, dtype=torch.float64).reshape(-1, example.width) for rows in (batch, other))  # type: ignore[return-value]


def moved(example: Example, batch: Tensor, other: Tensor) -> float:
    """How far the exact numbers of two batches are apart, the same bits being drawn."""
    first, second = (example.released(rows, seeded(0)).double() for rows in (batch, other))
    assert bool(torch.isfinite(torch.stack([first, second])).all())
    return float((first - second).norm())


def search_for_worse(example: Example) -> None:
    """A search for neighbours further apart than the sensitivity, the same one every time."""

    @settings(max_examples=100, deadline=None, derandomize=True, report_multiple_bugs=False)
    @given(pair=neighbours(example))
    def search(pair: tuple[Tensor, Tensor]) -> None:
        assert moved(example, *pair) <= example.sensitivity * (1 + ROUNDING)

    search()


@exact
def test_a_neighbour_moves_the_exact_numbers_by_at_most_the_sensitivity(example: Example) -> None:
    if math.isinf(example.sensitivity):
        assert example.mechanism.event(1).unbounded(), "a mechanism without a sensitivity says that nothing is proved"
    else:
        search_for_worse(example)


@noisy
def test_autocast_and_reduced_precision_change_nothing(example: Example) -> None:
    """Sums rounded to 8 bits move by as much as many records where one is replaced."""
    rows = ordinary(example, example.rows).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = example.released(rows, seeded(0))
    assert torch.equal(cast, example.released(rows, seeded(0)))


@noisy
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_records_of_few_digits_are_refused_or_released_in_more(example: Example, dtype: torch.dtype) -> None:
    rows = ordinary(example, example.rows).to(dtype)
    try:
        released = example.released(rows, seeded(0))
    except (ValueError, RuntimeError):
        return
    assert released.dtype in full_precision.TYPES


@exact
def test_the_sensitivity_is_no_idle_claim(example: Example) -> None:
    """Some neighbours come within a factor of five of it: a mechanism that says nothing keeps any sensitivity."""
    if math.isinf(example.sensitivity):
        return
    batch, other = (torch.zeros(example.rows, example.width, dtype=torch.float64) for _ in range(2))
    batch[0], other[0] = 2.0, -2.0
    assert moved(example, batch, other) >= example.sensitivity / 5


@noisy
def test_the_event_states_no_more_noise_than_is_drawn(example: Example) -> None:
    """In units of the sensitivity, rounded up where it is drawn and at most there where it is stated."""
    step = innermost(example.mechanism.event(1))
    if math.isinf(example.sensitivity):
        assert step.noise_std == example.noise_std  # type: ignore[attr-defined]
    elif hasattr(step, "distance"):
        assert (step.noise_std, step.distance) == (example.noise_std, example.sensitivity)  # type: ignore[attr-defined]
    else:
        stated = step.reduced().noise_multiplier  # type: ignore[attr-defined]
        assert stated * example.sensitivity <= example.noise_std * (1 + 1e-12)
        assert stated * example.sensitivity >= example.noise_std * (1 - 1e-12), "less than needed is stated"


@noisy
def test_the_noise_of_a_release_has_the_declared_deviation(example: Example) -> None:
    """Chi-square of 4,000 numbers or more, and their law: each fails for one seed in a million; the seeds are fixed."""
    silent = next(other for other in EXACT if named(other) == named(example))
    batch = ordinary(example, example.rows)
    numbers = math.prod(example.shape)
    drawn = torch.cat([
        (example.released(batch, seeded(seed)).double() - silent.released(batch, seeded(seed)).double()).flatten()
        for seed in range(-(-4000 // numbers))
    ])  # fmt: skip
    units = drawn / example.noise_std
    count = len(units)
    assert stats.chi2.ppf(5e-7, count) < float(units.square().sum()) < stats.chi2.ppf(1 - 5e-7, count)
    assert stats.kstest(units.numpy(), "norm").pvalue > 1e-6


@noisy
def test_seeds_reproduce_samples_and_releases(example: Example) -> None:
    batch = ordinary(example, example.rows)
    first, again, other = (example.released(batch, seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    drawn = [example.mechanism.sample(generator=seeded(1)) for _ in range(2)]
    parts = [list(each.values()) if isinstance(each, dict) else [each] for each in drawn]
    for left, right in zip(*parts, strict=True):
        assert left is right is None or torch.equal(left, right)
        assert left is None or len(left.unique()) == len(left)


@noisy
def test_events_compose(example: Example) -> None:
    """``n`` releases are one release n times, for whoever reads the event; none are none."""
    once, often = example.mechanism.event(1), example.mechanism.event(6)
    assert isinstance(once, Composed)
    together = Composed(events=(once, once), counts=(2, 4))
    assert (often.steps, often.adjacency, often.sampling) == (6, once.adjacency, once.sampling)
    for event in (often, together):
        parts: dict[str, int] = {}
        for part, count in event.flat():
            parts[repr(part)] = parts.get(repr(part), 0) + count
        assert parts == {repr(part): 6 * count for part, count in once.flat()}
    assert often.unbounded() == together.unbounded()
    assert often.exposed == once.exposed
    assert example.mechanism.event(0).steps == 0
    for name in UPPER:
        if accountant.load(name).supports(often) is None:
            assert accountant.load(name).epsilon(example.mechanism.event(0), 1e-5).value == 0


@exact
def test_without_noise_no_budget_is_finite(example: Example) -> None:
    event = example.mechanism.event(3)
    supporting = [name for name in UPPER if accountant.load(name).supports(event) is None]
    assert supporting, "some upper bound knows the event"
    for name in supporting:
        assert accountant.load(name).epsilon(event, 1e-5).value == math.inf, name


NEW = '''"""A mechanism written by somebody else: the mean of numbers in [-1, 1]."""

from dataclasses import dataclass

from wassdp import noise
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.mechanisms.base import Example, Mechanism


@dataclass(frozen=True)
class Mean(Mechanism):
    multiplier: float

    def release(self, rows, *, generator):
        return noise.rounded({kept}.mean(dim=0), std=self.multiplier / 2, generator=generator)

    def event(self, steps):
        return repeated(Gaussian(noise_multiplier=self.multiplier, adjacency="replace-one"), steps)

    @classmethod
    def examples(cls, noise):
        mean = cls(noise)
        return (
            Example(
                mechanism=mean,
                rows=4,
                width=1,
                shape=(1,),
                sensitivity=0.5,
                noise_std=noise / 2,
                released=lambda rows, bits: mean.release(rows, generator=bits),
            ),
        )
'''


@pytest.mark.parametrize(
    ("kept", "sound"), [("rows.nan_to_num(0).clamp(-1, 1)", True), ("rows.clamp(-1, 1)", False), ("rows", False)]
)
def test_a_new_file_is_looked_at(kept: str, sound: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here names it; one that lets through what is no number, or forgets to clip, is found out."""
    (tmp_path / "clamped_mean.py").write_text(NEW.format(kept=kept), encoding="utf-8")
    monkeypatch.setattr(mechanisms, "__path__", [*mechanisms.__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    (new,) = [example for example in examples(0.0) if type(example.mechanism).__name__ == "Mean"]
    with contextlib.nullcontext() if sound else pytest.raises(AssertionError):
        search_for_worse(new)
