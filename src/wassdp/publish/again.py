"""A published folder's ledger, tables and figures once more, from the results that it holds and by today's code.

For sets that are not computed anew: results stay as they are, to the byte.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wassdp.config import Config, FigureChoice
from wassdp.config import output as config_output
from wassdp.files import write_json, write_text
from wassdp.pipeline import collect, provenance
from wassdp.pipeline import plan as plans
from wassdp.pipeline.plan import Plan, PlannedExperiment, PlannedOutput
from wassdp.publish.exchange import appearing
from wassdp.publish.index import readme
from wassdp.publish.origin import working_tree
from wassdp.result import Result

OWN = ("plan.json", "provenance.json")


def again(folder: Path, *, remark: str | None = None, config: Config | None = None) -> Plan:
    """Make everything in a published folder but its results again; it changes whole or not at all.

    Args:
        folder: what `wassdp.publish.copy.publish` made.
        remark: a line on top of README and ledger, about all runs; None leaves what stands there, empty removes it.
        config: what an older plan lacks is taken from its experiments: search, remarks, and the numbers of seeds and
            runs. An experiment that it does not have takes those of the one whose name, with a hyphen, begins its own.

    Returns:
        The plan of the folder.

    Raises:
        ValueError: the folder is no published one, holds no result, or a figure or table cannot be made of them.
    """
    for name in OWN:
        if not (folder / name).is_file():
            raise ValueError(f"again = {str(folder)!r}: is no published folder, it has no {name}")
    plan = plans.read(folder / "plan.json")
    if config is not None:
        plan = completed(plan, config)
    found = collect.results(plan, folder, partial=True, undigested=True)
    if not found:
        raise ValueError(f"again = {str(folder)!r}: holds no result of its plan")
    origin = json.loads((folder / "provenance.json").read_text())
    line = origin.get("remark") if remark is None else remark or None
    tree = working_tree(folder, folder.parent)
    origin |= {"remark": line, "made_again": {"at": provenance.now(), **tree}}
    with appearing(folder) as draft:
        shutil.copytree(folder, draft, dirs_exist_ok=True)
        _make(draft, plan, found, line)
        plans.write(draft / "plan.json", plan)
        write_json(draft / "provenance.json", origin)
        files = {str(path.relative_to(draft)): path for path in sorted(draft.rglob("*")) if path.is_file()}
        text = readme(plan, found, files, origin["missing"], origin)
        write_text(draft / "README.md", _headed(text, line, origin["made_again"]))
    return plan


def completed(plan: Plan, config: Config) -> Plan:
    """``plan`` with what its experiments lack of search, remarks, seeds and number of runs, from a configuration."""
    known = {experiment.name: experiment for experiment in plans.plan(config).experiments}

    def of(own: PlannedExperiment) -> PlannedExperiment:
        like = [name for name in known if own.name == name or own.name.startswith(f"{name}-")]
        if not like:
            return own
        other = known[max(like, key=len)]
        taken: dict[str, Any] = {"search": other.search, "remarks": other.remarks}
        if own.seeds is None:
            taken |= {"seeds": other.seeds, "configured_runs": other.configured_runs}
        return own.model_copy(update=taken)

    return plan.model_copy(update={"experiments": tuple(of(each) for each in plan.experiments)})


def _make(draft: Path, plan: Plan, found: Mapping[str, Result], remark: str | None) -> None:
    """Tables of runs, ledger, figures and tables; the ledger says more than the results it is made of alone."""
    import matplotlib as mpl

    from wassdp.report import frames, ledger_files, style, table_files

    mpl.use("agg")
    collect.write_csv(draft / "runs.csv", collect.run_frame(plan, found))
    ledger_files.write(draft, plan, found, remark=remark)
    with tempfile.TemporaryDirectory() as place:
        history, sheets = Path(place) / "history.csv", Path(place) / "pictures.csv"
        collect.write_csv(history, collect.history_frame(found))
        collect.write_csv(sheets, collect.picture_frame(found))
        for experiment in plan.experiments:
            for section, outputs in (("figures", experiment.figures), ("tables", experiment.tables)):
                for output in outputs:
                    asked = _asked(section, output)
                    runs, points = frames.of_experiment(draft / "runs.csv", history, experiment.name)
                    try:
                        if section == "tables":
                            made = asked.build(runs, points)
                            table_files.write(made, draft / "tables" / output.name)
                        else:
                            figure, data = asked.draw(frames.with_pictures(runs, sheets), points)
                            style.save(figure, data, draft / "figures" / experiment.paper / output.name)
                    except ValueError as error:
                        raise ValueError(f"{section}.{output.name} of {experiment.name}: {error}") from error


def _asked(section: str, output: PlannedOutput) -> Any:
    """The figure or table of an output, its options checked."""
    return config_output(section, FigureChoice(name=output.name, kind=output.kind, options=output.options))


def _headed(text: str, remark: str | None, made: Mapping[str, Any]) -> str:
    """The README with the remark on top, and with when what is not a result was made."""
    title, rest = text.split("\n", 1)
    commit = "an unknown commit" if made["commit"] is None else f"commit `{made['commit'][:12]}`"
    said = f"Ledger, tables and figures were made again from these results on {made['at']}, from {commit}."
    head = [title, "", *([f"**{remark}**", ""] if remark else []), said]
    return "\n".join(head) + "\n" + rest
