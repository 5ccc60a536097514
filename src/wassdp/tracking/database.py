"""The file behind an SQLite tracking store: where it is, its lock, and how it is made."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import sqlite3
import tempfile
from pathlib import Path

from wassdp.tracking.secrets import without_password


def database_file(uri: str) -> Path:
    """The file of an SQLite address."""
    rest = uri.partition("://")[2]
    if not rest.startswith("/") or rest.strip("/") in ("", ":memory:") or re.search("[?#%]", rest):
        raise ValueError(
            f"uri = {without_password(uri, uri)!r}: must be sqlite:/// and the path of a file, without ?, # and %"
        )
    return Path(rest[1:]).absolute()


def lock_path(uri: str, database: Path | None) -> Path:
    """The file whose lock a tracker holds while it writes to the store at ``uri``."""
    if database is not None:
        database.parent.mkdir(parents=True, exist_ok=True)
        # Where no file can be made, a lock could only be waited for. Permissions do not tell: /proc has them.
        with tempfile.TemporaryFile(dir=database.parent):
            pass
        return database.with_name(database.name + ".lock")
    name = hashlib.sha256(uri.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"wassdp-{os.getuid()}-{name}.lock"


def initialise(database: Path, uri: str) -> None:
    """Make the database if there is none: under another name first, since MLflow's migrations take seconds.

    A tracker that is killed meanwhile leaves no half-made database, which MLflow would refuse for ever.
    """
    for left in database.parent.glob(f".{database.name}.*.new*"):
        left.unlink()
    if database.exists() and database.stat().st_size:
        # MLflow would try ten times, for a minute, to open what is not a database or cannot be written.
        with contextlib.closing(sqlite3.connect(database, timeout=20)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
        return
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    draft = database.with_name(f".{database.name}.{os.getpid()}.new")
    SqlAlchemyStore(f"sqlite:///{draft}", str(database.parent / "mlflow-artifacts")).engine.dispose()
    draft.replace(database)
    # If this process had an older database at this address open, its connections belong to the deleted file.
    SqlAlchemyStore._get_or_create_engine(uri).dispose()


def unhurried(uri: str) -> None:
    """Let no commit to the database at ``uri`` wait until the disk has it: MLflow makes ten of them for each run.

    A process that is killed loses nothing by it. A power cut can damage the database, so this is for one that the
    result files make again.
    """
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
    from sqlalchemy import event

    engine = SqlAlchemyStore._get_or_create_engine(uri)
    if not event.contains(engine, "connect", _leave_to_the_system):
        event.listen(engine, "connect", _leave_to_the_system)
        engine.dispose()  # connections made before know nothing of it


def _leave_to_the_system(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA synchronous = OFF")
