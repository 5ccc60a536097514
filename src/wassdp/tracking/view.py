"""What MLflow shows of an experiment that is opened by our link: which columns, and which charts come first.

MLflow keeps a shared view in a tag of the experiment; a link that names it opens with it. Without one a fresh browser
shows no figure of any run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

SHARE_KEY = "wassdp"
VIEW_TAG = f"mlflow.sharedViewState.{SHARE_KEY}"
PRIMARY_TAG = "mlflow.experiment.primaryMetric.name"
FIRST = ("accuracy/test", "headline/", "epsilon/upper/", "epsilon/published/", "epsilon/lower/", "other/")
COLUMNS = 6


def tags(metrics: Iterable[str]) -> dict[str, str]:
    """Tags of an experiment whose runs have these metrics: the columns of its table, what is looked for first first.

    >>> tags(["other/loss", "epsilon/upper/pld", "accuracy/test"])[VIEW_TAG]
    '{"selectedColumns": ["metrics.`accuracy/test`", "metrics.`epsilon/upper/pld`", "metrics.`other/loss`"]}'
    """
    known = sorted(set(metrics))
    ordered = [key for beginning in FIRST for key in known if key.startswith(beginning)][:COLUMNS]
    if not ordered:
        return {}
    columns = {"selectedColumns": [f"metrics.`{key}`" for key in ordered]}
    return {VIEW_TAG: json.dumps(columns), PRIMARY_TAG: ordered[0]}


def link(address: str, experiment: str) -> str:
    """The address that opens an experiment's runs in a browser that has never seen MLflow.

    MLflow has two modes, and remembers neither: runs are only to be seen in the one that the address asks for.

    Args:
        address: of the server.
        experiment: MLflow's id.
    """
    return f"{address}/#/experiments/{experiment}/runs?workflowType=machine_learning&viewStateShareKey={SHARE_KEY}"
