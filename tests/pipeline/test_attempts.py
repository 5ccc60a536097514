"""A run without a seed that is killed starts anew, with noise of its own: what is left says that there were two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from _digits_run import DIGITS
from wassdp.config import AccountantChoice
from wassdp.experiment import ATTEMPTS, HISTORY, Context
from wassdp.pipeline.account import account
from wassdp.pipeline.execute import execute
from wassdp.result import Outcome, load_outcome, load_result

GIBBS = {"problem": {"dataset": "digits"}, "loss": "savage", "epsilon": 1, "draw": "finite", "hypotheses": 20}
FINAL = {"dataset": "digits", "records": 40, "steps": 2, "learning_rate": 1.0, "models": 60} | {
    "privacy": {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-4}
}


def go(folder: Path, seed: int | None, parameters: dict[str, Any] = DIGITS, kind: str = "classification") -> Outcome:
    spec = {
        "kind": kind,
        "parameters": parameters | ({"release": True} if seed is None and kind != "final_model" else {}),
        "seed": seed,
    }
    return execute(spec, folder / "outcome.json", device="cpu")


def killed(folder: Path, seed: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that dies while it reports its third epoch."""
    record = Context.record

    def dies(self: Context, axis: str, position: float, metrics: Any) -> None:
        record(self, axis, position, metrics)
        if position == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Context, "record", dies)
        with pytest.raises(KeyboardInterrupt):
            go(folder, seed)


def positions(folder: Path) -> list[float]:
    return [json.loads(line)["position"] for line in (folder / HISTORY).read_text().splitlines()]


def test_a_killed_run_without_a_seed_leaves_one_history_and_counts_two_attempts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(tmp_path, None, monkeypatch)
    assert positions(tmp_path) == [1, 2, 3]
    assert go(tmp_path, None).provenance.attempts == 2
    assert positions(tmp_path) == [1, 2, 3, 4]
    out = tmp_path / "result.json"
    account(tmp_path / "outcome.json", out, [AccountantChoice(name="pld"), AccountantChoice(name="rdp")])
    result = load_result(out)
    assert result.provenance.attempts == 2
    noted = {
        item.label: any("2 attempts at this run" in note for note in item.assumptions) for item in result.guarantees
    }
    assert noted == {"upper/pld": True, "upper/rdp": True, "lower/noise_scale_family": False}
    # A release that was finished counts too, where it is computed again.
    (tmp_path / "outcome.json").unlink()
    assert go(tmp_path, None).provenance.attempts == 3


@pytest.mark.parametrize(
    ("kind", "parameters"), [("classification", DIGITS), ("gibbs_accuracy", GIBBS), ("final_model", FINAL)]
)
def test_a_run_that_is_not_disturbed_is_the_one_attempt(kind: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    assert go(tmp_path, None, parameters, kind).provenance.attempts == 1
    assert json.loads((tmp_path / ATTEMPTS).read_text()) == {"drew_noise": 1}
    account(tmp_path / "outcome.json", tmp_path / "result.json", [AccountantChoice(name="pld")])
    notes = [note for item in load_result(tmp_path / "result.json").guarantees for note in item.assumptions]
    assert not any("attempts" in note for note in notes)


def test_an_attempt_that_ended_before_its_noise_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(
            "wassdp.experiments.classification._examples", lambda *_: (_ for _ in ()).throw(OSError("full"))
        )
        with pytest.raises(OSError, match="full"):
            go(tmp_path, None)
    assert not (tmp_path / ATTEMPTS).exists()


def test_a_seeded_run_goes_on_with_its_history_and_says_nothing_of_attempts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(tmp_path, 0, monkeypatch)
    assert go(tmp_path, 0).provenance.attempts is None
    assert positions(tmp_path) == [1, 2, 3, 3, 4], "it resumed after epoch 2"
    assert not (tmp_path / ATTEMPTS).exists()
    assert "attempts" not in (tmp_path / "outcome.json").read_text()
    assert load_outcome(tmp_path / "outcome.json").provenance.attempts is None


def test_a_seeded_run_whose_checkpoint_is_of_no_use_begins_its_history_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(tmp_path, 0, monkeypatch)
    (tmp_path / "checkpoint.pt").write_bytes(b"damaged")
    go(tmp_path, 0)
    assert positions(tmp_path) == [1, 2, 3, 4]


def test_a_count_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / ATTEMPTS).write_text('{"drew_noise": "twice"}')
    with pytest.raises(ValueError, match=r"attempts\.json: drew_noise = 'twice': must be a whole number of at least 1"):
        go(tmp_path, None)
