"""What a command took, in a file of the columns that Snakemake's own benchmark files have.

Snakemake measures the process that it starts; the work of a command that was handed over (`wassdp.pipeline.forks`) is
another's, so each command writes down its own.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import time
from collections.abc import Iterator
from pathlib import Path

from wassdp.files import write_text

FILE = "WASSDP_BENCHMARK"
"""Names the file, in the environment of a command."""


@contextlib.contextmanager
def written() -> Iterator[None]:
    """Write seconds, largest resident set in MiB and processor seconds of the block's process where a file is named.

    Nothing is written of a block that fails.
    """
    begin = time.perf_counter()
    yield
    if FILE not in os.environ:
        return
    import resource  # which Windows lacks: the command line asks for budgets there, too

    seconds = time.perf_counter() - begin
    mine, others = (resource.getrusage(which) for which in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    processor = mine.ru_utime + mine.ru_stime + others.ru_utime + others.ru_stime
    values = {
        "s": f"{seconds:.4f}",
        "h:m:s": str(datetime.timedelta(seconds=int(seconds))),
        "max_rss": f"{mine.ru_maxrss / 1024:.2f}",
        "cpu_time": f"{processor:.2f}",
    }
    write_text(Path(os.environ[FILE]), "\t".join(values) + "\n" + "\t".join(values.values()) + "\n")
