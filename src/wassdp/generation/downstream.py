"""How well classifiers that have seen generated images only do on real ones. Evaluation, no part of a release."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from wassdp import checks

Kind = Literal["mlp", "logistic", "mlp_stopped"]
"""Of a classifier: the two of SWD's Table 2, and their network, stopped early."""
TABLE_2: tuple[Kind, ...] = ("mlp", "logistic")


def accuracies(
    images: Float[np.ndarray, "count dimension"],
    labels: Int[np.ndarray, " count"],
    test_images: Float[np.ndarray, "tests dimension"],
    test_labels: Int[np.ndarray, " tests"],
    *,
    seed: int | None,
    logistic_iterations: int,
    mlp_iterations: int,
    kinds: Sequence[Kind] = TABLE_2,
) -> dict[str, float]:
    """Share of real test images that classifiers trained on generated ones get right, by classifier.

    Those of SWD's Table 2, with scikit-learn's defaults but for the iterations: ``LogisticRegression`` with lbfgs, and
    ``MLPClassifier`` with one hidden layer of 100. Numbers below float32's normal range count as zero meanwhile, where
    the processor can do that.

    ``mlp`` keeps the weights of its last step, which the training loss chooses and which may be that of an excursion.
    ``mlp_stopped`` is the same network with scikit-learn's ``early_stopping``: it keeps those weights that do best on a
    tenth of the *generated* images, and ends ten passes later. It is another judge, cheaper and steadier.

    Args:
        images: generated images, flat, in [0, 1].
        labels: their classes, at least two different ones.
        test_images: real ones.
        test_labels: their classes.
        seed: of the network's start and its batches.
        logistic_iterations: most iterations of lbfgs.
        mlp_iterations: most passes of the network over the images.
        kinds: of the classifiers.

    Raises:
        ValueError: there is one class only, or an image is not finite (scikit-learn's error).
    """
    checks.whole("logistic_iterations", logistic_iterations, least=1)
    checks.whole("mlp_iterations", mlp_iterations, least=1)
    classifiers = {
        "mlp": MLPClassifier(max_iter=mlp_iterations, random_state=seed),
        "logistic": LogisticRegression(solver="lbfgs", max_iter=logistic_iterations),
        "mlp_stopped": MLPClassifier(max_iter=mlp_iterations, random_state=seed, early_stopping=True),
    }
    shares: dict[str, float] = {}
    for name in kinds:
        classifier = classifiers[name]
        with warnings.catch_warnings(), _subnormals_are_zero():
            # A limit on the iterations is a setting of the run, not a surprise.
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier.fit(images, labels)
        shares[name] = float((classifier.predict(test_images) == test_labels).mean())
    return shares


@contextlib.contextmanager
def _subnormals_are_zero() -> Iterator[None]:
    """Treat numbers below the normal range as zero in this thread.

    The network's weights of pixels that hardly vary shrink by a constant factor in each step, below 1e-38 after some
    dozens of passes, where a processor multiplies tens of times slower.
    """
    before = bool(torch.full((), 1e-38) * 0.1 == 0)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)
