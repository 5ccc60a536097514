"""Downstream accuracy, Fréchet distance and sheets of pictures."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import torch
from jaxtyping import Int64
from pydantic import ValidationError
from sklearn.neural_network import MLPClassifier

from wassdp import data
from wassdp.data.sets import digits
from wassdp.generation import downstream, frechet, generators, pictures
from wassdp.generation.evaluation import GeneratedEvaluation, public_order
from wassdp.training.inputs import unit


def test_classifiers_trained_on_real_digits_are_good_and_on_shuffled_labels_are_not() -> None:
    loaded = digits.load()
    images, tests = (split.inputs.reshape(len(split), -1) / 16.0 for split in (loaded.train, loaded.test))
    settings = {"seed": 0, "logistic_iterations": 200, "mlp_iterations": 60}
    good = downstream.accuracies(images, loaded.train.labels, tests, loaded.test.labels, **settings)
    assert set(good) == {"mlp", "logistic"}
    assert min(good.values()) > 0.9
    mixed = np.random.default_rng(0).permutation(loaded.train.labels)
    bad = downstream.accuracies(images, mixed, tests, loaded.test.labels, **settings)
    assert max(bad.values()) < 0.3
    with pytest.raises(ValueError, match="mlp_iterations = 0"):
        downstream.accuracies(images, mixed, tests, loaded.test.labels, **(settings | {"mlp_iterations": 0}))


def test_the_network_that_is_stopped_early_is_a_judge_of_its_own() -> None:
    loaded = digits.load()
    images, tests = (split.inputs.reshape(len(split), -1) / 16.0 for split in (loaded.train, loaded.test))
    arguments = (images, loaded.train.labels, tests, loaded.test.labels)
    settings = {"seed": 0, "logistic_iterations": 1, "mlp_iterations": 200}
    found = downstream.accuracies(*arguments, **settings, kinds=("mlp_stopped",))
    assert set(found) == {"mlp_stopped"}
    assert found["mlp_stopped"] > 0.9
    assert downstream.accuracies(*arguments, **settings, kinds=("mlp_stopped",)) == found
    assert GeneratedEvaluation().model_dump() == GeneratedEvaluation(classifiers=("mlp", "logistic")).model_dump()
    assert "classifiers" not in GeneratedEvaluation().model_dump(), "what Table 2 has stands in no specification"
    with pytest.raises(ValidationError, match="classifiers"):
        GeneratedEvaluation.model_validate({"classifiers": ["forest"]})


@pytest.mark.parametrize("before", [False, True])
def test_classifiers_are_trained_without_subnormal_numbers_and_leave_the_setting_as_it_was(
    before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not torch.set_flush_denormal(False):
        pytest.skip("this processor cannot flush subnormal numbers to zero")
    tiny = np.array([1e-38], np.float32)
    seen = []

    def fit(self: MLPClassifier, images: np.ndarray, labels: np.ndarray) -> None:
        seen.append(float((tiny * np.float32(0.1))[0]))
        raise InterruptedError

    monkeypatch.setattr(MLPClassifier, "fit", fit)
    try:
        torch.set_flush_denormal(before)
        with pytest.raises(InterruptedError):
            downstream.accuracies(
                np.eye(2), np.arange(2), np.eye(2), np.arange(2), seed=0, logistic_iterations=1, mlp_iterations=1
            )
        after = float((tiny * np.float32(0.1))[0])
    finally:
        torch.set_flush_denormal(False)
    assert seen == [0.0]
    assert (after == 0) == before


def test_the_frechet_distance_is_the_one_of_the_formula() -> None:
    drawing = np.random.default_rng(0)
    first = drawing.normal(size=(200, 5)) @ drawing.normal(size=(5, 5))
    second = 1.0 + drawing.normal(size=(150, 5))
    covariances = [np.cov(sample, rowvar=False) for sample in (first, second)]
    root = scipy.linalg.sqrtm(covariances[0] @ covariances[1]).real
    expected = np.square(first.mean(axis=0) - second.mean(axis=0)).sum() + np.trace(sum(covariances) - 2 * root)
    assert frechet.distance(first, second) == pytest.approx(expected, rel=1e-8)
    assert frechet.distance(second, first) == pytest.approx(expected, rel=1e-8)
    assert frechet.distance(first, first) == pytest.approx(0, abs=1e-8)
    with pytest.raises(ValueError, match="two each"):
        frechet.distance(first[:1], second)


def test_features_tell_real_digits_from_noise() -> None:
    loaded = digits.load().train.inputs[:, None].astype(np.float32) / 16
    real = [torch.from_numpy(part) for part in (loaded[:300], loaded[300:600])]
    noise = torch.rand(300, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    here, there, far = (frechet.features(each) for each in (*real, noise))
    assert frechet.distance(here, far) > 10 * frechet.distance(here, there)


def test_a_sheet_holds_the_images_column_by_column() -> None:
    images = np.random.default_rng(0).random((6, 1, 4, 5))
    sheet = pictures.unpack(pictures.sheet(images, rows=2))
    assert sheet.shape == (8, 15)
    for number, image in enumerate(images):
        column, row = divmod(number, 2)
        cut = sheet[4 * row : 4 * row + 4, 5 * column : 5 * column + 5]
        np.testing.assert_array_equal(cut, 17 * np.rint(15 * image[0]))
    assert pictures.unpack(pictures.sheet(np.ones((4, 3, 2, 2)), rows=4)).shape == (8, 2, 3)
    assert pictures.sheet(images, rows=2) == pictures.sheet(images, rows=2)
    coloured = np.random.default_rng(0).random((2, 3, 4, 5))
    shown = pictures.unpack(pictures.sheet(coloured, rows=1))
    np.testing.assert_array_equal(shown[:, :5], 17 * np.rint(15 * coloured[0]).transpose(1, 2, 0))


def test_what_is_no_sheet_is_refused() -> None:
    with pytest.raises(ValueError, match="rows = 4"):
        pictures.sheet(np.ones((6, 1, 2, 2)), rows=4)
    with pytest.raises(ValueError, match="channels = 2"):
        pictures.sheet(np.ones((6, 2, 2, 2)), rows=3)
    for text in ("no base64!", "aGVsbG8="):
        with pytest.raises(ValueError, match="is not the base64 text of a PNG"):
            pictures.unpack(text)


def test_the_frechet_distance_is_from_a_public_sample_and_beside_it_that_of_other_test_images() -> None:
    records = digits.load().test
    network = generators.Network().build((1, 8, 8), classes=10)
    evaluation = GeneratedEvaluation(samples=0, frechet=100)

    def judged(order: Int64[np.ndarray, " count"] | None = None) -> dict[str, float]:
        torch.manual_seed(0)
        test = records if order is None else records.rows(order)
        return evaluation.judge(network, test, "digits", device=torch.device("cpu"), seed=0)

    places = public_order("digits", len(records))
    assert sorted(places) == list(range(len(records)))
    assert places.tolist() != list(range(len(records)))
    assert places.tolist() != public_order("mnist", len(records)).tolist()
    found, images = judged(), unit(records.inputs, "digits")
    features = [frechet.features(images[torch.from_numpy(np.sort(part))]) for part in (places[:100], places[100:200])]
    assert found["frechet_sampled_floor"] == pytest.approx(frechet.distance(*features), rel=1e-9)
    assert found["frechet_sampled"] > found["frechet_sampled_floor"] > 0
    # Test images outside the two samples change nothing but the distance from the first ones; one inside does.
    moved = np.arange(len(records))
    moved[places[200:]] = moved[places[200]]
    changed = {name for name, value in judged(moved).items() if value != found[name]}
    assert changed == {"frechet_scattering"}
    moved = np.arange(len(records))
    moved[places[0]] = places[1]
    assert judged(moved)["frechet_sampled"] != found["frechet_sampled"]
    whole = GeneratedEvaluation(samples=0, frechet=len(records))
    torch.manual_seed(0)
    assert set(whole.judge(network, records, "digits", device=torch.device("cpu"), seed=0)) == {
        "frechet_sampled",
        "frechet_scattering",
    }


@pytest.mark.mirror
def test_the_first_test_images_of_mnist_are_no_sample_and_those_of_the_public_order_are() -> None:
    # What the caption of the table of generators says of either, with the best generators of the published runs.
    best: dict[str, float] = {}
    for path in Path("docs/results").glob("*/runs.csv.xz"):
        runs = pd.read_csv(path, low_memory=False)
        if "frechet_scattering" in runs:
            for name, own in runs.groupby("parameters.dataset")["frechet_scattering"].min().dropna().items():
                best[str(name)] = min(best.get(str(name), math.inf), own)
    for name, told in (("mnist", False), ("fashion_mnist", True)):
        loaded = data.load(name)
        count, size = len(loaded.test), GeneratedEvaluation().frechet
        features = frechet.features(unit(loaded.test.inputs, name))
        places = public_order(name, count)
        # The second half of the test records is further from the first ones than the best generators' images are.
        assert (frechet.distance(features[:size], features[count // 2 :]) < best[name]) == told
        # Every other sample is as near as real images are: a tenth of the best's distance on average, a fifth at most.
        others = [places[first : first + size] for first in range(size, count, size)]
        floors = [frechet.distance(features[places[:size]], features[other]) for other in others]
        assert statistics.fmean(floors) < best[name] / 10
        assert max(floors) < best[name] / 5
        # Training images, at places that their own order shuffles: as near as test images are.
        real = frechet.features(unit(loaded.train.inputs[public_order(f"{name}/train", 60_000)[:size]], name))
        assert frechet.distance(features[places[:size]], real) < best[name] / 5
        assert (frechet.distance(features[:size], real) < best[name] / 5) == told
