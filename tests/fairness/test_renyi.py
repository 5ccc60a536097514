"""DP-SGD with a penalty on dependence: what the penalty is, what it does, and that it costs no more privacy."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from sklearn.metrics import log_loss
from torch import Tensor, nn

from wassdp import experiment
from wassdp.accounting.event import encode
from wassdp.experiments import fair_learning
from wassdp.fairness import renyi
from wassdp.mechanisms.wasserstein_objective import statistical_parity
from wassdp.runs import validate_parameters
from wassdp.training.wasserstein.engine import WassersteinEngine


def drawn(count: int = 400) -> tuple[Tensor, Tensor, list[float]]:
    generator = torch.Generator().manual_seed(0)
    groups = (torch.rand(count, generator=generator) < 0.3).long()
    scores = torch.rand(count, generator=generator, dtype=torch.float64) * (0.5 + 0.5 * groups)
    return scores, groups, [float((groups == value).double().mean()) for value in (0, 1)]


def best(scores: Tensor, groups: Tensor, shares: list[float]) -> Tensor:
    """The matrix that maximises the mean of the terms, from its derivative."""
    chances = torch.stack([1 - scores, scores])
    joint = torch.stack([chances @ (groups == value).double() for value in (0, 1)], dim=1) / len(scores)
    return joint / (joint.sum(dim=1, keepdim=True) * torch.tensor(shares).sqrt())


def test_the_terms_reach_the_dependence_at_the_best_matrix_and_nowhere_more() -> None:
    scores, groups, shares = drawn()
    matrix = best(scores, groups, shares)
    exact = renyi.dependence(scores, groups)
    generator = torch.Generator().manual_seed(1)
    for scale in (0.0, 0.01, 0.3, 3.0):
        tried = matrix + scale * torch.randn(2, 2, generator=generator, dtype=torch.float64)
        mean = float(renyi.dependence_terms(scores, tried.expand(len(scores), 2, 2), groups, shares).mean())
        assert mean <= exact + 1e-6
        assert (mean == pytest.approx(exact, abs=1e-6)) == (scale == 0)


def test_dependence_is_the_chi_squared_distance_of_the_rates() -> None:
    scores, groups, shares = drawn()
    rate = float(scores.mean())
    between = sum(share * (float(scores[groups == value].mean()) - rate) ** 2 for value, share in enumerate(shares))
    assert renyi.dependence(scores, groups) == pytest.approx(between / (rate * (1 - rate)))
    assert renyi.dependence(torch.full((400,), 0.3), groups) == pytest.approx(0, abs=1e-7)


def test_a_model_descends_while_its_adversary_climbs() -> None:
    scores, groups, shares = drawn()
    logits = torch.logit(scores, eps=1e-3)[:, None].float()
    model = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid(), nn.Flatten(0))
    adversary = renyi.Adversary(model, shares=shares, scale=1.0)
    before = adversary(logits)
    assert renyi.dependence_terms(*before, groups, shares).abs().max() < 1e-6  # at the start, whatever the scores
    optimiser = torch.optim.SGD(adversary.moved.parameters(), lr=0.2)
    for _ in range(500):
        optimiser.zero_grad()
        found = adversary(logits)
        renyi.dependence_terms(*found, groups, shares).mean().backward()
        optimiser.step()
    assert torch.allclose(
        adversary(logits)[1][0].double(), best(before[0].detach().double(), groups, shares), atol=1e-3
    )


def test_without_weight_the_loss_is_the_loss() -> None:
    scores, groups, shares = drawn()
    labels = (scores > 0.4).double()
    bare = renyi.with_penalty(
        lambda outputs, targets: nn.functional.binary_cross_entropy(outputs, targets, reduction="none"),
        alpha=0.0,
        shares=shares,
    )
    found = bare((scores, torch.zeros(len(scores), 2, 2)), torch.stack([labels, groups.double()], dim=1))
    assert float(found.mean()) == pytest.approx(log_loss(labels.numpy(), scores.numpy()))


@pytest.mark.parametrize("change", [0.0, 1e3, -1e3, float("inf"), float("nan")])
def test_one_record_moves_the_clipped_gradient_by_at_most_the_sensitivity(change: float) -> None:
    """Of the model's and the adversary's weights together, at weights where the penalty is steep."""
    torch.manual_seed(0)
    adversary = renyi.Adversary(
        nn.Sequential(nn.Linear(3, 1), nn.Sigmoid(), nn.Flatten(0)), shares=[0.75, 0.25], scale=1.0
    )
    nn.init.normal_(adversary.moved.weight, std=5)
    objective = statistical_parity(
        alpha=0, records=(30, 10), batches=(6, 2), output_norm=1, jacobian_norm=1, loss_norm=0.5
    )
    loss = renyi.with_penalty(lambda outputs, targets: (outputs - targets) ** 2, alpha=0.9, shares=[0.75, 0.25])
    records = {"0": torch.randn(6, 3), "1": torch.randn(2, 3)}
    targets = renyi.marked({"0": torch.ones(6), "1": torch.zeros(2)})
    other, labels = {name: each.clone() for name, each in records.items()}, {**targets, "1": targets["1"].clone()}
    other["1"][0], labels["1"][0, 0] = change, 1
    engine = WassersteinEngine(adversary)
    first, second = (
        engine.gradient(objective, *batch[:1], loss=loss, targets=batch[1]).gradient
        for batch in ((records, targets), (other, labels))
    )
    assert 0 < float((first - second).norm()) <= objective.sensitivity * (1 + 1e-6)


def test_the_penalty_lowers_the_gap_at_the_event_of_dp_sgd(tmp_path: Path) -> None:
    """On the synthetic task at a budget of 3, for each of three seeds; the gap is about 0.45 and 0.1."""
    events = []
    for seed in range(3):
        gaps = []
        for change in ({"alpha": 0}, {"alpha": 0.75, "penalty": "renyi"}):
            value = {
                "task": "classification",
                "privacy": {"epsilon": 3},
                "clipping": {"loss_norm": 1, "output_norm": 1, "jacobian_norm": 1},
                "steps": 80,
                "learning_rate": 1.0,
                "records": 4000,
                "test_records": 2000,
            }
            chosen = validate_parameters("fair_learning", value | change)
            context = experiment.Context(folder=tmp_path / f"{seed}{change['alpha']}", code="test")
            found = fair_learning.run(chosen, seed=seed, context=context)
            gaps.append(found.metrics["parity_gap"])
            assert found.event is not None
            events.append(encode(found.event))
        assert gaps[1] < gaps[0] / 2
        assert events[-1] == events[-2]
