"""Pairs of domains: what is loaded, how it is prepared, and which pairs there are."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import TypeAdapter, ValidationError

from wassdp.adaptation.tasks import Digits, OfficeCaltech10, Task
from wassdp.data.base import Split
from wassdp.data.sets import office31, office_caltech10, visda

CPU = torch.device("cpu")


def task(**changes: Any) -> Task:
    found: Task = TypeAdapter(Task).validate_python(changes)
    return found


def test_digits_of_two_sizes_become_inputs_of_one() -> None:
    found = task(name="digits", source="digits", target="digits", split="test", rotation=30.0).load(CPU)
    assert found.source.inputs.shape == (1438, 1, 28, 28)
    assert found.target.inputs.shape == (359, 1, 28, 28)
    assert found.held_out is None
    turned, straight = (
        Digits(name="digits", source="digits", target="digits", split="test", rotation=angle).load(CPU)
        for angle in (30.0, 0.0)
    )
    assert not torch.equal(turned.target.inputs, straight.target.inputs)
    assert torch.equal(turned.source.inputs, straight.source.inputs)


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("source", "target", "split", "sizes", "held_out"),
    [("mnist", "usps", "train", (60_000, 7_291), 2_007), ("usps", "mnist", "test", (7_291, 10_000), None)],
)
def test_the_papers_digits(source: str, target: str, split: str, sizes: tuple[int, int], held_out: int | None) -> None:
    chosen = task(name="digits", source=source, target=target, split=split)
    assert chosen.sizes == sizes
    found = chosen.load(CPU)
    assert (len(found.source.targets), len(found.target.targets)) == sizes
    assert (found.held_out is None) == (held_out is None)
    if found.held_out is not None:
        assert len(found.held_out.targets) == held_out


@pytest.mark.parametrize("features", ["googlenet", "surf"])
def test_office_caltech10_rows_are_prepared_by_themselves(features: str, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    made = {
        domain: Split(
            inputs=generator.integers(0, 9, (size, 20)).astype(np.float32), labels=np.arange(size, dtype=np.int64) % 10
        )
        for domain, size in (("amazon", 12), ("dslr", 7))
    }
    made["dslr"].inputs[3] = 0
    asked = []
    monkeypatch.setattr(office_caltech10, "load", lambda *, features: asked.append(features) or made)
    found = task(name="office_caltech10", features=features, source="amazon", target="dslr").load(CPU)
    assert asked == [features]
    squares = found.target.inputs.square().mean(dim=1)
    expected = torch.ones(7)
    expected[3] = 0
    torch.testing.assert_close(squares, expected)
    # Another record changes nothing: nothing here is computed from a whole domain.
    made["dslr"].inputs[0] *= 5
    again = task(name="office_caltech10", features=features, source="amazon", target="dslr").load(CPU)
    torch.testing.assert_close(again.target.inputs[1:], found.target.inputs[1:])
    if features == "surf":
        raw = torch.from_numpy(made["amazon"].inputs)
        torch.testing.assert_close(found.source.inputs.square() / 20, raw / raw.sum(dim=1, keepdim=True))


def test_office_caltech10_has_six_pairs_of_googlenets_features_and_twelve_of_surf() -> None:
    domains = ("amazon", "caltech10", "dslr", "webcam")
    for features, count in (("googlenet", 6), ("surf", 12)):
        pairs = [
            pair
            for pair in itertools.product(domains, repeat=2)
            if task(name="office_caltech10", features=features, source=pair[0], target=pair[1]).impossible() is None
        ]
        assert len(pairs) == count
    assert isinstance(task(name="office_caltech10", source="dslr", target="amazon"), OfficeCaltech10)


@pytest.mark.parametrize(
    ("module", "source", "target", "network", "classes"),
    [(office31, "dslr", "webcam", "office", 31), (visda, "train", "validation", "visda", 12)],
)
def test_resnet_features_that_the_user_made(
    module: Any, source: str, target: str, network: str, classes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {domain: 10 + place for place, domain in enumerate(module.DOMAINS)}
    monkeypatch.setattr(module, "DATASET", dataclasses.replace(module.DATASET, counts=sizes))
    monkeypatch.setenv("WASSDP_DATA", str(tmp_path))
    monkeypatch.delenv("WASSDP_MIRROR", raising=False)
    folder = tmp_path / module.DATASET.folder
    folder.mkdir()
    generator = np.random.default_rng(1)
    for domain, size in sizes.items():
        features = generator.random((size, 2048), dtype=np.float32)
        np.savez(folder / f"{domain}.npz", features=features, labels=np.arange(size, dtype=np.int64) % classes)
    chosen = task(name=module.DATASET.name, source=source, target=target)
    found = chosen.load(CPU)
    assert (chosen.network, chosen.classes, chosen.sizes) == (network, classes, (sizes[source], sizes[target]))
    assert found.source.inputs.shape == (sizes[source], 2048)
    assert found.target.inputs.shape == (sizes[target], 2048)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "digits", "source": "mnist", "target": "mnist"}, "both mnist's training images"),
        ({"name": "office_caltech10", "source": "dslr", "target": "dslr"}, "both dslr"),
        ({"name": "office_caltech10", "source": "caltech10", "target": "dslr"}, "no GoogLeNet features of caltech10"),
        ({"name": "office31", "source": "dslr", "target": "validation"}, "office31 has no domain validation"),
        ({"name": "visda", "source": "train", "target": "train"}, "both train"),
    ],
)
def test_pairs_that_do_not_exist_give_their_reason(changes: dict[str, str], reason: str) -> None:
    assert reason in (task(**changes).impossible() or "")


def test_unknown_domains_are_refused() -> None:
    with pytest.raises(ValidationError, match="svhn"):
        task(name="digits", source="svhn", target="mnist")
