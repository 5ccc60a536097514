"""Start again after a kill with the same command."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout


class Alive:
    """Held by the pipeline's main process for as long as it lives; the operating system frees it at any death.

    Snakemake leaves its own locks behind when it is killed and then refuses to start. Whoever gets
    this lock knows that no pipeline works here any more, so leftover locks may go.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / "wassdp.lock")

    def clear_stale(self) -> list[str]:
        """Remove leftover Snakemake locks, unless another pipeline is alive here; return their names."""
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            return []
        stale = sorted((self._folder / "locks").glob("*.lock"))
        for path in stale:
            path.unlink(missing_ok=True)
        return [path.name for path in stale]
