"""The problems of fair learning: data, model, loss, and what the trained model is measured by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from wassdp import data
from wassdp.experiments import _fairness

if TYPE_CHECKING:
    from wassdp.experiments.fair_learning import Parameters

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


def samples(parameters: Parameters, seed: int | None) -> tuple[Sample, Sample]:
    """Training and test examples.

    Raises:
        DatasetUnavailable: the dataset cannot be had.
    """
    if parameters.dataset == "biased":
        from wassdp.data.sets import biased

        generator = np.random.default_rng(seed)
        drawn = [biased.sample(generator, size=size) for size in (parameters.records, parameters.test_records)]
        train, test = (
            Sample(
                features=torch.from_numpy(each.features).float(),
                sensitive=each.sensitive,
                labels=each.labels,
                response=torch.from_numpy(each.response).float() - 0.5,
            )
            for each in drawn
        )
        return train, test
    splits = data.load(parameters.dataset, sensitive=parameters.sensitive)
    train, test = (
        Sample(
            features=torch.from_numpy(np.asarray(each.inputs)).float(),
            sensitive=each.sensitive,
            labels=each.labels,
            response=None,
        )
        for each in (splits.train, splits.test)
    )
    return train, test


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


def model(parameters: Parameters, columns: int) -> nn.Module:
    """The task's model, initialised from torch's global generator."""
    if parameters.task == "representation":
        return _Autoencoder(columns, parameters.hidden)
    width, last = (2, [_Centred()]) if parameters.task == "regression" else (1, [nn.Sigmoid(), nn.Flatten(0)])
    if parameters.hidden == 0:
        return nn.Sequential(nn.Linear(columns, width), *last)
    return nn.Sequential(nn.Linear(columns, parameters.hidden), nn.ReLU(), nn.Linear(parameters.hidden, width), *last)


def targets(parameters: Parameters, sample: Sample) -> Tensor:
    """What the loss is measured against."""
    if parameters.task == "representation":
        return sample.features
    if parameters.task == "regression":
        assert sample.response is not None, "Parameters allows regression on the synthetic data only"
        return sample.response
    return torch.from_numpy(sample.labels).float()


def loss(parameters: Parameters, output: Any, aims: Tensor) -> Float[Tensor, " n"]:
    """One loss per example: cross-entropy in nats, or the squared distance to the response or the features."""
    if parameters.task == "classification":
        return nn.functional.binary_cross_entropy(output, aims, reduction="none")
    found = output[1] if parameters.task == "representation" else output
    squared: Tensor = (found - aims).square().sum(dim=1)
    return squared


@torch.no_grad()
def compared(trained: nn.Module, sample: Sample) -> Float[Tensor, "n d"]:
    """The outputs whose distributions the penalty compares."""
    output = trained(sample.features)
    found: Tensor = output[0] if isinstance(output, tuple) else output
    return found[:, None] if found.ndim == 1 else found


@torch.no_grad()
def measures(parameters: Parameters, trained: nn.Module, test: Sample) -> dict[str, float]:
    """Accuracy and fairness on the test set, as the paper's captions name them for the task."""
    outputs = compared(trained, test).double().numpy()
    if parameters.task == "classification":
        return _fairness.of_decisions(outputs[:, 0], test.sensitive, test.labels)
    if parameters.task == "regression":
        # Y is 1 above the falling diagonal of the response, which is centred here.
        right = (outputs[:, 1] > -outputs[:, 0]) == (test.labels == 1)
        return {"accuracy": float(right.mean())} | _fairness.above_diagonal(outputs, test.sensitive)
    rebuilt = trained(test.features)[1]
    core = (rebuilt[:, :CORE] - test.features[:, :CORE]).square().sum(dim=1).mean()
    return {"core_loss": float(core)} | _downstream(outputs, test)


def _downstream(codes: Float[np.ndarray, "n d"], test: Sample) -> dict[str, float]:
    """A logistic regression on 60 % of the encoded test data, measured on the others."""
    from sklearn.linear_model import LogisticRegression

    fitted = round(0.6 * len(test))
    found = LogisticRegression().fit(codes[:fitted], test.labels[:fitted])
    scores = found.predict_proba(codes[fitted:])[:, 1]
    return _fairness.of_decisions(scores, test.sensitive[fitted:], test.labels[fitted:])
