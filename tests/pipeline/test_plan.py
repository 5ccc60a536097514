"""What one plan makes of experiments that share runs."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from wassdp import config
from wassdp.pipeline import plan
from wassdp.selection import STATED, digest


def two(configuration: Any, first: list[Any], second: list[Any]) -> plan.Plan:
    """The plan of an experiment and one of another name, with these accountants."""
    value = configuration.model_dump(mode="json")
    value["experiments"].append(copy.deepcopy(value["experiments"][0]) | {"name": "other", "accountants": second})
    value["experiments"][0]["accountants"] = first
    return plan.plan(config.validate(value))


def test_a_run_that_two_experiments_show_has_the_accountants_of_both(configuration: Any) -> None:
    planned = two(configuration, ["pld"], ["pld", {"name": "pld", "label": "later", "delta": 1e-9}])
    for job in planned.jobs.values():
        assert [choice["label"] or choice["name"] for choice in job.accountants] == ["pld", "later"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "pld", "delta": 1e-9}, {"name": "pld", "delta": 1e-2}),
        ("pld", {"name": "pld", "delta": 1e-9}),
        ({"name": "wasserstein", "options": {"order": 2}}, {"name": "wasserstein", "options": {"order": 16}}),
    ],
)
def test_two_experiments_may_not_mean_two_budgets_by_one_name(configuration: Any, first: Any, second: Any) -> None:
    """The result of the run that both show has one budget of a name: one of the two would show the other's."""
    with pytest.raises(
        ValueError, match=r"experiments\.other\.accountants = '\w+': has other options or another delta"
    ):
        two(configuration, [first], [second])


def test_facts_are_those_that_tables_of_all_runs_say(configuration: Any) -> None:
    facts = plan.plan(configuration).facts
    for change, same in (
        ({"preset": "another"}, False),
        ({"experiments": {"search": "by hand"}}, False),
        (
            {
                "experiments": {
                    "figures": [
                        {"name": "a", "kind": "composition", "options": {"clip": True, "published": {"WDP": "loose"}}}
                    ]
                }
            },
            True,
        ),
    ):
        value = configuration.model_dump(mode="json")
        value |= {key: item for key, item in change.items() if key != "experiments"}
        value["experiments"][0] |= change.get("experiments", {})
        assert (plan.plan(config.validate(value)).facts == facts) is same, change
    assert plan.plan(configuration).trimmed().facts == ""


@pytest.mark.parametrize("search", [None, "a search by hand"])
def test_trials_that_no_frozen_file_has_are_said_to_be_stated(configuration: Any, search: str | None) -> None:
    value = configuration.model_dump(mode="json", exclude_none=True)
    experiment = value["experiments"][0] | {"selection": "validation, 3 trials"}
    value["experiments"][0] = experiment if search is None else experiment | {"search": search}
    said = "; ".join(filter(None, [search, STATED]))
    assert plan.plan(config.validate(value)).experiments[0].search == said
    frozen = {"configuration": "c", "protocol": {"trials": 3}, "commit": None, "digest": ""}
    for owner, shown in ((experiment["name"], search), ("other", said)):
        of_trials = value | {"frozen": frozen | {"trials": {f"{owner}.01234567.jsonl": "d"}}}
        of_trials["frozen"]["digest"] = digest(of_trials)
        assert plan.plan(config.validate(of_trials)).experiments[0].search == shown
    value["experiments"][0]["selection"] = "test accuracies were read"
    assert plan.plan(config.validate(value)).experiments[0].search == search
