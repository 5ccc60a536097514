"""Random calls of the command line, extreme values included, in processes under limits of time and memory.

``python tests/extreme_calls.py --calls 10000`` asks ten thousand questions and prints what failed; see
`CONTRIBUTING.md`. The test suite asks two thousand of another seed (`tests/cli/test_extreme.py`).

A call fails if it ends in a traceback, takes longer or more memory than it may, refuses in more than one line or with
another exit code than 2, or prints a number that cannot be: NaN, infinity, a negative ε. After a call that answered,
the same question with more noise or fewer steps must not have a larger upper value, beyond the error that it states.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECONDS, BYTES, BLOCK = 20, 2 << 30, 20
MARK = "Traceback (most recent call last)"
MECHANISMS = ("gaussian", "laplace", "dpsgd", "dpswd", "wasserstein-gradient", "gibbs")
# fmt: off
NOISE = ("0", "1e-308", "1e-300", "1e-100", "1e-8", "1e-6", "1e-3", "0.01", "0.05", "30", "1e4", "1e8", "1e100",
         "1e300", "1e308", "5e-324")
# fmt: on
COUNTS = ("0", "1", "2", "3", "7", "4588", "100000", "10000000", "1000000000000", "1" + 18 * "0", "1" + 40 * "0")
DELTAS = ("1e-5", "1e-5", "1e-10", "1e-30", "1e-100", "1e-300", "1e-320", "5e-324", "0.5", "0.9999999999999999")
ODD = (
    "--",
    "-1",
    "-0.0",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "",
    " ",
    "x",
    "0x10",
    "1_0",
    "１",
    "1e",
    "1.5",
    "\u0000",
    "--delta",
)
"""Where a number is wanted; the last but few are numbers, of a kind that few expect."""


def number(chance: random.Random, low: float, high: float, extreme: tuple[str, ...], *, whole: bool = False) -> str:
    """As typed: mostly from the range where people work, sometimes far outside, rarely no number at all."""
    kind = chance.random()
    if kind < 0.02:
        return chance.choice(ODD)
    if kind < 0.25:
        return chance.choice(extreme)
    value = math.exp(chance.uniform(math.log(low), math.log(high)))
    return str(round(value)) if whole else f"{value:.4g}"


def call(chance: random.Random, folder: str, *, cheap: bool = False) -> list[str]:
    """One command line; a ``cheap`` one takes hundredths of a second in most cases."""
    verb = chance.choices(("epsilon", "calibrate", "curve"), (97, 2.5, 0.5) if cheap else (70, 18, 12))[0]
    mechanism = chance.choices(MECHANISMS, (1, 1, 1, 0.1 if verb == "epsilon" else 0, 1, 1) if cheap else None)[0]
    words = [verb, mechanism]
    maybe = lambda share: chance.random() < share  # noqa: E731

    def add(flag: str, value: str) -> None:
        words.extend([f"{flag}={value}"] if value.startswith("-") and maybe(0.8) else [flag, value])

    sought = "noise" if verb == "calibrate" and maybe(0.7) else "steps" if verb == "calibrate" else ""
    if sought != "noise":
        noise = number(chance, 0.3, 300, NOISE)
        if mechanism == "gibbs":
            add("--inverse-temperature", noise)
        elif mechanism == "dpswd":
            add("--sigma", noise)
        elif maybe(0.1):
            add("--sigma", noise)
            add("--sensitivity", number(chance, 0.1, 10, NOISE))
        else:
            add("--noise-multiplier", noise)
    records = number(chance, 100, 1e6, COUNTS, whole=True)
    sampled = mechanism in ("dpsgd", "dpswd", "wasserstein-gradient") and maybe(0.7)
    if mechanism == "gibbs":
        add("--risk-range", number(chance, 0.1, 10, NOISE))
    if sampled or mechanism == "gibbs":
        add("--records", records)
    if sampled:
        small = records.isascii() and records.isdigit() and int(records) > 1 and maybe(0.9)
        add("--batch", str(chance.randint(1, min(int(records), 10**4))) if small else chance.choice(COUNTS + ODD))
        if maybe(0.3):
            add("--sampling", chance.choice(("poisson", "without-replacement", "full")))
    if mechanism == "dpswd":
        projections = number(chance, 1, 300, COUNTS, whole=True)
        add("--projections", projections)
        add("--dimension", projections if maybe(0.2) else number(chance, 1, 300, COUNTS, whole=True))
        if maybe(0.3):
            add("--directions", chance.choice(("iid", "orthogonal")))
        if maybe(0.1):
            words.append("--unpadded")
    if sought != "steps":
        if sampled and maybe(0.2):
            add("--epochs", number(chance, 0.1, 100, ("0", "1e-300", "1e18", "1e308")))
            if maybe(0.3):
                add("--steps-per-epoch", number(chance, 1, 300, COUNTS, whole=True))
        elif maybe(0.8):
            add("--steps", number(chance, 1, 1000, COUNTS, whole=True))
    if maybe(0.1):
        add("--adjacency", chance.choice(("add-remove", "replace-one", "zero-out", "replace-one-inside-class")))
    kind = chance.choice(("profile", "steps", "trade-off"))
    if verb != "curve" or (kind == "steps" and maybe(0.5)):
        add("--delta", number(chance, 1e-12, 1e-2, DELTAS))
    if verb == "curve":
        words += ["--kind", kind]
        words += ["--out", f"{folder}/curve.svg"]
        if maybe(0.7):
            add("--points", number(chance, 2, 12, ("0", "1", "2", "200", "1000000", "1" + 18 * "0"), whole=True))
        return words
    if verb == "calibrate":
        add("--epsilon", number(chance, 0.1, 20, ("1e-300", "1e-8", "1e-3", "1e3", "1e8", "1e300", "0")))
        words += ["--find", sought]
    if verb == "epsilon" and maybe(0.95 if cheap else 0.5):
        words += ["--accountant", chance.choice(("pld", "pld", "rdp", "zcdp", "gdp", "renyi", "moments"))]
    if verb == "calibrate" and maybe(0.8 if cheap else 0.3):
        words += ["--accountant", chance.choice(("pld", "rdp", "zcdp"))]
    return [*words, "--json"]


def easier(words: list[str], chance: random.Random) -> list[str] | None:
    """The same question of an event that loses less privacy: more noise, or fewer steps; None where it has neither."""
    changed = list(words)
    places = [i for i, word in enumerate(words) if word in ("--noise-multiplier", "--sigma", "--steps")]
    if words[0] != "epsilon" or not places:
        return None
    place = chance.choice(places)
    if words[place] == "--steps":
        if int(words[place + 1]) < 2:
            return None
        changed[place + 1] = str(int(words[place + 1]) // chance.choice((2, 100)) or 1)
    else:
        changed[place + 1] = repr(float(words[place + 1]) * chance.choice((1.01, 2.0, 1e3)))
    return changed


@dataclass
class Outcome:
    """What became of one call.

    Args:
        code: exit code.
        out: standard output.
        err: standard error.
        seconds: processor time.
        bytes: largest resident memory of the process so far.
    """

    code: int
    out: str
    err: str
    seconds: float
    bytes: int
    wrong: list[str] = field(default_factory=list)

    def judge(self) -> None:
        """Fill in ``wrong``."""
        if MARK in self.err:
            self.wrong.append(self.err.strip().splitlines()[-1])
        if self.seconds > SECONDS:
            self.wrong.append(f"took {self.seconds:.0f} s, more than {SECONDS}")
        if self.bytes > BYTES:
            self.wrong.append(f"took {self.bytes / 2**30:.1f} GiB")
        if self.code > 0 and not self.wrong:
            if self.code != 2:
                self.wrong.append(f"exit code {self.code}: {self.err.strip()[:200]}")
            if self.err.count("\n") != 1 or self.out:
                self.wrong.append(f"no one line: {self.err[:300]!r} {self.out[:100]!r}")
        if self.code == 0 and self.out.startswith("{"):
            self.wrong += [f"printed {found}" for found in impossible(json.loads(self.out))]

    def uppers(self) -> dict[str, tuple[float, float]]:
        """Proven upper values and their stated errors, by accountant."""
        if self.code or not self.out.startswith("{"):
            return {}
        return {
            row["accountant"]: (math.inf if row["epsilon"] is None else row["epsilon"], row["epsilon_error"] or 0.0)
            for row in json.loads(self.out)["rows"]
            if row["kind"] == "upper"
        }


def impossible(value: dict) -> list[str]:  # type: ignore[type-arg]
    """Figures of a printed comparison that cannot be."""
    found = []
    for row in value["rows"]:
        epsilon, error = row["epsilon"], row["epsilon_error"]
        if epsilon is not None and not 0 <= epsilon < math.inf:
            found.append(f"epsilon {epsilon} by {row['accountant']}")
        if error is not None and not (0 <= error < math.inf and (epsilon is None or error <= epsilon)):
            found.append(f"error {error} of {epsilon} by {row['accountant']}")
    if "found" in value:
        found += [f"{name} {sought}" for name, sought in value["found"].items() if not 0 <= sought < math.inf]
    return found


def answer(words: list[str]) -> Outcome:
    """Call the command line in this process."""
    from wassdp.cli import main

    out, err, start, code = io.StringIO(), io.StringIO(), time.process_time(), 70
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        except BaseException:
            traceback.print_exc()
    seconds = time.process_time() - start
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found = Outcome(code, out.getvalue(), err.getvalue(), seconds, largest)
    found.judge()
    return found


def asked(seed: int, index: int, folder: str, *, cheap: bool = False) -> tuple[list[str], Outcome, int]:
    """One random call, and, where it answered, an easier one beside it; how many calls that were."""
    chance = random.Random(f"{seed} {index}")
    words = call(chance, folder, cheap=cheap)
    found = answer(words)
    known = found.uppers()
    other = easier(words, chance) if known and chance.random() < 0.5 else None
    if other is None:
        return words, found, 1
    second = answer(other)
    if second.wrong:
        return other, second, 2
    for name, (value, error) in second.uppers().items():
        above, _ = known.get(name, (math.inf, 0.0))
        if value - error > above * (1 + 1e-9):
            found.wrong.append(f"{name}: {above!r}, but {value!r} (error {error!r}) for {' '.join(other)}")
    found.seconds = max(found.seconds, second.seconds)
    found.bytes = max(found.bytes, second.bytes)
    return words, found, 2


def block(seed: int, first: int, folder: str, *, cheap: bool) -> Iterator[tuple[int, dict]]:  # type: ignore[type-arg]
    """Questions from ``first`` on in one forked process under limits, and what became of each; at most `BLOCK`."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(reading)
        # Nobody reads on where the parent was stopped.
        with contextlib.suppress(BrokenPipeError), open(writing, "w") as results:
            now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (now + BYTES, now + BYTES))
            signal.signal(signal.SIGXCPU, signal.SIG_DFL)
            for index in range(first, first + BLOCK):
                resource.setrlimit(
                    resource.RLIMIT_CPU, (int(time.process_time()) + 2 * SECONDS + 2, resource.RLIM_INFINITY)
                )
                words, found, calls = asked(seed, index, folder, cheap=cheap)
                line = {"words": words, "wrong": found.wrong, "seconds": round(found.seconds, 2), "calls": calls}
                print(json.dumps(line | {"bytes": found.bytes, "code": found.code}), file=results, flush=True)
        os._exit(0)
    os.close(writing)
    done = 0
    with open(reading) as results:
        for found in results:
            yield first + done, json.loads(found)
            done += 1
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        words = call(random.Random(f"{seed} {first + done}"), folder, cheap=cheap)
        wrong = [f"took more than {2 * SECONDS} s" if code == -signal.SIGXCPU else f"ended by signal {-code}"]
        yield first + done, {"words": words, "wrong": wrong, "seconds": 0.0, "calls": 1, "bytes": 0, "code": code}


def main() -> int:
    """Ask, print every failure as one line of JSON, and a summary last."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first question")
    parser.add_argument("--slow", type=float, default=SECONDS, help="also name calls that take this many seconds")
    parser.add_argument("--cheap", action="store_true", help="hardly any question that takes long, as in the suite")
    arguments = parser.parse_args()
    # What all calls need is imported once.
    import matplotlib.figure  # noqa: F401

    from wassdp.accounting import accountant, comparison, curves  # noqa: F401
    from wassdp.cli.verbs import (
        epsilon,  # noqa: F401
    )

    for name in accountant.names():
        accountant.load(name)
    counts = {"calls": 0, "answered": 0, "refused": 0, "failed": 0}
    slowest, largest, start, index = 0.0, 0, time.monotonic(), arguments.first
    # Stopped early, it still counts what was asked.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), tempfile.TemporaryDirectory() as folder:
        while counts["calls"] < arguments.calls:
            for place, found in block(arguments.seed, index, folder, cheap=arguments.cheap):
                index = place + 1
                counts["calls"] += found["calls"]
                kind = "failed" if found["wrong"] else "refused" if found["code"] else "answered"
                counts[kind] += found["calls"]
                slowest, largest = max(slowest, found["seconds"]), max(largest, found["bytes"])
                if found["wrong"] or found["seconds"] > arguments.slow:
                    print(json.dumps({"index": place} | found), flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = round(used.ru_utime + used.ru_stime)
    summary = {
        "processor": total,
        "slowest": round(slowest, 2),
        "GiB": round(largest / 2**30, 2),
        "seconds": round(time.monotonic() - start),
    }
    print(json.dumps(counts | summary))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
