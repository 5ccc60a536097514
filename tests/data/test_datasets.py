"""What holds for every dataset file, and the functions of the package itself."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from wassdp import data
from wassdp.data import base
from wassdp.data.vision_package import torchvision

EXPECTED = {
    *("digits", "mnist", "fashion_mnist", "usps", "cifar10", "svhn", "celeba"),
    *("adult", "german_credit"),
    *("office31", "office_caltech10", "visda"),
    *("gaussian_pair", "biased", "circle_gaussian"),
}
UNPUBLISHED = {"office31", "visda"}


def module(name: str) -> SimpleNamespace:
    return importlib.import_module(f"wassdp.data.sets.{name}")  # type: ignore[return-value]


def test_all_datasets_are_found_by_listing() -> None:
    assert set(data.names()) >= EXPECTED
    assert not {name for name in data.names() if name.startswith("_") or name == "base"}


@pytest.mark.parametrize("name", data.names())
def test_a_descriptor_is_complete_and_frozen(name: str) -> None:
    found = data.descriptor(name)
    assert found.name == name
    for text in (found.title, found.task, found.licence, found.source, found.citation, found.integrity):
        assert text.strip() == text != ""
    with pytest.raises(AttributeError):
        found.name = "other"  # type: ignore[misc]
    assert (found.origin == "synthetic") == (not found.counts)
    assert all(count > 0 for count in found.counts.values())


@pytest.mark.parametrize("name", [name for name in data.names() if data.descriptor(name).origin == "files"])
def test_every_file_has_a_checksum_and_a_way_to_obtain_it(name: str) -> None:
    found = data.descriptor(name)
    for file in found.files:
        if name in UNPUBLISHED:
            assert (file.md5, file.published) == (None, False)
        else:
            assert file.md5 is not None
        assert file.urls or found.archive or found.instructions
        assert all(url.startswith(("http://", "https://")) for url in file.urls)


@pytest.mark.parametrize("name", [name for name in data.names() if data.descriptor(name).origin != "synthetic"])
def test_loading_takes_a_folder_and_says_what_it_gives(name: str) -> None:
    load = module(name).load
    assert next(iter(inspect.signature(load).parameters)) == "folder"
    assert inspect.signature(load).parameters["folder"].default is None
    assert "labels" in inspect.getdoc(load)


@pytest.mark.parametrize("name", data.names())
def test_importing_a_dataset_imports_no_torch(name: str) -> None:
    script = f"import sys, wassdp.data.sets.{name}; print(sorted({{'torch', 'torchvision'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "reader"), [("mnist", "MNIST"), ("fashion_mnist", "FashionMNIST"), ("celeba", "CelebA")]
)
def test_checksums_agree_with_torchvision(name: str, reader: str) -> None:
    theirs = getattr(torchvision("datasets"), reader)
    pairs = {name: md5 for _, md5, name in theirs.file_list} if name == "celeba" else dict(theirs.resources)
    assert {file.path: file.md5 for file in data.descriptor(name).files} == pairs


@pytest.mark.parametrize(("name", "reader"), [("usps", "USPS"), ("svhn", "SVHN")])
def test_checksums_and_addresses_agree_with_torchvision(name: str, reader: str) -> None:
    theirs = getattr(torchvision("datasets"), reader).split_list.values()
    ours = data.descriptor(name).files
    assert {file.path: (file.urls, file.md5) for file in ours} == {path: ((url,), md5) for url, path, md5 in theirs}


def test_checksums_of_cifar10_agree_with_torchvision() -> None:
    theirs = torchvision("datasets").CIFAR10
    pairs = {
        f"{theirs.base_folder}/{file}": md5
        for file, md5 in [*theirs.train_list, *theirs.test_list, [theirs.meta["filename"], theirs.meta["md5"]]]
    }
    ours = data.descriptor("cifar10")
    assert {file.path: file.md5 for file in ours.files} == pairs
    assert ours.archive is not None
    assert (ours.archive.url, ours.archive.md5) == (theirs.url, theirs.tgz_md5)


@pytest.mark.mirror
def test_every_file_of_the_mirror_has_the_size_and_checksum_stated(real: Path) -> None:
    """The mirror's datasets are fetched whole, optional files included; `fetch` compares size and md5."""
    for name in ("mnist", "fashion_mnist", "usps", "adult", "german_credit", "office_caltech10"):
        found = data.descriptor(name)
        manifest = data.fetch(name, real, only=[file.path for file in found.files])
        assert manifest.checksums() == {file.path: file.md5 for file in found.files}
        assert {path: entry.bytes for path, entry in manifest.entries.items()} == {
            file.path: file.bytes for file in found.files
        }


def test_checksums_name_what_a_load_uses(folder: Path, made: SimpleNamespace) -> None:
    assert data.checksums("gaussian_pair") == {}
    assert data.checksums("digits") == {"pixels-and-labels": "5d8bc8ede2b0aee84f53c9369fc789d2"}
    made.lay(folder / "office31", {f"{domain}.npz": domain.encode() for domain in ("amazon", "dslr", "webcam")})
    assert data.checksums("office31")["dslr.npz"] == made.md5(b"dslr")


def test_data_without_files_need_no_fetching(folder: Path) -> None:
    for name in ("digits", "biased"):
        assert dict(data.fetch(name).entries) == {}
    assert not folder.exists()


@pytest.mark.parametrize("call", [data.descriptor, data.fetch, data.checksums])
@pytest.mark.parametrize("name", ["nope", "_storage", "base", "mnist.py", ""])
def test_an_unknown_name_is_refused_with_the_allowed_ones(call: Callable[[str], object], name: str) -> None:
    with pytest.raises(ValueError, match=r"dataset = '.*': (did you mean \w+\? )?must be one of adult, biased, celeba"):
        call(name)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"path": "/absolute"}, "must be relative"),
        ({"path": "up/../../and/out"}, "must be relative"),
        ({"path": ""}, "must be relative"),
        ({"md5": "D41D8CD98F00B204E9800998ECF8427E"}, "32 lower-case hex digits"),
        ({"md5": "short"}, "32 lower-case hex digits"),
    ],
)
def test_a_file_descriptor_refuses_nonsense(change: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        base.File(**{"path": "a", "md5": "0" * 32, **change})  # type: ignore[arg-type]


def test_a_dataset_descriptor_refuses_nonsense(made: SimpleNamespace) -> None:
    file = base.File(path="a", md5=None, pieces=("b",))
    for change, said in (
        ({"origin": "invented"}, "origin = 'invented'"),
        ({"origin": "synthetic"}, "for origin 'files', and for no other"),
        ({"files": ()}, "for origin 'files', and for no other"),
        ({"folder": ""}, "has files and needs a folder"),
        ({"files": (file,)}, "restore of made"),
        ({"files": (base.File(path="a", md5=None),) * 2}, "stands there twice"),
    ):
        with pytest.raises(ValueError, match=said):
            made.dataset(**change)


def test_a_split_refuses_unequal_lengths() -> None:
    import numpy as np

    inputs, labels = np.zeros((3, 2)), np.zeros(2, dtype=np.int64)
    with pytest.raises(ValueError, match="labels: 2 of them for 3 inputs"):
        base.Split(inputs=inputs, labels=labels)
    with pytest.raises(ValueError, match="sensitive: 2 of them for 3 inputs"):
        base.Split(inputs=inputs, labels=np.zeros(3, dtype=np.int64), sensitive=labels)
    assert len(base.Split(inputs=inputs, labels=np.zeros(3, dtype=np.int64))) == 3
