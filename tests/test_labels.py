from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassdp import config, runs
from wassdp.experiment import Description, Parameters
from wassdp.labels import Label, labels
from wassdp.pipeline import plan

ROOT = Path(__file__).parents[1]


class Plain(Parameters):
    size: int = 1
    clip: bool = False
    note: str | None = None


class Named(Plain):
    def describe(self) -> Description:
        return Description(f"size {self.size}", "SGD", "no privacy")


@pytest.mark.parametrize("path", ["config.yaml", "workflow/presets/paper.yaml"])
def test_no_two_settings_of_an_experiment_share_a_label(path: str) -> None:
    specs: dict[tuple[str, str], set[str]] = {}
    for run in runs.expand(config.read(ROOT / path)).runs:
        specs.setdefault((run.experiment, run.label.text), set()).add(run.parameters.model_dump_json())
        assert 0 < len(run.label.text) < 130
        assert "=" not in run.label.text.replace(" = ", "")
        assert "{" not in run.label.text
    assert {len(own) for own in specs.values()} == {1}


def test_a_kind_without_words_is_described_by_what_varies() -> None:
    settings = [Plain(size=size, clip=clip) for size in (1, 2) for clip in (False, True)]
    assert [own.text for own in labels("name", settings)] == [
        "size 1, no clip",
        "size 1, clip",
        "size 2, no clip",
        "size 2, clip",
    ]
    assert [own.text for own in labels("name", settings[:1])] == ["name"]


def test_the_problem_is_said_where_there_are_several() -> None:
    assert [own.text for own in labels("name", [Named()])] == ["SGD, no privacy"]
    assert labels("name", [Named(), Named(size=2)])[1] == Label(
        "size 2, SGD, no privacy", "size 2", "SGD", "no privacy"
    )


def test_settings_that_would_be_alike_are_told_apart_and_others_left_alone() -> None:
    named = labels("name", [Named(), Named(clip=True), Named(size=2)])
    assert [own.method for own in named] == ["SGD, no clip", "SGD, clip", "SGD"]


def test_a_configuration_has_the_last_word() -> None:
    assert labels("name", [Plain(size=3, note="x")], "{note}: {size} of them")[0].text == "x: 3 of them"
    with pytest.raises(ValueError, match="label: has"):
        labels("name", [Plain()], "{breadth}")


@given(st.lists(st.builds(Plain, size=st.integers(0, 3), clip=st.booleans(), note=st.sampled_from([None, "a", "b"]))))
def test_labels_differ_exactly_where_settings_do(settings: list[Plain]) -> None:
    named = labels("name", settings)
    assert len({own.text for own in named}) == len({own.model_dump_json() for own in settings})


def test_a_plan_without_labels_calls_a_setting_by_the_name_of_its_runs() -> None:
    row = plan.PlannedRun.model_validate(
        {
            "run": "0" * 12,
            "experiment": "trial",
            "paper": "paper",
            "name": "trial q=0.5 seed=3",
            "kind": "tail_bound",
            "phase": "generate",
            "seed": 3,
            "spec": {},
        }
    )
    assert (row.label, row.method) == ("q=0.5", "q=0.5")
