"""A new event is one file, and so is a new accountant: written into a copy of the package, everything finds them."""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wassdp
from wassdp.accounting.accountant import PUBLISHED

EVENT = '''
"""One bit of every record, told wrongly with some probability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wassdp import checks
from wassdp.accounting.commands import REPLACE, Command, need
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Adjacency


@dataclass(frozen=True, kw_only=True)
class RandomisedResponse(Event):
    """A bit that is told as it is with probability ``truth``."""

    truth: float
    adjacency: Adjacency = "replace-one"
    commands = (
        Command(
            name="randomised-response",
            shared=(),
            own={"truth": {"type": float, "metavar": "P", "help": "probability of the true bit"}},
            adjacency=REPLACE,
        ),
    )

    def __post_init__(self) -> None:
        checks.probability("truth", self.truth)

    @classmethod
    def typed(cls, options: Mapping[str, Any], adjacency: Adjacency) -> RandomisedResponse:
        return cls(truth=need(options, "truth"), adjacency=adjacency)

    @property
    def pure_epsilon(self) -> float:
        return abs(math.log(self.truth / (1 - self.truth)))
'''
ACCOUNTANT = '''
"""Pure budgets, added up."""

from __future__ import annotations

from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee


class AddedAccountant(Accountant):
    """The sum of the releases' pure budgets."""

    source = "Dwork and Roth (2014), Theorem 3.14"

    def supports(self, event: Event) -> str | None:
        known = all(part.pure_epsilon is not None for part, _ in event.parts())
        return None if known else "not every release has a pure budget"

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        self.refuse(event, delta)
        return self.guarantee(event, delta, sum(count * part.pure_epsilon for part, count in event.parts()))
'''


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package with two files more."""
    root = tmp_path_factory.mktemp("copy")
    package = root / "wassdp"
    shutil.copytree(Path(wassdp.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "accounting/events/randomised_response.py").write_text(EVENT)
    (package / "accounting/accountants/upper/added.py").write_text(ACCOUNTANT)
    return root


def ran(copied, *arguments):
    """What a process that imports the copy prints."""
    called = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(copied)}, cwd=copied, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert called.returncode == 0, called.stderr
    return called.stdout


def test_the_command_line_and_every_accountant_know_a_new_event_and_a_new_accountant(copied):
    asked = ("randomised-response", "--truth", "0.75", "--delta", "1e-5")
    shown = json.loads(ran(copied, "-m", "wassdp", "epsilon", *asked, "--steps", "3", "--json"))
    budgets = {row["accountant"]: row["epsilon"] for row in shown["rows"]}
    assert budgets["added"] == pytest.approx(3 * math.log(3))
    # Each with one part in a hundred thousand given up: no more than the sum of the pure budgets, and not far below.
    assert 3 <= budgets["pld"] <= 3 * math.log(3) <= budgets["rdp"] <= budgets["zcdp"]
    kinds = {row["accountant"]: row["kind"] for row in shown["rows"]}
    assert kinds == {name: "published" if name in PUBLISHED.names() else "upper" for name in budgets}
    assert {row["adjacency"] for row in shown["rows"]} == {"replace-one"}
    assert "randomised-response: probability of the true bit" in ran(copied, "-m", "wassdp", "epsilon", "--help")


def test_a_new_event_is_written_down_sampled_and_read_again(copied):
    code = """
from wassdp.accounting import compare
from wassdp.accounting.event import decode, encode
event = {"type": "RandomisedResponse", "truth": 0.75, "adjacency": "replace-one"}
drawn = decode({"type": "SampledWithoutReplacement", "event": event, "records": 100, "batch": 10})
assert decode(encode(drawn)) == drawn
print(compare(drawn, 1e-5)["pld"].epsilon)
"""
    amplified = math.log1p(0.1 * (3 - 1))
    assert float(ran(copied, "-c", code)) == pytest.approx(amplified, rel=1e-3)


def test_a_new_proven_accountant_states_no_budget_where_none_is_proven(copied):
    """Although its formula knows nothing of what is exposed, or of inexact draws."""
    code = """
from wassdp.accounting import accountant
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.qualified import Qualified
part = Laplace(noise_multiplier=2.0, adjacency="add-remove")
for more in ({}, {"exposed": ("a sum",)}, {"total_variation": 1e-12}):
    print(accountant.load("added").epsilon(Qualified(events=(part,), counts=(3,), **more), 1e-5).epsilon)
"""
    assert ran(copied, "-c", code).split() == ["1.5", "None", "None"]
