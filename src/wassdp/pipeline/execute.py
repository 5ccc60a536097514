"""Run one specification: from ``spec`` to ``outcome.json``."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock

from wassdp import complaints, data
from wassdp.accounting.event import encode
from wassdp.config import kind_module
from wassdp.experiment import Context, Findings, Parameters, PrivateParameters
from wassdp.pipeline import provenance
from wassdp.pipeline.locks import held
from wassdp.pipeline.resume import FINISHED
from wassdp.pipeline.run_codes import run_code
from wassdp.result import Outcome, Provenance, load_outcome, save
from wassdp.runs import digest, identify, parse, specification


def execute(spec: Mapping[str, Any], out: Path, *, device: str = "auto") -> Outcome:
    """Run ``spec`` and write its outcome to ``out``; the run's folder is the one that holds ``out``.

    One process works in a run's folder at a time. If an earlier job outlived a killed pipeline, this
    one waits for it and takes over its outcome instead of computing it again, provided that
    specification and code are the same.

    Raises:
        ValueError: the specification breaks its kind's schema, or is of a run that is not possible.
    """
    kind, parameters, seed = parse(spec)
    if (reason := parameters.impossible()) is not None:
        raise ValueError(f"spec.parameters: cannot be run ({reason})")
    spec = specification(kind, parameters, seed)  # defaults that were left out are part of the run's identity
    module = kind_module(kind)
    code = run_code(kind, parameters)
    out.parent.mkdir(parents=True, exist_ok=True)
    asked = time.time()
    with held(FileLock(out.parent / ".lock"), what="computes this run"):
        finished = _finished(out, spec, code, since=asked)
        if finished is not None:
            print("taken over from a job that outlived its pipeline", file=sys.stderr)
            return finished
        started, begin = provenance.now(), time.perf_counter()
        context = Context(folder=out.parent, code=code, device=device, run=digest(spec))
        findings = module.run(parameters, seed=seed, context=context)
        if not isinstance(findings, Findings):
            raise ValueError(f"kind {kind}: run = {complaints.shown(findings)}: must return wassdp.experiment.Findings")
        findings.check(kind, parameters)
        outcome = Outcome(
            run=identify(spec),
            spec=spec,
            event=None if findings.event is None else encode(findings.event),
            delta=findings.delta,
            metrics=findings.metrics,
            history=findings.history,
            accounted_at=findings.accounted_at,
            pictures=dict(findings.pictures),
            notes=dict(findings.notes),
            attacks=findings.attacks,
            provenance=Provenance(
                code=code,
                commit=provenance.commit(),
                versions=provenance.versions(),
                datasets=_checksums(parameters),
                device=findings.device,
                machine=provenance.machine(),
                started=started,
                seconds=findings.earlier_seconds + time.perf_counter() - begin,
                peak_memory_mib=provenance.peak_memory_mib(),
                attempts=(context.attempts or None) if seed is None else None,
            ),
        )
        return save(out, outcome)


def _checksums(parameters: Parameters) -> dict[str, str]:
    """Dataset file to md5, for provenance; of a run to be released, those alone that no record enters."""
    released = isinstance(parameters, PrivateParameters) and parameters.release
    known = data.published_checksums if released else data.checksums
    return {f"{name}/{file}": md5 for name in parameters.datasets() for file, md5 in known(name).items()}


def _finished(out: Path, spec: Mapping[str, Any], code: str, *, since: float) -> Outcome | None:
    """The outcome of this very run that a job left although its pipeline was killed.

    Either it appeared while this job waited for the folder, or the pipeline set it aside when it recovered.
    """
    aside = out.with_name(FINISHED)
    if aside.exists():
        aside.replace(out)
    elif not out.exists() or out.stat().st_mtime < since:
        return None
    try:
        outcome = load_outcome(out)
    except ValueError as error:
        print(f"{error}; computed again", file=sys.stderr)
    else:
        if outcome.provenance.code == code and outcome.run == identify(spec):
            return outcome
    out.unlink()
    return None
