"""The problems of fair learning: data, model, loss, and what the trained model is measured by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float, Int64
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn

from wassdp import data
from wassdp.data import held_out
from wassdp.data.held_out import JudgedOn
from wassdp.data.sets import biased
from wassdp.fairness import measures as judged
from wassdp.mechanisms.dpsgd import cleared

Task = Literal["classification", "regression", "representation"]
CORE = 8
"""Of the synthetic features, those that say something about the response."""
LATENT = 2


@dataclass(frozen=True)
class Sample:
    """Examples of a training or test set.

    Args:
        features: shape (n, columns).
        sensitive: A, 0 or 1.
        labels: Y, 0 or 1.
        response: what a regression fits, centred; None where there is none.
    """

    features: Float[Tensor, "n columns"]
    sensitive: Int64[np.ndarray, " n"]
    labels: Int64[np.ndarray, " n"]
    response: Float[Tensor, "n 2"] | None

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self, places: Int64[np.ndarray, " places"]) -> Sample:
        """The examples at these places."""
        return Sample(
            features=self.features[places],
            sensitive=self.sensitive[places],
            labels=self.labels[places],
            response=None if self.response is None else self.response[places],
        )


def samples(
    dataset: str,
    *,
    sensitive: str,
    records: int,
    test_records: int,
    seed: int | None,
    judged_on: JudgedOn = "test",
) -> tuple[Sample, Sample]:
    """Training examples, and those that judge: test examples, or training examples that are held out.

    An example with a feature that is not finite is one whose features are all 0: what is computed of training examples
    stops for none of them.

    Args:
        dataset: its name; ``biased`` is drawn.
        sensitive: protected attribute of a dataset that is not drawn.
        records: training examples that are drawn.
        test_records: test examples that are drawn.
        seed: of the draw.
        judged_on: whose examples the second ones are.

    Raises:
        DatasetUnavailable: the dataset cannot be had.
    """
    if dataset == "biased":
        generator = np.random.default_rng(seed)
        drawn = [biased.sample(generator, size=size) for size in (records, test_records)]
        train, test = (
            Sample(
                features=_finite(torch.from_numpy(each.features).float()),
                sensitive=each.sensitive,
                labels=each.labels,
                response=torch.from_numpy(each.response).float() - 0.5,
            )
            for each in drawn
        )
        return _judged(train, test, dataset, judged_on)
    splits = data.load(dataset, sensitive=sensitive)
    train, test = (
        Sample(
            features=_finite(torch.from_numpy(np.asarray(each.inputs)).float()),
            sensitive=each.sensitive,
            labels=each.labels,
            response=None,
        )
        for each in (splits.train, splits.test)
    )
    return _judged(train, test, dataset, judged_on)


def _finite(features: Float[Tensor, "n columns"]) -> Float[Tensor, "n columns"]:
    """``features`` with zeros in the place of rows that are not finite."""
    return cleared(features, torch.isfinite(features).all(dim=1).to(features.dtype))


def _judged(train: Sample, test: Sample, dataset: str, judged_on: JudgedOn) -> tuple[Sample, Sample]:
    if judged_on == "test":
        return train, test
    trained, kept_back = held_out.places(dataset, len(train))
    return train.rows(trained), train.rows(kept_back)


class _Centred(nn.Module):
    def forward(self, values: Tensor) -> Tensor:
        return torch.sigmoid(values) - 0.5


class _Autoencoder(nn.Module):
    """Encoder and decoder of two layers each; gives the code, which is compared, and the reconstruction."""

    def __init__(self, columns: int, hidden: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(columns, hidden), nn.ReLU(), nn.Linear(hidden, LATENT))
        self.decoder = nn.Sequential(nn.Linear(LATENT, hidden), nn.ReLU(), nn.Linear(hidden, columns))

    def forward(self, values: Tensor) -> tuple[Tensor, Tensor]:
        code = self.encoder(values)
        return code, self.decoder(code)


def model(task: Task, columns: int, *, hidden: int) -> nn.Module:
    """The task's model, initialised from torch's global generator."""
    if task == "representation":
        return _Autoencoder(columns, hidden)
    width, last = (2, [_Centred()]) if task == "regression" else (1, [nn.Sigmoid(), nn.Flatten(0)])
    if hidden == 0:
        return nn.Sequential(nn.Linear(columns, width), *last)
    return nn.Sequential(nn.Linear(columns, hidden), nn.ReLU(), nn.Linear(hidden, width), *last)


def targets(task: Task, sample: Sample) -> Tensor:
    """What the loss is measured against."""
    if task == "representation":
        return sample.features
    if task == "regression":
        assert sample.response is not None, "Parameters allows regression on the synthetic data only"
        return sample.response
    return torch.from_numpy(sample.labels).float()


def loss(task: Task, output: Any, aims: Tensor) -> Float[Tensor, " n"]:
    """One loss per example: cross-entropy in nats, or the squared distance to the response or the features.

    An example whose score is no number has a loss that is none: it counts as zero where gradients are clipped, and to
    stop because of it, as `torch` does, would say that it is there.
    """
    if task == "classification":
        lost = output.isnan()
        found = nn.functional.binary_cross_entropy(output.masked_fill(lost, 0.5), aims, reduction="none")
        return found.masked_fill(lost, torch.nan)
    fitted = output[1] if task == "representation" else output
    squared: Tensor = (fitted - aims).square().sum(dim=1)
    return squared


@torch.no_grad()
def compared(trained: nn.Module, sample: Sample) -> Float[Tensor, "n d"]:
    """The outputs whose distributions the penalty compares; one that is not finite counts as 0, as in the gradient."""
    output = trained(sample.features)
    compared: Tensor = output[0] if isinstance(output, tuple) else output
    return _finite(compared[:, None] if compared.ndim == 1 else compared)


@torch.no_grad()
def measures(task: Task, trained: nn.Module, test: Sample) -> dict[str, float]:
    """Accuracy and fairness on the test set, as the paper's captions name them for the task."""
    outputs = compared(trained, test).double().numpy()
    if task == "classification":
        return judged.of_decisions(outputs[:, 0], test.sensitive, test.labels)
    if task == "regression":
        # Y is 1 above the falling diagonal of the response, which is centred here.
        right = (outputs[:, 1] > -outputs[:, 0]) == (test.labels == 1)
        return {"accuracy": float(right.mean())} | judged.above_diagonal(outputs, test.sensitive)
    rebuilt = trained(test.features)[1]
    core = (rebuilt[:, :CORE] - test.features[:, :CORE]).square().sum(dim=1).mean()
    return {"core_loss": float(core)} | _downstream(outputs, test)


def _downstream(codes: Float[np.ndarray, "n d"], test: Sample) -> dict[str, float]:
    """A logistic regression on 60 % of the encoded test data, measured on the others."""
    fitted = round(0.6 * len(test))
    classifier = LogisticRegression().fit(codes[:fitted], test.labels[:fitted])
    scores = classifier.predict_proba(codes[fitted:])[:, 1]
    return judged.of_decisions(scores, test.sensitive[fitted:], test.labels[fitted:])
