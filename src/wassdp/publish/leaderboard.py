"""Classifications in the form of the community's leaderboard of private image classification.

It lists reports, each with its claims, in one YAML file for each data set and kind of public data
(private-machinelearning.github.io, ``_data/_<data set>/<data set>_<no or any>.yml``; Mokhtari et al., 2026,
arXiv:2601.17189). It shows of a claim its model, epsilon, delta, accuracy, accountant and verifications (``analyses``);
the relation stands with the accountant here, an attack and what a reader has to know of the runs are verifications.
``seeds`` and ``tuning`` are keys that it does not show. Its tables are of CIFAR-10, ImageNet, CheXpert and EyePACS:
those of MNIST and Fashion-MNIST are kept there, but not shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from wassdp.accounting.rounding import rounded

ACCURACY, NONE = "accuracy", "none"


def files(rows: Iterable[Mapping[str, Any]], report: Mapping[str, str]) -> dict[str, str]:
    """Name to text of each file.

    Args:
        rows: of `wassdp.publish.comparison_rows`; classifications with a finite proven budget and an accuracy are
            taken.
        report: name, url, authors, code, venue and venue_date of who reports them.
    """
    claims: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        figures = (row["epsilon"], row["mean"])
        if row["task"] == "classification" and row["score"] == ACCURACY and all(map(math.isfinite, figures)):
            data = re.sub(r"\W", "", str(row["data"]))
            name = f"{data}_{'no' if row['public_data'] == NONE else 'any'}"
            claims.setdefault(name, []).append(_claim(row))
    return {
        f"{name}.yml": yaml.safe_dump([{**report, "claims": own}], sort_keys=False, allow_unicode=True, width=120)
        for name, own in sorted(claims.items())
    }


def _claim(row: Mapping[str, Any]) -> dict[str, Any]:
    accountant = f"{row['accountant']}, {row['relation']}, {row['sampling']}"
    claim = {} if row["public_data"] == NONE else {"public_data": row["public_data"]}
    claim |= {
        "model": row["method"],
        "epsilon": float(rounded(row["epsilon"], "upper")),
        "delta": float(row["delta"]),
        "private_accuracy": f"{100 * row['mean']:.1f}%",
        "dp_accountant": accountant,
        "seeds": int(row["seeds"]),
        "tuning": row["tuning"],
    }
    analyses: list[dict[str, str]] = []
    if not math.isnan(row["attacked"]):
        analyses.append({"claim": f"an attack shows {rounded(row['attacked'], 'lower')} at least"})
    if row["remark"]:
        analyses.append({"claim": "the note says what the budget leaves out", "note": row["remark"]})
    if analyses:
        claim["analyses"] = [{**own, "citation": "wassdp", "url": "N/A", "code": "N/A"} for own in analyses]
    return claim
