"""Checkpoints: what is saved comes back; what is damaged or another run's is named and not used."""

from __future__ import annotations

import hashlib
import io
import logging
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from _digits_run import WITHOUT_PRIVACY
from wassdp.experiment import Context
from wassdp.runs import validate_parameters
from wassdp.training import checkpoint as checkpoints
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.fit import Epoch, Progress, Training
from wassdp.training.reproducible import Streams
from wassdp.training.session import Session

STATE = {"weights": torch.arange(50.0), "epochs": [{"accuracy": 0.5}], "optimiser": {"state": {}, "lr": 0.1}}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    return Checkpoint(tmp_path / "checkpoint.pt", {"code": "a", "specification": "b"})


def test_a_saved_state_comes_back_and_nothing_else_lies_about(checkpoint: Checkpoint) -> None:
    assert checkpoint.load() is None
    checkpoint.save({"weights": torch.zeros(1)})
    checkpoint.save(STATE)
    found = checkpoint.load()
    assert found is not None
    assert torch.equal(found.pop("weights"), STATE["weights"])
    assert found == {key: value for key, value in STATE.items() if key != "weights"}
    assert [path.name for path in checkpoint.path.parent.iterdir()] == ["checkpoint.pt"]
    checkpoint.remove()
    checkpoint.remove()
    assert checkpoint.load() is None


def test_what_a_killed_writer_left_half_written_is_removed(checkpoint: Checkpoint) -> None:
    checkpoint.save(STATE)
    draft = checkpoint.path.with_name(".checkpoint.k1ll3d.pt")
    draft.write_bytes(b"half")
    other = checkpoint.path.with_name("history.jsonl")
    other.write_text("{}")
    assert checkpoint.load() is not None
    assert not draft.exists()
    assert other.exists()


def test_a_version_that_is_more_than_a_string_does_not_make_the_file_unreadable(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "checkpoint.pt", {"torch": torch.__version__})
    checkpoint.save(STATE)
    assert checkpoint.load() is not None


@pytest.mark.parametrize("name", ["code", "specification"])
def test_another_runs_checkpoint_is_named_and_not_used(
    checkpoint: Checkpoint, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint.save(STATE)
    other = Checkpoint(checkpoint.path, {**checkpoint.belongs_to, name: "c"})
    with caplog.at_level(logging.WARNING):
        assert other.load() is None
    assert f"{checkpoint.path}: ignored, its {name} is '{checkpoint.belongs_to[name]}', not 'c'" in caplog.text


def test_a_checkpoint_of_other_data_is_not_used_and_one_that_is_older_than_their_record_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    privacy = {"clip_norm": 0.5, "epsilon": 1, "delta": 1.0e-5}
    parameters = validate_parameters("classification", WITHOUT_PRIVACY | {"epochs": 1, "privacy": privacy})

    def of(md5: str) -> Checkpoint:
        monkeypatch.setattr("wassdp.data.checksums", lambda name: {f"{name}.csv": md5})
        context = Context(folder=tmp_path, code="a", device="cpu")
        return Checkpoint.of_run(parameters, seed=0, context=context, device=torch.device("cpu"))

    of("0" * 32).save(STATE)
    assert of("0" * 32).load() is not None
    with caplog.at_level(logging.WARNING):
        assert of("1" * 32).load() is None
    assert "checkpoint.pt: ignored, its data are others" in caplog.text
    assert of("0" * 32).belongs_to["data"] not in caplog.text, "a digest of private files says which they are"
    before = {key: value for key, value in of("0" * 32).belongs_to.items() if key != "data"}
    Checkpoint(tmp_path / "checkpoint.pt", before).save(STATE)
    assert of("1" * 32).load() is not None


def damaged() -> dict[str, bytes]:
    """Ways in which a file can be broken."""
    return {"empty": b"", "foreign": b"PK\x03\x04 something else", "pickle": pickle.dumps(print)}


@pytest.mark.parametrize("kind", ["empty", "foreign", "pickle", "short", "flipped"])
def test_a_damaged_checkpoint_is_named_and_not_used(
    checkpoint: Checkpoint, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint.save(STATE)
    whole = checkpoint.path.read_bytes()
    middle = len(whole) // 2
    cuts = {"short": whole[:middle], "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]}
    checkpoint.path.write_bytes((damaged() | cuts)[kind])
    with caplog.at_level(logging.WARNING):
        assert checkpoint.load() is None
    assert f"{checkpoint.path}: ignored, unreadable" in caplog.text


def test_a_checkpoint_that_cannot_be_read_is_named_and_not_used(
    checkpoint: Checkpoint, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint.path.mkdir()
    with caplog.at_level(logging.WARNING):
        assert checkpoint.load() is None
    assert "unreadable (IsADirectoryError" in caplog.text


@pytest.mark.parametrize(
    "saved", [[1, 2], {"state": {}}, {"belongs_to": {}, "state": 7}, {"belongs_to": [], "state": {}}]
)
def test_a_whole_file_of_odd_structure_is_named_and_not_used(
    checkpoint: Checkpoint, saved: Any, caplog: pytest.LogCaptureFixture
) -> None:
    buffer = io.BytesIO()
    torch.save(saved, buffer)
    content = buffer.getvalue()
    checkpoint.path.write_bytes(checkpoints._HEADER + hashlib.sha256(content).digest() + content)
    with caplog.at_level(logging.WARNING):
        assert checkpoint.load() is None
    assert f"{checkpoint.path}: ignored, unreadable" in caplog.text


class Steps(Training[int, float]):
    """Three epochs of one step, which moves one weight."""

    layer = nn.Linear(1, 1)

    @property
    def last_epoch(self) -> int:
        return 3

    @property
    def parts(self) -> Any:
        return {"model": self.layer}

    @property
    def weights(self) -> list[nn.Parameter]:
        return [self.layer.weight]

    def batches(self, epoch: int) -> list[int]:
        return [epoch]

    def step(self, batch: int, *, epoch: int, number: int) -> float:
        with torch.no_grad():
            self.layer.weight += batch
        return float(self.layer.weight.detach())

    def evaluate(self, epoch: int, rows: list[float]) -> Epoch:
        return Epoch({"weight": rows[-1]})


def trained(checkpoint: Checkpoint) -> Progress:
    with torch.no_grad():
        Steps.layer.weight.zero_()
    session = Session(streams=Streams.of(0, "0" * 64), checkpoint=checkpoint, record=lambda *_: None)
    return Steps(session=session).run()


def test_a_state_of_odd_structure_is_named_and_the_run_starts_anew(
    checkpoint: Checkpoint, caplog: pytest.LogCaptureFixture
) -> None:
    expected = trained(checkpoint).epochs
    whole = checkpoint.load()
    assert whole is not None
    odd: list[dict[str, Any]] = [
        {},
        {**whole, "model": 3},
        {**whole, "model": {"weight": torch.zeros(7, 7)}},
        {**whole, "streams": None},
        {**whole, "progress": {"epochs": 5}},
        {**whole, "progress": {"unknown": []}},
    ]
    for state in odd:
        checkpoint.save(state)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert trained(checkpoint).epochs == expected
        assert f"{checkpoint.path}: ignored, of odd structure" in caplog.text
