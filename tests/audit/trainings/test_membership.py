"""Membership inference: known losses give known success, and the kind trains what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats
from torch import nn

from wassdp import noise
from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.audit.trainings import membership
from wassdp.audit.trainings.membership import Among, Shadows
from wassdp.experiment import Context, Findings
from wassdp.experiments import membership as kind
from wassdp.report.tables.membership import MembershipTable
from wassdp.runs import validate_parameters
from wassdp.training.augmentation import cross_entropy
from wassdp.training.gradients import Plain
from wassdp.training.inputs import Examples

SETTINGS: dict[str, Any] = {
    "dataset": "digits",
    "model": {"name": "linear"},
    "optimiser": {"learning_rate": 1.0},
    "epochs": 20,
    "batch": 50,
    "privacy": None,
    "records": 100,
    "models": 10,
}
MOMENTS = {
    "name": "feature",
    "groups": 27,
    "noise_multiplier": 30,
    "clip_mean": 1,
    "clip_square": 1,
    "floor": 1,
}


def shadows(shift: float, *, models: int = 64, records: int = 800) -> Shadows:
    """Confidences around a mean of each record's own, which being a member moves."""
    draws = np.random.default_rng(0)
    members = draws.random((models, records)) < 0.5
    means = 5 * draws.normal(size=records)
    return Shadows(members, means + shift * members + draws.normal(size=members.shape))


def test_known_confidences_give_the_success_of_the_best_attacker() -> None:
    # Φ(shift / 2), of which LiRA's estimated means take a little; a threshold that all records share finds far less.
    found = shadows(2.0)
    lira = membership.success(found.likelihood_ratios(), found.members)
    loss = membership.success(found.confidences, found.members)
    assert lira.accuracy == pytest.approx(stats.norm.cdf(1.0), abs=0.01)
    assert lira.at_one_in_a_hundred == pytest.approx(stats.norm.sf(stats.norm.isf(0.01) - 2.0), abs=0.04)
    assert loss.accuracy == pytest.approx(stats.norm.cdf(1.0 / 26**0.5), abs=0.02)
    assert loss.accuracy < lira.accuracy


def test_who_learnt_nothing_is_right_half_of_the_time() -> None:
    found = shadows(0.0)
    for scores in (found.likelihood_ratios(), found.confidences):
        # 25,600 guesses on 800 records: a deviation is below .006.
        assert membership.success(scores, found.members).accuracy == pytest.approx(0.5, abs=0.02)


def test_the_attacked_model_is_no_shadow_of_its_own() -> None:
    found = shadows(2.0, models=8, records=50)
    other = found.confidences.copy()
    other[0] += 3.0
    again = Shadows(found.members, other).likelihood_ratios()[0]
    # Means come from the other models; the pooled variance, which all share, only scales.
    assert stats.pearsonr(again, _ratios(found, other[0])).statistic == pytest.approx(1.0)


def _ratios(found: Shadows, x: np.ndarray) -> np.ndarray:
    members, others = found.members[1:], found.confidences[1:]
    with np.errstate(invalid="ignore"):
        inside, outside = (
            np.where(side.any(axis=0), (others * side).sum(axis=0) / side.sum(axis=0), np.nan)
            for side in (members, ~members)
        )
    ratios = (x - outside) ** 2 - (x - inside) ** 2
    return np.where(np.isnan(ratios), 0.0, ratios)


@pytest.mark.parametrize(
    ("members", "confidences", "message"),
    [
        (np.ones((7, 3), dtype=bool), np.zeros((7, 3)), "models = 7"),
        (np.ones((8, 3), dtype=bool), np.full((8, 3), np.nan), "must be finite"),
    ],
)
def test_unusable_confidences_are_one_line(members: np.ndarray, confidences: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Shadows(members, confidences)


def test_confidence_is_the_logit_of_the_own_class() -> None:
    pool = Examples(torch.tensor([[2.0, 0.0, -1.0], [0.0, 0.5, 0.0]]), torch.tensor([0, 2]))
    p = pool.inputs.softmax(dim=1)[torch.arange(2), pool.targets]
    assert membership.confidences(nn.Identity(), pool) == pytest.approx((p / (1 - p)).log().numpy(), rel=1e-5)


def test_only_members_enter_a_sample() -> None:
    source = Plain(model=nn.Linear(2, 2), rate=0.2, records=50, loss=cross_entropy, micro_batch=9)
    members = torch.arange(100) % 2 == 0
    drawn = torch.cat([Among(source, members).sample(noise.seeded(number)) for number in range(300)])
    counts = torch.bincount(drawn, minlength=100) / 300
    assert not counts[~members].any()
    assert float(counts[members].mean()) == pytest.approx(0.2, abs=5 * (0.16 / 300 / 50) ** 0.5)


def go(folder: Path, **changes: Any) -> Findings:
    chosen = validate_parameters("membership", SETTINGS | changes)
    assert chosen.impossible() is None
    return kind.run(chosen, seed=0, context=Context(folder=folder, code="a", device="cpu"))  # type: ignore[arg-type]


def test_a_run_attacks_models_that_remember_and_is_told_what_a_budget_allows(tmp_path: Path) -> None:
    plain = go(tmp_path, epochs=100)
    private = go(tmp_path, privacy={"clip_norm": 0.5, "epsilon": 2, "delta": 1e-4})
    assert plain.metrics["success_lira"] > 0.6
    assert "epsilon" not in plain.metrics
    assert private.metrics["epsilon"] == pytest.approx(2, rel=0.01)
    assert private.metrics["success_allowed"] == attack_success(private.metrics["epsilon"], 1e-4)
    assert private.metrics["success_lira"] < min(plain.metrics["success_lira"], private.metrics["success_allowed"])
    assert {point.metric for point in plain.history} == {"members/loss", "members/lira"}
    assert go(tmp_path, epochs=1).metrics == go(tmp_path, epochs=1).metrics
    assert plain.event is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"records": 1439}, "records 1439 is more than the 1438 of digits"),
        ({"batch": 60}, "batch 60 is more than the 50 records of a model"),
        ({"privacy": {"clip_norm": 1, "noise_multiplier": 1, "delta": 0.5}}, "delta 0.5 is not below 1"),
        (
            {
                "dataset": "mnist",
                "features": {"normalisation": MOMENTS},
            },
            "moments of all records would enter every model",
        ),
    ],
)
def test_what_cannot_be_run_says_why(changes: dict[str, Any], reason: str) -> None:
    assert reason in (validate_parameters("membership", SETTINGS | changes).impossible() or "")


def test_the_table_puts_success_beside_what_is_allowed() -> None:
    rows = [
        {"parameters.dataset": "digits", "label": label, "parameters.models": 64, "accuracy": 0.9, "success_loss": 0.5}
        | {"success_lira": 0.6, "loss_at_0.001": 0.001, "lira_at_0.001": 0.01, "epsilon": epsilon}
        | {"success_allowed": None if epsilon is None else attack_success(epsilon, 1e-5)}
        for label, epsilon in (("no privacy", None), ("ε = 2", 2.0))
    ]
    table = MembershipTable().build(pd.DataFrame(rows), pd.DataFrame())
    assert table["setting"].tolist() == ["no privacy", "ε = 2"]
    assert table["P(A) as 1/(1+e^-ε)"].tolist()[1] == attack_success(2.0)
    assert table["proven P(A)"].tolist()[1] > table["P(A) as 1/(1+e^-ε)"].tolist()[1]
    with pytest.raises(ValueError, match="success_lira"):
        MembershipTable().build(pd.DataFrame(rows).drop(columns="success_lira"), pd.DataFrame())
