"""The md5 of a private file is a function of its records without noise: nothing that is to be released has it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from wassdp import data
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.config import AccountantChoice
from wassdp.experiment import Findings
from wassdp.pipeline.account import account
from wassdp.pipeline.execute import execute
from wassdp.pipeline.plan import PlannedRun
from wassdp.result import load_result
from wassdp.tracking import content

SETTING: dict[str, Any] = {
    "task": {"name": "office31", "source": "dslr", "target": "webcam"},
    "method": {"name": "dp_swd", "learning_rate": 5e-4, "weight": 0.5, "projections": 20, "radius": 20}
    | {"epsilon": 10, "delta": 5e-5},
    "epochs": 1,
    "batch": 249,
}


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """md5 of files that a user made, nobody has published and no descriptor names."""
    home = tmp_path / "data"
    monkeypatch.setenv("WASSDP_DATA", str(home))
    (home / "office31").mkdir(parents=True)
    found = {}
    for domain in ("amazon", "dslr", "webcam"):
        (home / "office31" / f"{domain}.npz").write_bytes(domain.encode())
        found[f"office31/{domain}.npz"] = hashlib.md5(domain.encode()).hexdigest()
    event = repeated(Gaussian(noise_multiplier=2.0, adjacency="replace-one"), 5)

    def run(parameters: Any, **_: Any) -> Findings:
        own = {} if parameters.release else {"accuracy": 0.5}
        return Findings(metrics=own | {"source_accuracy": 0.5}, event=event, delta=5e-5)

    monkeypatch.setattr("wassdp.experiments.adaptation.run", run)
    return found


@pytest.mark.parametrize("release", [False, True])
def test_a_run_to_be_released_holds_no_md5_of_a_private_file(
    release: bool, private: dict[str, str], tmp_path: Path
) -> None:
    seed = None if release else 0
    spec = {"kind": "adaptation", "parameters": SETTING | ({"release": True} if release else {}), "seed": seed}
    folder = tmp_path / "run"
    outcome = execute(spec, folder / "outcome.json", device="cpu")
    account(folder / "outcome.json", folder / "result.json", [AccountantChoice(name="pld")])
    assert outcome.provenance.datasets == ({} if release else private)
    raw = (folder / "result.json").read_bytes()
    result = load_result(folder / "result.json")
    row = PlannedRun(
        run=outcome.run,
        experiment="people",
        paper="test",
        name="people",
        kind="adaptation",
        phase="train",
        seed=seed,
        spec=outcome.spec,
    )
    tracked = content.finished([row], result, raw, None, "quick", content.Shown("people", "source_accuracy"))
    assert bool(tracked.datasets) != release
    everywhere = "".join([*(path.read_text() for path in folder.iterdir()), str(tracked)])
    for md5 in private.values():
        assert (md5 in everywhere) != release


def test_what_is_published_is_known_without_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_described(name: str, folder: Path | None = None) -> dict[str, str]:
        return {file.path: file.md5 or "recorded" for file in data.descriptor(name).required}

    monkeypatch.setattr(data, "checksums", as_described)
    assert data.published_checksums("mnist") == as_described("mnist")
    # Made by the user; recorded by this project from its own copy.
    assert data.published_checksums("office31") == data.published_checksums("office_caltech10") == {}


def test_one_that_differs_from_the_recorded_one_is_named_without_either(
    private: dict[str, str], tmp_path: Path
) -> None:
    data.checksums("office31")
    (tmp_path / "data" / "office31" / "webcam.npz").write_bytes(b"another")
    with pytest.raises(
        data.DatasetUnavailable, match=r"webcam\.npz: has another md5 than was recorded .*recorded-md5\.json"
    ) as caught:
        data.checksums("office31")
    assert hashlib.md5(b"another").hexdigest() not in str(caught.value)
    assert private["office31/webcam.npz"] not in str(caught.value)
