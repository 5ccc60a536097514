"""The ledger to read: a row per setting, and folded beneath what it rests on and what other formulas say."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from wassdp.accounting.guarantee import Kind
from wassdp.accounting.large_delta import LARGE_SHARE, large
from wassdp.accounting.rounding import delta_text, kind_of, rounded, worst
from wassdp.ledger import claimed, judged
from wassdp.ledger.rows import CLAIM, CONTROL, COVERS, EPSILON, MEANING, NO_BUDGET, PAPERS_CLAIM
from wassdp.metric_words import metric_words
from wassdp.report import escaping
from wassdp.report.frames import ADJACENCIES, SAMPLINGS
from wassdp.report.shares import COLUMN
from wassdp.selection import NONE, NOT_RECORDED, optimistic

DASH = "–"
COLUMNS = {
    "claimed": "**Claimed** is what the paper's own formula gives for these runs, whatever it proves and whatever the "
    "paper prints",
    "attacked": "**attacked** what an attack reached at least, assuming nothing or *by a family* of noise",
    "proven": "**proven** an upper bound that a theorem proves, rounded up",
}
CELLS = ["label", "run", "kind", "accountant", PAPERS_CLAIM, EPSILON, "headline_value", "remark"]
"""What a row of a setting is made of; long texts stand elsewhere, and to copy them for each setting takes its time."""
NOTHING = pd.DataFrame(columns=[EPSILON])


def markdown(frame: pd.DataFrame, *, preset: str, remark: str | None = None) -> str:
    """The ledger in Markdown.

    Over seeds, a row has the largest upper bound, the smallest lower one, and mean and range of what is published.

    Args:
        frame: from `wassdp.ledger.rows.ledger`.
        preset: name of the set.
        remark: a line on top, about all of it.
    """
    lines = [
        f"# Ledger of the set *{escaping.words(preset)}*",
        "",
        *([f"**{escaping.words(remark)}**", ""] if remark else []),
        f"One row per setting. {', '.join(COLUMNS.values())}: one kind is never to be read as another. The true ε lies "
        "between attacked and proven, at the attack's confidence, if its neighbours are real records and, of a family, "
        "if the release is of it. A claim below the attacked ε is contradicted by a measurement, one below the "
        "proven ε is not proven; both are in bold.",
        "",
        f"{COVERS}.",
        "",
        f"![claimed, attacked and proven budgets]({claimed.STEM}.png)",
        "",
        "The picture has the settings of which something is claimed or was attacked; the tables have all.",
        "",
        "`ledger.csv` (`ledger.csv.xz` of a published set) and `ledger.json` hold every budget of every run; here, "
        "runs that differ in their seed alone "
        "share a row, with the largest upper bound, the smallest lower one, and mean and range of what is claimed. "
        "*Seeds* counts those with results, of those configured.",
    ]
    for (paper, experiment), section in sections(frame).items():
        lines += ["", f"## {escaping.words(paper)}: {escaping.words(experiment)}", "", *section]
    return "\n".join(lines) + "\n"


def sections(frame: pd.DataFrame) -> dict[tuple[str, str], list[str]]:
    """The ledger's lines by paper and experiment, without their heads; experiments with budgets come first."""
    rows, found = judged.settings(frame), dict[tuple[str, str], list[str]]()
    for (paper, experiment), part in frame[frame["kind"] != CLAIM].groupby(["paper", "experiment"], sort=False):
        own = rows[(rows["paper"] == paper) & (rows["experiment"] == experiment)]
        found[str(paper), str(experiment)] = _experiment(part, own)
    for (paper, experiment), part in frame[frame["kind"] == CLAIM].groupby(["paper", "experiment"], sort=False):
        lines = ["Published statements put to the test; no budgets.", ""]
        lines += ["| where | statement and verdict |", "|---|---|"]
        lines += [
            f"| {escaping.markdown(row['source'])} | {escaping.markdown(row['claim'])} |" for _, row in part.iterrows()
        ]
        found[str(paper), str(experiment)] = lines
    return found


def spread(values: pd.Series, kind: Kind = "published", *, missing: str = "unbounded") -> str:
    """A column of several seeds: of bounds the one that holds for all, else mean and range; or the one value.

    ``missing`` stands there, with how many of how many, where some are not there.

    >>> spread(pd.Series([1.0, 3.0])), spread(pd.Series([1.0, 3.0]), "upper")
    ('2 (1 to 3)', '3')
    >>> spread(pd.Series([1.0, None]))
    'unbounded (1 of 2)'
    """
    known = values.dropna().astype(float)
    if len(known) < len(values):
        return missing if known.empty else f"{missing} ({len(values) - len(known)} of {len(values)})"
    most = rounded(worst(known, kind), kind)
    if kind != "published" or known.max() - known.min() <= 1e-9 * abs(known.max()):
        return most
    return f"{most} ({rounded(known.min(), kind)} to {rounded(known.max(), kind)})"


def attacked(row: pd.Series[Any]) -> str:
    """What attacks reached, each with what it assumes; the two kinds are never one.

    >>> attacked(pd.Series({"attacked": 2.1419, "attacked_family": 3.955}))
    '2.141; 3.955 by a family'
    >>> attacked(pd.Series({"attacked": 2.1419, "attacked_delta": 1e-5, "attacked_family": 0, "proven_delta": 0.01}))
    '2.141 at δ = 1e-05'
    """
    found = []
    for name, how in (("attacked", ""), ("attacked_family", " by a family")):
        if row[name] > 0:
            own, shown = row.get(f"{name}_delta", math.nan), _delta(row)
            other = "" if math.isnan(own) or math.isnan(shown) or own == shown else f" at δ = {delta_text(own)}"
            found.append(f"{rounded(row[name], 'lower')}{how}{other}")
    return "; ".join(found) or DASH


def _delta(row: pd.Series[Any]) -> float:
    """The δ that stands over or beside a setting's row."""
    deltas = [float(row.get(name, math.nan)) for name in ("proven_delta", "claimed_delta")]
    return max((delta for delta in deltas if not math.isnan(delta)), default=math.nan)


def _experiment(part: pd.DataFrame, own: pd.DataFrame) -> list[str]:
    remarks = {text: place for place, text in enumerate(dict.fromkeys(filter(None, part["remark"])), start=1)}
    told = {name: own[name] for name in ("claimed_by", "proven_by")} | _facts(own)
    common = {name: values.iloc[0] for name, values in told.items() if values.nunique() == 1}
    differing = [name for name in told if name not in common]
    headline = metric_words(str(part["headline"].iloc[0]))
    names = ["setting", "claimed ε", "attacked ε", "proven ε", *differing, headline, "seeds", "verdict"]
    heads = (escaping.markdown(name.replace("_", " ")) for name in names)
    lines = [*_common(common), f"| {' | '.join(heads)} |", "|---" * len(names) + "|"]
    settings = dict(iter(part[CELLS].groupby("label", sort=False)))
    for place, (_, row) in enumerate(own.iterrows()):
        rows = settings[row["label"]]
        numbers = [f"[{remarks[text]}]" for text in dict.fromkeys(rows["remark"]) if text]
        cells = [
            " ".join([escaping.markdown(row["label"]), *numbers]),
            _budget(rows[rows[PAPERS_CLAIM].eq(True)], "published"),
            attacked(row),
            _budget(rows[(rows["kind"] == "upper") & (rows["accountant"] == row["proven_by"])], "upper"),
            *(_told(name, told[name].iloc[place]) or DASH for name in differing),
            spread(rows.drop_duplicates("run")["headline_value"], missing=DASH),
            seeds(row),
            f"**{row['verdict']}**" if row["mark"] in judged.MARKED else row["verdict"],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- [{place}] {_sentence(escaping.words(text))}" for text, place in remarks.items())]
    lines += [f"- {text}" for text in (_searched(part), _planned(part)) if text]
    return [*lines, *_folded("Every figure of these runs, by each formula", _figures(part, own)), *_rests_on(part, own)]


def _told(name: str, value: object) -> str:
    """A fact in a row: accountants are called as results call them, the other facts are in words of this project."""
    return escaping.markdown(value) if name in ("claimed_by", "proven_by") else str(value)


def _facts(own: pd.DataFrame) -> dict[str, pd.Series[str]]:
    """What gives the budgets of settings their meaning, in words."""
    return {
        "δ": own.apply(_delta, axis=1).map(lambda value: DASH if math.isnan(value) else delta_text(value)),
        "δ × records": own[COLUMN].map(_share),
        "neighbouring": own["adjacency"].map(lambda name: ADJACENCIES.get(name, DASH)),
        "sampling": own["sampling"].map(lambda name: SAMPLINGS.get(name, DASH)),
    }


def _share(value: float) -> str:
    if math.isnan(value):
        return DASH
    shown = rounded(value, "published", digits=2)
    return f"**{shown}, above {LARGE_SHARE:g}**" if large(value) else shown


def _common(common: dict[str, str]) -> list[str]:
    """A line of what all settings share."""
    words = {"claimed_by": "claimed by", "proven_by": "proven by", "δ": "δ =", "δ × records": "δ × records"}
    known = {name: value for name, value in common.items() if value not in ("", DASH)}
    known |= {name: escaping.code(known[name]) for name in ("claimed_by", "proven_by") if name in known}
    said = [f"{words.get(name, '')} {value}".strip() for name, value in known.items()]
    return [_sentence("; ".join(said)), ""] if said else []


def _budget(rows: pd.DataFrame, kind: Kind) -> str:
    return spread(rows[EPSILON], kind) if len(rows) else DASH


def seeds(row: pd.Series[Any]) -> str:
    """Seeds with results, of those configured.

    >>> seeds(pd.Series({"seeds_present": 2, "seeds_configured": 3.0}))
    '2 of 3'
    """
    configured = row["seeds_configured"]
    unknown = configured is None or math.isnan(configured)
    return f"{int(row['seeds_present'])} of {'?' if unknown else int(configured)}"


def _figures(part: pd.DataFrame, own: pd.DataFrame) -> list[str]:
    """Every budget by every accountant, a column each, where there are more than the table above shows."""
    budgets = part[part["kind"] != CONTROL]
    told = {by for name in ("claimed", "attacked", "attacked_family", "proven") for by in own[f"{name}_by"]}
    if set(budgets["accountant"]) <= told:
        return []
    groups = dict(iter(budgets[[*CELLS, "delta"]].groupby(["kind", "accountant"], sort=False)))
    cells = {key: dict(iter(rows.groupby("label", sort=False))) for key, rows in groups.items()}
    usual = own["proven_delta"].max()
    names = ["setting", *(f"{kind}/{by}{_other(rows['delta'], usual)}" for (kind, by), rows in groups.items())]
    lines = [f"| {' | '.join(map(escaping.markdown, names))} |", "|---" * len(names) + "|"]
    for label in own["label"]:
        shown = [_budget(rows.get(label, NOTHING), kind_of(str(key[0]))) for key, rows in cells.items()]
        lines.append(f"| {' | '.join([escaping.markdown(label), *shown])} |")
    return lines


def _other(deltas: pd.Series[float], usual: float) -> str:
    """What a column says of its δ where that is another than the others'."""
    return (
        f", δ = {rounded(deltas.iloc[0], 'upper', digits=6)}" if deltas.nunique() == 1 and deltas.max() < usual else ""
    )


def _rests_on(part: pd.DataFrame, own: pd.DataFrame) -> list[str]:
    lines = []
    for (kind, accountant), rows in part.groupby(["kind", "accountant"], sort=False):
        if kind == CONTROL:
            lines.append(f"- {CONTROL}: {NO_BUDGET}.")
            continue
        # Runs of one experiment may rest on different things, a clipped and an unclipped one for instance.
        notes = dict.fromkeys(note for text in rows["rests_on"] for note in str(text).split("; ") if note)
        by, source = escaping.words(accountant), escaping.words(rows.iloc[0]["source"])
        lines.append(f"- {kind}/{by}: {source}. {_sentence(escaping.words('; '.join(notes)))}".rstrip())
    private = own[own["mark"] != judged.IS_CONTROL]
    if judged.NOT_ATTACKED in set(private["not_attacked"]):
        lines.append(f"- attacked: {judged.NOT_ATTACKED}.")
    meaning = "; ".join(
        f"{kind}: {text.split(': ')[-1]}" for kind, text in MEANING.items() if kind in set(part["kind"])
    )
    return _folded("What these budgets rest on", [*lines, *([f"- kinds: {meaning}."] if meaning else [])])


def _folded(title: str, lines: list[str]) -> list[str]:
    return ["", f"<details><summary>{title}</summary>", "", *lines, "", "</details>"] if lines else []


def _searched(part: pd.DataFrame) -> str:
    text, fact = str(part["search"].iloc[0]), str(part["selection"].iloc[0])
    shown = f"**{fact}**" if optimistic(fact) else escaping.words(fact)
    if text in (NOT_RECORDED, NONE):
        return f"Search: {text}." + (f" Settings chosen by: {shown}." if fact not in (NOT_RECORDED, NONE) else "")
    return f"Search, in no ε here: {escaping.words(text).rstrip('.')}. Settings chosen by: {shown}."


def _planned(part: pd.DataFrame) -> str:
    cut = str(part["plan_cut"].iloc[0])
    if cut == NOT_RECORDED:
        return "Configured seeds and runs are not recorded: the plan may have been cut."
    return f"The plan was cut by hand: it has {cut}." if cut else ""


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""
