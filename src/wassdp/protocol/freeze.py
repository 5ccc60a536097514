"""The chosen settings as a configuration that says where they come from and counts only unchanged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from wassdp import yaml_files
from wassdp.config import read, validate
from wassdp.files import write_text
from wassdp.pipeline import provenance, readings
from wassdp.protocol import trials
from wassdp.protocol.study import Study, studies
from wassdp.protocol.trials import Trial
from wassdp.selection import NONE, READ, VALIDATION, by_validation, digest, sha256

NAME = "frozen.yaml"
RUNS = Path("results/tuning")
"""Where the runs of trials are, if nothing else is said."""
HEAD = "# Settings chosen by `wassdp tune`, written by `wassdp freeze`; `wassdp final` refuses it once it changed.\n"


def store_of(configuration: Path) -> Path:
    """The folder of a configuration's trials, its frozen form and its readings: beside it, called alike."""
    return configuration.with_suffix("")


def freeze(configuration: Path, store: Path, runs: Path = RUNS) -> Path:
    """Write the frozen configuration into ``store``.

    Args:
        configuration: that was tuned.
        store: folder of its trials.
        runs: folder of the runs' folders; what is still there has to agree with the trials.

    Raises:
        ValueError: a study lacks trials, has none that did not fail, or one that is not what its setting came to.
        OSError: a file cannot be read or written.
    """
    value = yaml_files.read(configuration)
    found = {study.name: (study, trials.read(study.file(store))) for study in studies(read(configuration))}
    chosen: dict[str, list[dict[str, Any]]] = {}
    edited: dict[str, list[str]] = {}
    for study, done in found.values():
        chosen.setdefault(study.experiment.name, []).append(study.point | best(study, done).setting)
        study.verify(done, runs)
        if study.codes(done) > 1:
            edited.setdefault(study.experiment.name, []).append(study.at)
    counts = {study.experiment.name: len(done) for study, done in found.values()}
    home = store_of(configuration)
    on_record = [each for folder in {home.resolve(), store.resolve()} for each in readings.read(folder)]
    tested = bool(on_record) or _read_elsewhere(configuration, {f"{name}{trials.SUFFIX}" for name in found})
    files = {path.name: file_digest(path) for path in sorted(store.glob(f"*{trials.SUFFIX}"))}
    known, base = _read_before(store, on_record)
    earlier = {name: _earlier(name, found, chosen, store) for name in chosen}
    experiments = [
        _frozen(experiment, chosen.get(name), counts, earlier, edited.get(name, ()), tested)
        for name, experiment in ((each["name"], each) for each in value["experiments"])
    ]
    frozen: dict[str, Any] = {
        "configuration": sha256(value),
        "protocol": value["protocol"],
        "commit": provenance.commit(),
        "trials": files,
        "digest": "",
    }
    if home.resolve() != store.resolve():  # one record, wherever the trials are: it has to be found again
        frozen["source"] = Path(os.path.relpath(configuration.resolve(), store.resolve())).as_posix()
    frozen |= {"follows": base} if base else {}
    made = {"preset": value["preset"], "frozen": frozen, "experiments": experiments}
    made = yaml.safe_load(_text(made))  # as whoever reads the file will have it
    told = {each["name"] for each in value["experiments"] if each.get("selection") == READ}
    made["experiments"] = [
        _kept(experiment, known, files, experiment["name"] in told) for experiment in made["experiments"]
    ]
    made["frozen"]["digest"] = digest(made)
    validate(made)
    out = store / NAME
    write_text(out, HEAD + _text(made))
    return out


def of_several_codes(configuration: Path, store: Path) -> list[str]:
    """Studies that were gone on with after their code was edited: their trials compare it with itself, too."""
    found = ((study, trials.read(study.file(store))) for study in studies(read(configuration)))
    return [f"{study.title} ({study.codes(done)} codes)" for study, done in found if study.codes(done) > 1]


def undigested(configuration: Path, store: Path) -> list[str]:
    """Studies with trials of versions that wrote no digests beside them: nothing tells whether they were edited."""
    found = ((study, trials.without_digest(study.file(store))) for study in studies(read(configuration)))
    return [f"{study.title} ({count} trials)" for study, count in found if count]


def record_of(frozen: Path) -> Path:
    """The folder of the readings of a frozen configuration: that of its configuration, wherever its trials are.

    Raises:
        ValueError: the configuration is not where it was.
    """
    found = read(frozen).frozen
    if found is None or found.source is None:
        return frozen.parent
    configuration = frozen.parent / found.source
    if not configuration.is_file():
        raise ValueError(
            f"{frozen}: frozen.source = {found.source!r}: must be the configuration's file; readings are on record "
            "beside it"
        )
    return store_of(configuration)


def _read_elsewhere(configuration: Path, files: Collection[str]) -> bool:
    """Whether test records were read for one of these studies under another name of the configuration, beside it."""
    for path in configuration.parent.glob(f"*/{NAME}"):
        try:
            own = yaml_files.read(path)["frozen"]["trials"]
        except (OSError, ValueError, LookupError, TypeError):
            continue
        if not set(files).isdisjoint(own) and readings.read(path.parent):
            return True
    return False


def _read_before(store: Path, on_record: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], str | None]:
    """The frozen configuration in place that test records were read for, and the digest it was read under.

    One that was frozen after a reading, and keeps what did not change since, counts as what it follows.

    Args:
        store: its folder.
        on_record: readings.

    Returns:
        Nothing and None where there is none, or where it changed since.
    """
    path = store / NAME
    try:
        frozen = read(path).frozen
    except (OSError, ValueError):
        return {}, None
    digests = {entry["digest"] for entry in on_record}
    own = () if frozen is None else (frozen.digest, frozen.follows)
    found = next((each for each in own if each in digests), None)
    return (yaml_files.read(path), found) if found else ({}, None)


def _kept(made: dict[str, Any], known: Mapping[str, Any], files: Mapping[str, str], told: bool) -> dict[str, Any]:
    """An experiment as it was frozen before test records were read, if neither it nor its trials changed since.

    Where the configuration tells by now that test accuracies had a part in what is not searched, this is added.
    """
    name, facts = made["name"], ("search", "selection")

    def own(digests: Mapping[str, str]) -> dict[str, str]:
        return {file: each for file, each in digests.items() if file.startswith(f"{name}.")}

    def rest(experiment: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in experiment.items() if key not in facts}

    before: dict[str, Any] | None = next((each for each in known.get("experiments", ()) if each["name"] == name), None)
    if before is None or own(files) != own(known["frozen"]["trials"]):
        return made
    if rest(before) != rest(made):
        return made
    counted = VALIDATION.fullmatch(before.get("selection", ""))
    return before | {"selection": by_validation(int(counted[1]), known=True)} if told and counted else before


class _Plain(yaml.SafeDumper):
    """Writes everything where it stands: no anchors, no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(value: Any) -> str:
    return yaml.dump(value, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=120)


def best(study: Study, done: Sequence[Trial]) -> Trial:
    """The trial of the largest value, of equal ones the first.

    Raises:
        ValueError: trials are missing, there are more than the protocol has, or all failed.
    """
    study.refuse_more(done)
    if len(done) != study.protocol.trials:
        raise ValueError(f"{study.title}: has {len(done)} of {study.protocol.trials} trials; `wassdp tune` makes them")
    complete = [trial for trial in done if trial.value is not None]
    if not complete:
        raise ValueError(f"{study.title}: all {len(done)} trials failed, the last one: {done[-1].reason}")
    return max(complete, key=lambda trial: (trial.value, -trial.number))


def check(frozen: Path) -> str:
    """The digest of a frozen configuration, if neither it nor a file of trials changed since.

    Raises:
        ValueError: something did, or it is no frozen configuration.
    """
    found = read(frozen).frozen
    if found is None:
        raise ValueError(f"{frozen}: is no frozen configuration; `wassdp freeze` writes one")
    for name, known in found.trials.items():
        path = frozen.with_name(name)
        if not path.exists() or file_digest(path) != known:
            raise ValueError(f"{path}: is not as it was when {frozen.name} was written")
    return found.digest


def file_digest(path: Path) -> str:
    """SHA-256 (64 hex digits) of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _frozen(
    experiment: Mapping[str, Any],
    settings: list[dict[str, Any]] | None,
    counts: Mapping[str, int],
    earlier: Mapping[str, int],
    edited: Sequence[str],
    tested: bool,
) -> dict[str, Any]:
    """An experiment with the settings that were chosen, and the fact of how."""
    name = experiment["name"]
    if settings is None:
        return {**experiment, "selection": experiment.get("selection", NONE)}
    number = counts[name] + earlier[name]
    # The rule that holds them out is public. The records are not, and their scores have no noise.
    words = (
        f"settings of every budget by {counts[name]} trials, scored without noise on a sixth of the training records"
    )
    words += f", after {earlier[name]} trials of other spaces or experiments" if earlier[name] else ""
    if edited:
        words += "; the code was edited between trials" + (f" at {', '.join(edited)}" if any(edited) else "")
    words += "; test accuracies had been read before" if tested else ""
    kept = {key: item for key, item in experiment.items() if key not in ("grid", "space", "settings")}
    return kept | {
        "settings": settings,
        "search": "; ".join(filter(None, [experiment.get("search"), words])),
        "selection": READ if tested else by_validation(number, known=experiment.get("selection") == READ),
    }


def _earlier(name: str, found: Collection[str], searched: Collection[str], store: Path) -> int:
    """How many trials there are in files of no study of today that may have told something of an experiment.

    Of its own ones with other spaces, grids or seeds, and of experiments that are searched no more: it may be one of
    these under another name.

    Args:
        name: of the experiment.
        found: names of today's studies.
        searched: names of the experiments that are searched.
        store: folder of the files of trials.
    """
    others = [path for path in store.glob(f"*{trials.SUFFIX}") if path.name.removesuffix(trials.SUFFIX) not in found]
    owners = {path: path.name.partition(".")[0] for path in others}
    return sum(len(trials.read(path)) for path, owner in owners.items() if owner == name or owner not in searched)
