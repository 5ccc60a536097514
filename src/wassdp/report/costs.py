"""What a run cost, of those whose costs are one figure: seconds of a processor and of a GPU have no mean."""

from __future__ import annotations

import pandas as pd

CUDA = "cuda"


def on_gpu(runs: pd.DataFrame) -> pd.Series[bool]:
    """Which runs of the table of runs were computed on a CUDA device; none where the table does not say."""
    if "device" not in runs:
        return pd.Series(False, index=runs.index)
    return runs["device"].astype(str).str.startswith(CUDA)


def comparable(runs: pd.DataFrame) -> pd.DataFrame:
    """Those on processors where there are any, else all.

    >>> runs = pd.DataFrame({"device": ["cpu (1 thread)", "cuda (NVIDIA H100)"], "seconds": [9.0, 1.0]})
    >>> comparable(runs)["seconds"].tolist(), comparable(runs[1:])["seconds"].tolist()
    ([9.0], [1.0])
    """
    gpu = on_gpu(runs)
    return runs if gpu.all() else runs[~gpu]
