"""Files that are damaged, and configurations that are not sane: one line with the place, exit code 2, nothing done."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from _tuned import CONFIG as TUNED
from wassdp import config, yaml_files
from wassdp.cli import main
from wassdp.pipeline import plan as plans
from wassdp.report import escaping, table_files
from wassdp.runs import MOST_RUNS, expand

BAD = {
    "no text": b"\xff\xfe\x00",
    "cut short": b'{"preset": "a"',
    "a list": b"[]",
    "empty": b"",
    "endless": b"[" * 100_000,
    "a huge number": b'{"preset": ' + b"9" * 5000 + b"}",
}
RUN = "0123456789ab"


def told(capsys: Any, *words: str) -> str:
    """The one line that a command says when it refuses its input."""
    code = main(words)
    lines = capsys.readouterr().err.splitlines()
    assert (code, len(lines)) == (2, 1), lines
    return str(lines[0])


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
@pytest.mark.parametrize("verb", ["collect", "ledger", "run", "account"])
def test_a_plan_that_cannot_be_read_is_named(verb: str, content: bytes, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    words = {
        "run": (RUN, "--out", str(tmp_path / "outcome.json")),
        "account": (RUN, "--outcome", str(tmp_path / "none"), "--out", str(tmp_path / "result.json")),
    }.get(verb, ("--results", str(tmp_path)))
    assert str(path) in told(capsys, verb, *words, "--plan", str(path))


def test_a_damaged_plan_is_made_again(tree: ModuleType, tmp_path: Path) -> None:
    plan = tree.make(tmp_path)
    for content in BAD.values():
        (tmp_path / "plan.json").write_bytes(content)
        plans.write(tmp_path / "plan.json", plan)
        assert plans.read(tmp_path / "plan.json") == plan


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
@pytest.mark.parametrize("name", ["outcome.json", "result.json"])
def test_a_record_that_cannot_be_read_is_named(
    name: str, content: bytes, tree: ModuleType, tmp_path: Path, capsys: Any
) -> None:
    tree.make(tmp_path)
    path = sorted(tmp_path.glob(f"runs/*/{name}"))[0]
    path.write_bytes(content)
    account = ("account", "--accountants", "[]", "--outcome", str(path), "--out", str(tmp_path / "result.json"))
    words = account if name == "outcome.json" else ("collect", "--results", str(tmp_path))
    assert str(path) in told(capsys, *words)


RUNS = "run,experiment,label,seed,delta,accuracy,epsilon/upper/pld,seconds\n"
ROW = "0123456789ab,training,a,0,1e-5,0.5,1.0,2\n"
HISTORY = "run,metric,axis,position,value\n0123456789ab,accuracy,epoch,1,0.5\n"
TABLES: dict[str, tuple[bytes, bytes]] = {
    "runs: no text": (b"\xff\xfe\x00", HISTORY.encode()),
    "runs: empty": (b"", HISTORY.encode()),
    "runs: of something else": (b"a,b\n1,2\n", HISTORY.encode()),
    "runs: ragged": ((RUNS + ROW + "1,2,3,4,5,6,7,8,9,10\n").encode(), HISTORY.encode()),
    "runs: a word in a budget": ((RUNS + ROW + ROW.replace("1.0", "one")).encode(), HISTORY.encode()),
    "runs: a word in a metric": ((RUNS + 2 * ROW + ROW.replace("0.5", "half")).encode(), HISTORY.encode()),
    "runs: a name that nobody can read": (
        (RUNS.replace("pld", "p\0ld") + ROW.replace("1.0", "one")).encode(),
        HISTORY.encode(),
    ),
    "history: empty": ((RUNS + ROW).encode(), b""),
    "history: no text": ((RUNS + ROW).encode(), b"\xff\xfe\x00"),
    "history: a word": ((RUNS + ROW).encode(), HISTORY.replace("0.5", "half").encode()),
    "history: cut short": ((RUNS + ROW).encode(), b"run,metric\n"),
    "history: an open quotation": ((RUNS + ROW).encode(), HISTORY.encode() + b'"'),
}


@pytest.mark.parametrize(("case", "tables"), TABLES.items(), ids=TABLES)
def test_a_table_that_cannot_be_read_is_named(
    case: str, tables: tuple[bytes, bytes], tmp_path: Path, capsys: Any
) -> None:
    paths = {name: tmp_path / f"{name}.csv" for name in ("runs", "history")}
    for path, content in zip(paths.values(), tables, strict=True):
        path.write_bytes(content)
    words = ("figure", "--runs", str(paths["runs"]), "--history", str(paths["history"]), "--experiment", "training")
    line = told(capsys, *words, "--kind", "accuracy_over_epochs", "--out", str(tmp_path / "figure"))
    assert str(paths[case.partition(":")[0]]) in line
    assert line.isprintable()
    assert not list(tmp_path.glob("figure*"))


SMALL = {
    "preset": "small",
    "experiments": [
        {
            "name": "composition",
            "paper": "wasserstein-dp",
            "kind": "synthetic_gradients",
            "parameters": {"steps": 3, "gradients": 4, "coordinates": 5, "clip": True},
            "grid": {"clip_quantile": [0.5, 0.75]},
            "accountants": ["pld", "wasserstein"],
        }
    ],
}
YAML = {
    "a key twice": ("preset: a\nexperiments: []\npreset: b\n", "preset: stands there twice"),
    "a key twice, deep down": (
        "preset: a\nexperiments: [{name: a, grid: {x: [1], x: [2]}}]\n",
        "x: stands there twice",
    ),
    "an alias in itself": ("preset: &a [*a]\nexperiments: []\n", "contains itself"),
    "nested without end": ("a: " + "[" * 3000 + "]" * 3000, "nested too deeply"),
    "nested": ("a: " + "[" * 100 + "]" * 100, "nested too deeply"),
    "a billion": (
        "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)),
        "more than 1,000,000 values",
    ),
    "an object": ("preset: !!python/object/apply:os.getcwd []\n", "could not determine a constructor"),
    "an alias in itself, as a value": ("preset: &a {x: *a}\n", "contains itself"),
    "an alias in itself, merged": ("preset: &a {<<: *a}\n", "contains itself"),
    "an alias in itself, as a key": ("? &a [*a]\n: 1\n", "contains itself"),
    "a billion merges": (
        "a0: &a0 {k: 1}\n"
        + "".join(f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 10)}]}}\n" for level in range(1, 30)),
        "more than 1,000,000 values",
    ),
    "a huge number": ("preset: " + "9" * 5000, "is not YAML"),
    "a huge number of another base": ("preset: 0x" + "f" * 5000, "a whole number of more than 300 digits"),
    "a date": ("preset: 2001-01-01\n", "holds a date: 2001-01-01; words need quotation marks"),
    "a set": ("preset: !!set {a}\n", "holds a set: {'a'}; words need quotation marks"),
    "a template": ("__use_yte__: true\npreset: a\n", "whose Python is not run here"),
    "nothing": ("", "is empty; preset and experiments are needed"),
}


@pytest.mark.parametrize(("text", "reason"), YAML.values(), ids=YAML)
def test_a_configuration_that_is_no_tree_of_values_is_one_line(
    text: str, reason: str, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    line = told(capsys, "plan", "--config", str(path))
    assert str(path) in line
    assert reason in line


def test_merge_keys_and_aliases_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: *a\n")
    assert yaml_files.read(path) == {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}, "c": {"x": 1, "y": 2}}
    # What a merge writes into a section is not taken for a key of its own, wherever that section is merged again.
    path.write_text("x: {y: &b {<<: &a {k: 1, l: 1}, k: 2}}\nc: {<<: *b, m: 3}\n")
    assert yaml_files.read(path) == {"x": {"y": {"k": 2, "l": 1}}, "c": {"k": 2, "l": 1, "m": 3}}


def edited(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(json.dumps(SMALL))
    change(value["experiments"][0])
    return value


MANY = [place / 4000 for place in range(1, 4000)]
SETS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a NUL": (lambda e: e.update(label="a\0 {clip_quantile}"), "printable"),
    "two lines": (lambda e: e.update(label="a\nb {clip_quantile}"), "must be one line of printable characters"),
    "ten thousand letters": (lambda e: e.update(label="a" * 9_000 + "{clip_quantile}"), "characters; at most"),
    "a name with a NUL": (lambda e: e.update(name="a\0b"), r"experiments\.'a\\x00b'\.name = 'a\\x00b'"),
    "a name that no file may have": (lambda e: e.update(name="a" * 300), "at most 100 characters"),
    "a paper's name that no folder may have": (lambda e: e.update(paper="a-" * 80), "at most 100 characters"),
    "a remark with a bell": (lambda e: e.update(remarks=[{"text": "ping \a"}]), "printable"),
    "an accountant's name with a bar": (
        lambda e: e.update(accountants=[{"name": "pld", "label": "a|b"}]),
        "experiments.composition.accountants",
    ),
    "ten million points": (lambda e: e["grid"].update(clip_quantile=MANY, delta=MANY), f"{MOST_RUNS:,} runs"),
    "a million seeds": (lambda e: e.update(seeds=list(range(10**6))), f"{MOST_RUNS:,} runs"),
    "a wrong value at the beginning of many": (
        lambda e: e["grid"].update(delta=[7.0, *MANY], clip_quantile=MANY),
        "delta = 7.0",
    ),
}


@pytest.mark.parametrize(("change", "reason"), SETS.values(), ids=SETS)
def test_a_set_that_is_not_sane_is_one_line(
    change: Callable[[dict[str, Any]], object], reason: str, capsys: Any
) -> None:
    with pytest.raises(ValueError, match=reason) as found:
        expand(config.validate(edited(change)))
    assert len(str(found.value).splitlines()) == 1
    assert len(str(found.value)) < 400


@pytest.mark.parametrize(
    "options", [{"published": {"WDP": "missing"}}, {"published": {"WDP": "wasserstein"}, "companion": True}]
)
def test_a_figure_of_budgets_that_nobody_gives_is_refused_before_any_work(options: dict[str, Any]) -> None:
    figure = {"name": "figure-4", "kind": "composition", "options": {"clip": True, **options}}
    value = edited(lambda experiment: experiment.update(figures=[figure]))
    with pytest.raises(ValueError, match=r"figures\.figure-4: needs the accountant (missing|moments)"):
        plans.plan(config.validate(value))


@pytest.mark.parametrize("kind", ["fair_losses", "fair_outputs"])
def test_a_figure_of_weights_that_no_run_has_is_refused_before_any_work(kind: str) -> None:
    experiment: dict[str, Any] = {
        "name": "fair",
        "paper": "dp-wasserstein-gradients",
        "kind": "fair_learning",
        "parameters": {
            "task": "classification",
            "steps": 1,
            "learning_rate": 0.25,
            "records": 600,
            "test_records": 400,
            "privacy": None,
            "clipping": {"loss_norm": 5, "output_norm": 1, "jacobian_norm": 1},
        },
        "grid": {"alpha": [0, 0.75]},
    }

    def planned(alphas: list[float]) -> plans.Plan:
        figure = {"name": "figure-4", "kind": kind, "options": {"alphas": alphas}}
        value = {"preset": "small", "experiments": [experiment | {"figures": [figure]}]}
        return plans.plan(config.validate(value))

    assert planned([0, 0.75]).runs
    assert planned([]).runs
    said = r"experiments\.fair\.figures\.figure-4\.options\.alphas = 0\.3: no run has this alpha; must be of 0, 0\.75$"
    with pytest.raises(ValueError, match=said):
        planned([0.75, 0.3])
    with pytest.raises(ValueError, match=r"shows alpha, which runs of kind classification do not have$"):
        plans.plan(digits(accountants=["moments", "pld"], figures=[{"name": "figure-4", "kind": kind}]))


def digits(**changes: Any) -> config.Config:
    """An experiment that trains, with and without privacy, and a figure whose lines are named by proven budgets."""
    experiment = {
        "name": "digits",
        "paper": "wasserstein-dp",
        "kind": "classification",
        "parameters": {"dataset": "digits", "model": {"name": "linear"}, "epochs": 1, "batch": 512}
        | {"optimiser": {"name": "momentum", "learning_rate": 1.0}},
        "grid": {"privacy": [{"clip_norm": 0.5, "epsilon": 3, "delta": 1e-5}, None]},
        "accountants": ["moments"],
        "figures": [{"name": "accuracy", "kind": "accuracy_over_epochs"}],
    }
    return config.validate({"preset": "small", "experiments": [experiment | changes]})


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        *(("figures", kind) for kind in ("accuracy_over_epochs", "per_class_accuracy", "confusion_matrix")),
        *(("figures", kind) for kind in ("generated_samples", "generation_accuracy", "generation_noise")),
        *(("tables", kind) for kind in ("generation", "lowest_budget", "sliced_noise")),
    ],
)
def test_what_names_private_runs_by_a_budget_is_refused_where_nobody_gives_it(section: str, kind: str) -> None:
    value = {"figures": [], section: [{"name": "shown", "kind": kind}]}
    with pytest.raises(ValueError, match=rf"{section}\.shown: needs the accountant pld, which is not among"):
        plans.plan(digits(**value))


def test_a_comparison_is_refused_where_one_of_its_methods_lacks_the_budgets_that_it_shows() -> None:
    """The table stands in one experiment and shows the runs of another, which nobody accounts for."""
    value: dict[str, Any] = json.loads(json.dumps(TUNED))
    value.pop("protocol")
    (first,) = value["experiments"]
    first.pop("space")
    second = first | {"name": "other", "accountants": ["rdp"], "compared": first["compared"] | {"method": "Other"}}
    second.pop("tables")
    value["experiments"].append(second)
    said = r"experiments\.other\.tables\.head-to-head-digits: needs the accountant pld, .*\(rdp\)"
    with pytest.raises(ValueError, match=said):
        plans.plan(config.validate(value))
    second["compared"]["task"] = "elsewhere"
    assert plans.plan(config.validate(value)).experiments[0].tables


def test_runs_without_privacy_need_no_accountant() -> None:
    assert plans.plan(digits(grid={"privacy": [None]}, accountants=[])).experiments[0].figures


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("accuracy_over_epochs", {"metric": "exactness"}),
        ("adaptation_over_epochs", {"metric": "distance\n\n.. raw:: html\n\n   <script>"}),
        ("fair_losses", {"metric": "objective\n\n.. include:: /etc/passwd"}),
        ("accuracy_over_epsilon", {"published": "wasserstein-dp-table-22"}),
    ],
)
def test_an_option_that_no_figure_could_be_drawn_with_is_refused(kind: str, options: dict[str, Any]) -> None:
    value = digits(accountants=["pld"], figures=[{"name": "shown", "kind": kind, "options": options}])
    with pytest.raises(ValueError, match=r"figures\.shown\.options\.(metric|published) = ") as found:
        plans.plan(value)
    assert str(found.value).isprintable()


HOSTILE = "a|b\n| c |<script>alert(1)</script> <img src=x> \\input{/etc/passwd} $\\immediate\\write18{ls}$ 50% & x_1"


def test_text_is_shown_and_never_taken_for_a_mark() -> None:
    import pandas as pd

    frame = pd.DataFrame({"what | else": [HOSTILE]})
    shown = table_files.markdown(frame)
    assert len(shown.splitlines()) == 3
    assert "<script" not in shown
    assert "<img" not in shown
    assert all(line.replace("\\|", "").count("|") == 2 for line in shown.splitlines())
    written = table_files.latex(frame)
    assert "\\input" not in written
    assert "\\write" not in written
    assert r"\textbackslash{}input\{/etc/passwd\}" in written
    assert escaping.latex(r"$\frac12(\Delta/\sigma)^{1/\mu}$") == r"$\frac12(\Delta/\sigma)^{1/\mu}$"
