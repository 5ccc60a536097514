"""A tracking store, and how one run in it is brought into line with its content.

Everything is found again by tags, so a tracker may be killed at any moment: the next call completes
what was left. A run counts as complete once its digest tag is there, which is written last.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from filelock import FileLock, Timeout

from wassdp.pipeline.locks import held
from wassdp.tracking.content import Content, Read
from wassdp.tracking.database import database_file, initialise, lock_path, unhurried
from wassdp.tracking.secrets import without_password

# MLflow is imported where it is called: that takes seconds, which a wrong address or plan should not cost, and comes
# after `QUIET_CLIENT` is in the environment, where MLflow looks for it while it is imported.

RUN_TAG = "wassdp.run"
DIGEST_TAG = "wassdp.digest"
FIGURES_TAG = "wassdp.figures"
RUNS_TAG = "wassdp.runs"  # of an experiment: how many finished runs it holds
SEARCH_PAGE = 1000
BATCH = 800  # of the 1000 points, parameters and tags that MLflow takes at once
SMALL_BATCH = 100  # MLflow's limit for parameters and tags
LOCK_SECONDS = 600.0
# A tag with one of these beginnings is ours: it goes if the content does not name it any more.
OWN_TAGS = re.compile(
    r"(guarantee/|epsilon/|(adjacency|sampling|device|machine|code|accounting_code|commit|digest|started)$)"
)
# MLflow's own defaults wait for minutes; here the next call catches up. A user's setting wins.
QUIET_CLIENT = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_DISABLE_AGENT_HINTS": "true",
}
# Whatever a user has set: MLflow's lines "View run ... at ..." show the address with its password.
NO_ADDRESSES = "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT"

Change = Literal["unchanged", "added", "completed", "replaced"]


class TrackingError(OSError):
    """The tracking store cannot be reached or does not do what it should."""


class Drawn(NamedTuple):
    """Figures and tables: file name to path, and a digest that is equal for equal ones."""

    paths: Mapping[str, Path]
    digest: str


class Store:
    """An open tracking store. Use `connect`."""

    def __init__(self, client: Any, uri: str, lock: FileLock, artifacts: Path | None, *, own: bool) -> None:
        self._client = client
        self._uri = uri
        self._lock = lock
        self._artifacts = artifacts
        self._own = own
        self._experiments: dict[str, str] = {}
        self._ready: set[str] = set()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Excludes every other tracker on this machine from the store."""
        with _held(self._lock), _explained(self._uri):
            yield

    def snapshot(self) -> dict[str, list[Any]]:
        """Run id to the MLflow runs that carry it (more than one only after a tracker was killed)."""
        with _explained(self._uri):
            found: dict[str, list[Any]] = {}
            for run in self._search(""):
                if RUN_TAG in run.data.tags:
                    found.setdefault(run.data.tags[RUN_TAG], []).append(run)
            return found

    def prepare(self, names: Iterable[str]) -> None:
        """Make experiments that are not there, and take those in the trash out of it, with all that they held.

        Call it under `locked`, before `snapshot` and `upsert`.
        """
        self._ready.clear()
        self._ready.update([name for name in names if self._experiment(name)])

    def experiments(self) -> dict[str, tuple[str, int]]:
        """Name of each experiment, in the order in which they were made, to MLflow's id and its number of runs."""
        with _explained(self._uri):
            found = self._client.search_experiments(filter_string="name LIKE 'wassdp/%'")
        found.sort(key=lambda item: int(item.experiment_id))
        return {item.name: (item.experiment_id, int(item.tags.get(RUNS_TAG, 0))) for item in found}

    def describe(self, name: str, tags: Mapping[str, str]) -> None:
        """Set the tags of an experiment that has others; call it under `locked`."""
        identifier = self._experiment(name)
        held = self._client.get_experiment(identifier).tags
        for key, value in tags.items():
            if held.get(key) != value:
                self._client.set_experiment_tag(identifier, key, value)

    def count(self, identifier: str, runs: int) -> None:
        """Say in an experiment how many finished runs it holds; call it under `locked`."""
        self._client.set_experiment_tag(identifier, RUNS_TAG, str(runs))

    def drop(self, found: Sequence[Any]) -> None:
        """Put runs of the store into its trash; call it under `locked`."""
        for run in found:
            self._client.delete_run(run.info.run_id)

    def upsert(self, content: Content, found: Sequence[Any], figures: Drawn | None = None) -> Change:
        """Bring a finished run into line; call it under `locked`, after `prepare`.

        A run that holds nothing but parts of ``content`` is completed; one that holds anything else
        is replaced, and goes to MLflow's trash.

        Args:
            content: what it shall hold.
            found: the runs that `snapshot` has of it.
            figures: what it shall hold beside that, if anything.
        """
        if content.end is None:
            raise ValueError("content.end = None: must be set for a finished run")
        found = list(found)
        found.sort(key=lambda run: run.data.tags.get(DIGEST_TAG) != content.digest)
        kept = next((run for run in found if self._fits(run, content)), None)
        run = self._create(content) if kept is None else kept
        identifier = run.info.run_id
        complete = is_complete(run, content)
        drawn = figures is None or run.data.tags.get(FIGURES_TAG) == figures.digest
        if not complete:
            self._fill(run, content)
            self._log_datasets(identifier, content.datasets)
            self._log_files(identifier, content.files)
            self._client.set_terminated(identifier, status="FINISHED", end_time=content.end)
        if figures is not None and not drawn:
            self._log_figures(run, figures.paths)
            self._client.set_tag(identifier, FIGURES_TAG, figures.digest)
        if not complete:
            self._client.set_tag(identifier, DIGEST_TAG, content.digest)
        others = [other for other in found if other.info.run_id != identifier]
        self.drop(others)
        if kept is None:
            return "replaced" if others else "added"
        return "unchanged" if complete and drawn and not others else "completed"

    def upsert_live(self, content: Content) -> Change:
        """Bring a run that is still going into line; call it under `locked`.

        A complete run of the same attempt is left alone: its result is only being accounted again.
        """
        self.prepare([content.experiment])
        found = self._of_run(content.run)
        if any(DIGEST_TAG in run.data.tags and run.info.start_time >= content.start for run in found):
            return "unchanged"
        kept = next((run for run in found if DIGEST_TAG not in run.data.tags and self._fits(run, content)), None)
        run = self._create(content) if kept is None else kept
        self._fill(run, content)
        others = [other for other in found if other.info.run_id != run.info.run_id]
        self.drop(others)
        if kept is None:
            return "replaced" if others else "added"
        return "completed"

    def _search(self, condition: str) -> list[Any]:
        self._experiments |= {
            item.name: item.experiment_id
            for item in self._client.search_experiments(filter_string="name LIKE 'wassdp/%'")
        }
        if not self._experiments:
            return []
        runs: list[Any] = []
        token: str | None = None
        while True:
            page = self._client.search_runs(
                sorted(set(self._experiments.values())),
                filter_string=condition,
                max_results=SEARCH_PAGE,
                page_token=token,
                order_by=["attributes.start_time ASC"],
            )
            runs += page
            token = page.token
            if not token:
                return runs

    def _of_run(self, run: str) -> list[Any]:
        return self._search(f"tags.`{RUN_TAG}` = '{run}'")

    def _experiment(self, name: str) -> str:
        if name in self._ready:
            return self._experiments[name]
        known = self._client.get_experiment_by_name(name)
        if known is None:
            location = None if self._artifacts is None else (self._artifacts / name).as_uri()
            self._experiments[name] = self._client.create_experiment(name, artifact_location=location)
            return self._experiments[name]
        if self._own and self._artifacts is not None:
            expected = (self._artifacts / name).as_uri()
            if known.artifact_location.rstrip("/") != expected:
                shown = without_password(self._uri, self._uri)
                raise TrackingError(
                    f"{shown} keeps its artifacts at {known.artifact_location}, but this results folder's place "
                    f"is {expected}: delete the database (it is rebuilt from the result files) and call again"
                )
        if known.lifecycle_stage == "deleted":
            self._client.restore_experiment(known.experiment_id)
        self._experiments[name] = known.experiment_id
        return self._experiments[name]

    def _create(self, content: Content) -> Any:
        return self._client.create_run(
            self._experiment(content.experiment),
            start_time=content.start,
            tags={**content.tags, RUN_TAG: content.run},
            run_name=content.name,
        )

    def _fits(self, run: Any, content: Content) -> bool:
        """Whether ``run`` can be completed to ``content``: it holds nothing that would have to be taken back."""
        if run.info.experiment_id != self._experiment(content.experiment) or run.info.start_time != content.start:
            return False
        if not set(run.data.params.items()) <= set(content.parameters.items()):
            return False
        wanted = {tuple(item) for item in content.measurements}
        return all(
            (key, point.step, point.value, point.timestamp) in wanted
            for key in run.data.metrics
            for point in self._client.get_metric_history(run.info.run_id, key)
        )

    def _fill(self, run: Any, content: Content) -> None:
        from mlflow.entities import Metric, Param, RunTag

        identifier = run.info.run_id
        if run.info.run_name != content.name:
            self._client.update_run(identifier, name=content.name)
        if content.end is None and run.info.status != "RUNNING":
            self._client.update_run(identifier, status="RUNNING")
        for key in run.data.tags:
            if key not in content.tags and OWN_TAGS.match(key):
                self._client.delete_tag(identifier, key)
        tags = [RunTag(key, value) for key, value in content.tags.items() if run.data.tags.get(key) != value]
        parameters = [Param(key, value) for key, value in content.parameters.items() if key not in run.data.params]
        # A point that is there already is the same row of the database, and is not written again.
        metrics = [Metric(item.key, item.value, item.timestamp, item.step) for item in content.measurements]
        parts = (_parts(tags, SMALL_BATCH), _parts(parameters, SMALL_BATCH), _parts(metrics, BATCH))
        for tag_part, parameter_part, metric_part in itertools.zip_longest(*parts, fillvalue=()):
            self._client.log_batch(identifier, tags=tag_part, params=parameter_part, metrics=metric_part)

    def _log_datasets(self, identifier: str, datasets: Sequence[Read]) -> None:
        from mlflow.entities import Dataset, DatasetInput, InputTag

        inputs = [
            DatasetInput(
                Dataset(item.name, item.digest, "wassdp", item.source, profile=item.profile),
                [InputTag("mlflow.data.context", "training")],
            )
            for item in datasets
        ]
        if inputs:  # one that is there already stays as it is
            self._client.log_inputs(identifier, inputs)

    def _log_files(self, identifier: str, files: Mapping[str, bytes]) -> None:
        if not files:
            return
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                (Path(folder) / name).write_bytes(content)
            self._client.log_artifacts(identifier, folder)

    def _log_figures(self, run: Any, figures: Mapping[str, Path]) -> None:
        identifier = run.info.run_id
        names = {Path(item.path).name for item in self._client.list_artifacts(identifier, "figures")}
        if names - set(figures):
            from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

            repository = get_artifact_repository(run.info.artifact_uri, tracking_uri=self._uri)
            for name in sorted(names - set(figures)):
                repository.delete_artifacts(f"figures/{name}")
        for path in figures.values():
            self._client.log_artifact(identifier, str(path), "figures")


def is_complete(run: Any, content: Content, figures: Drawn | None = None) -> bool:
    """Whether an MLflow run holds ``content``, and ``figures`` if any are named."""
    held = run.data.tags.get(DIGEST_TAG) == content.digest and run.info.status == "FINISHED"
    return bool(held and (figures is None or run.data.tags.get(FIGURES_TAG) == figures.digest))


def default_uri(results: Path) -> str:
    """The store of a results folder: a database inside it."""
    return f"sqlite:///{results.absolute() / 'mlflow.db'}"


def connect(uri: str, results: Path) -> Store:
    """Open the store at ``uri``; a database is made if there is none.

    Args:
        uri: ``sqlite:///path``, another database's address, or ``http(s)://host``.
        results: the results folder; artifacts go to ``mlflow-artifacts`` in it, unless a server keeps them.

    Raises:
        ValueError: ``uri`` has no form that MLflow can keep runs in.
        TrackingError: it cannot be reached.
    """
    scheme = uri.partition("://")[0] if "://" in uri else ""
    if not re.fullmatch(r"https?|databricks|(sqlite|postgresql|mysql|mssql)(\+\w+)?", scheme):
        raise ValueError(
            f"uri = {without_password(uri, uri)!r}: must begin with sqlite:///, another database's scheme, or http(s)://"
        )
    for key, value in QUIET_CLIENT.items():
        os.environ.setdefault(key, value)
    os.environ[NO_ADDRESSES] = "true"
    server = scheme in ("http", "https", "databricks")
    database = database_file(uri) if scheme.startswith("sqlite") else None
    with _explained(uri):
        lock = FileLock(lock_path(uri, database))
    if database is not None:
        with _held(lock), _explained(uri):
            initialise(database, uri)
            if uri == default_uri(results):
                unhurried(uri)
    with _explained(uri):
        client = _client(uri)
        client.search_experiments(max_results=1)
    artifacts = None if server else results.absolute() / "mlflow-artifacts"
    return Store(client, uri, lock, artifacts, own=uri == default_uri(results))


def _client(uri: str) -> Any:
    from mlflow.tracking import MlflowClient

    # What goes wrong is told in one line by `_explained`, not in MLflow's log.
    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return MlflowClient(uri)


@contextlib.contextmanager
def _held(lock: FileLock) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(held(lock, what="tracks into this store", timeout=LOCK_SECONDS))
        except Timeout:
            raise TrackingError(f"{lock.lock_file} has been held by another tracker for {LOCK_SECONDS:g} s") from None
        yield


@contextlib.contextmanager
def _explained(uri: str) -> Iterator[None]:
    """Turns whatever MLflow and its libraries raise into one line."""
    try:
        yield
    except (TrackingError, ValueError):
        raise
    except Exception as error:
        kinds = (OSError, sqlite3.Error, ImportError)  # a database's driver may not be installed
        from_mlflow = type(error).__module__.split(".")[0] in ("mlflow", "sqlalchemy", "requests", "urllib3", "alembic")
        if not isinstance(error, kinds) and not from_mlflow:
            raise
        reason = _short(error, uri)
        damaged = any(words in reason for words in ("is not a database", "disk image is malformed"))
        advice = "delete it and call again, and it is made anew" if damaged else "call again to catch up"
        raise TrackingError(
            f"tracking store {without_password(uri, uri)}: {reason}; the result files are untouched, {advice}"
        ) from error


def _short(error: Exception, uri: str) -> str:
    """The innermost reason in one line."""
    text = " ".join(without_password(str(error), uri).split())
    inner = re.search(r"\(Caused by \w+\((.*)\)\)$", text)
    text = inner.group(1) if inner else re.split(r" (?:\(Background on this error|\[SQL:)", text)[0]
    return text if len(text) <= 240 else text[:239] + "…"


def _parts(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
