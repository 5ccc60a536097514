"""Configurations, plans, results, outcomes and tables that went wrong at random, as commands meet them.

``python tests/fuzzed_files.py --cases 10000 --seed 1`` tries ten thousand and prints what failed; the test suite tries
some hundreds (`tests/test_fuzzed_files.py`). A case is a whole file with a few random changes: bytes that flip, go or
come twice, or values of its tree that are replaced, removed, repeated or nested. What reads it has to take it, or to
refuse it by an error of one line. Anything else fails: another exception, several lines, a warning of Python, more than
a few seconds of the processor.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import yaml

import _tree
from wassdp import config
from wassdp.pipeline import job, stored
from wassdp.pipeline import plan as plans
from wassdp.report import frames
from wassdp.result import Outcome, load_outcome, save
from wassdp.runs import expand

SECONDS, LONGEST = 20.0, 3000
ROOT = Path(__file__).parents[1]
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**63, 10**400, 1e308, 5e-324, float("nan"), float("inf"), "", " ", "nan", "1e400", "\0"),
    *(
        "a|b\n",
        "{word}",
        "{0}",
        "%s",
        "../../x",
        "<script>",
        "\ud7ff\u202e",
        "ε",
        [],
        {},
        [[]],
        {"": None},
        [None] * 50,
    ),
    *({"name": "pld"}, {"a": {"b": {"c": 1}}}, "9" * 5000, -0.0, 1.5, False, "true", "*", "x" * 20_000),
)


Kinds: TypeAlias = dict[str, tuple[bytes, Callable[[Path], object]]]


def kinds(folder: Path) -> Kinds:
    """What is read: a whole file of each kind, and what reads it."""
    plan = _tree.make(folder)
    run = plan.runs[0].run
    results = {run: (folder / "runs" / run / "result.json").read_bytes()}
    small = {"preset": "fuzzed", "experiments": yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"][:3]}

    planned = plans.plan(config.validate(small))
    plans.write(folder / "planned.json", planned)

    def configured(path: Path) -> object:
        return expand(config.read(path))

    def result(path: Path) -> object:
        place = folder / "fuzzed" / "runs" / run / "result.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)
        return stored.read(folder / "fuzzed")

    def table(**replaced: Path) -> object:
        paths = {name: folder / f"{name}.csv" for name in ("runs", "history")} | replaced
        return frames.of_experiment(paths["runs"], paths["history"], "training")

    columns = "run,experiment,label,seed,delta,accuracy,epsilon/upper/pld,seconds\n"
    runs = (columns + f"{run},training,a,0,1e-5,0.5,1.0,2.0\n" * 3).encode()
    history = (f"run,metric,axis,position,value\n{run},accuracy,epoch,1,0.5\n").encode()
    (folder / "runs.csv").write_bytes(runs)
    (folder / "history.csv").write_bytes(history)
    outcome = Outcome(
        run=run,
        spec=plan.runs[0].spec,
        event=None,
        delta=None,
        metrics={"accuracy": 0.5},
        provenance=_tree.provenance(),
    )
    save(folder / "outcome.json", outcome)
    return {
        "configuration": (yaml.safe_dump(small).encode(), configured),
        "plan": ((folder / "planned.json").read_bytes(), plans.read),
        "job": ((folder / "planned.json").read_bytes(), lambda path: job.read(path, planned.runs[0].run)),
        "result": (results[run], result),
        "outcome": ((folder / "outcome.json").read_bytes(), load_outcome),
        "runs": (runs, lambda path: table(runs=path)),
        "history": (history, lambda path: table(history=path)),
    }


def changed(content: bytes, draw: random.Random) -> bytes:
    """A file that went wrong."""
    tree = None
    if draw.random() < 0.7:
        try:
            tree = json.loads(content)
        except ValueError:
            tree = yaml.safe_load(content) if content.startswith(b"experiments:") else None
    if isinstance(tree, dict):
        for _ in range(draw.choice((1, 1, 1, 2, 5))):
            tree = replaced(tree, draw)
        return spelt(tree, json_like=content.startswith(b"{"))
    return flipped(content, draw)


def spelt(tree: Any, *, json_like: bool) -> bytes:
    text = json.dumps(tree) if json_like else yaml.safe_dump(tree, allow_unicode=True)
    return text.encode("utf-8", errors="surrogatepass")


def flipped(content: bytes, draw: random.Random) -> bytes:
    """Bytes changed, taken away, or put there twice."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 10))):
        place = draw.randrange(len(data) + 1)
        match draw.randrange(5):
            case 0:
                data[place : place + 1] = bytes([draw.randrange(256)])
            case 1:
                del data[place : place + draw.choice((1, 5, 100, len(data)))]
            case 2:
                data[place:place] = data[max(0, place - 40) : place]
            case 3:
                data[place:place] = draw.choice((b"\0", b"\xff\xfe", b"[" * 2000, b"{", b'"', b",", b"\r", b"&a [*a]"))
            case 4:
                data[place : place + 3] = draw.choice((b"1e9", b"nan", b"-1", b"null", b"\n"))
    return bytes(data)


def replaced(tree: Any, draw: random.Random) -> Any:
    """One value of a tree changed."""
    tree = copy.deepcopy(tree)
    places = list(_places(tree))
    if not places:
        return tree
    holder, key = draw.choice(places)
    match draw.randrange(5):
        case 0 | 1:
            holder[key] = draw.choice(ODD)
        case 2:
            del holder[key]
        case 3 if isinstance(holder, dict):
            holder[draw.choice(("", "odd", f"{key}s", "name", "kind", "\0", "x" * 300))] = draw.choice(ODD)
        case _:
            other, name = draw.choice(places)
            holder[key] = (
                copy.deepcopy(other[name]) if name in (other if isinstance(other, dict) else range(len(other))) else 7
            )
    return tree


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield node, key
        yield from _places(value)


def tried(read: Callable[[Path], object], path: Path) -> tuple[str | None, bool]:
    """What is wrong with how a file is taken or refused (None: nothing), and whether it was taken.

    ``path`` may be used up.
    """
    begin = time.process_time()  # on a busy machine, a clock on the wall tells of others
    taken = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read(path)
            taken = True
    except (ValueError, OSError) as error:
        said = str(error)
        if type(error).__module__.startswith("pydantic") or len(said.splitlines()) != 1:
            return f"several lines, or of a library: {said[:300]!r}", taken
        if not said.isprintable():
            return f"not printable: {said[:300]!r}", taken
        if len(said) > LONGEST:
            return f"{len(said)} characters: {said[:100]!r}", taken
    except Exception:
        return "".join(traceback.format_exc().splitlines(keepends=True)[-6:]), taken
    seconds = time.process_time() - begin
    return (f"took {seconds:.0f} s" if seconds > SECONDS else None), taken


def cases(seed: int, names: list[str]) -> Iterator[tuple[int, str, random.Random]]:
    """Without end: the number of a case, its kind, and what draws it, so that any one can be tried alone."""
    for number in itertools.count():
        yield number, names[number % len(names)], random.Random(f"{seed}/{number}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzzed_files", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    begin, used = time.monotonic(), time.process_time()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known = kinds(folder / "whole")
        path = folder / "file"
        for number, kind, draw in itertools.islice(cases(options.seed, list(known)), options.first, options.cases):
            content, read = known[kind]
            path.write_bytes(changed(content, draw))
            found, taken = tried(read, path)
            counts[kind] += 1
            counts["taken" if taken else "refused"] += 1
            if found:
                counts["failed"] += 1
                print(json.dumps({"case": number, "kind": kind, "wrong": found}), flush=True)
    print(
        json.dumps(
            counts | {"seconds": round(time.monotonic() - begin), "processor": round(time.process_time() - used)}
        )
    )
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
