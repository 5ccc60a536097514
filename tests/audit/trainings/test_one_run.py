"""Canaries in one real training: what their scores are, what they prove, and that the training stays what it was."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from _digits_run import DIGITS
from wassdp import noise
from wassdp.accounting.event import encode
from wassdp.accounting.guarantee import ContradictionError
from wassdp.audit.scores import Scores
from wassdp.audit.trainings.one_run import OneRun, Planted, estimates
from wassdp.config import AccountantChoice
from wassdp.experiment import Context, Findings
from wassdp.experiments import classification
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.pipeline.account import account
from wassdp.pipeline.execute import execute
from wassdp.runs import specification, validate_parameters
from wassdp.training.audited import AuditedTarget
from wassdp.training.augmentation import cross_entropy
from wassdp.training.inputs import Examples

KINDS = ("indicator", "gradient")
PRIVACY = {"clip_norm": 0.5, "noise_multiplier": 1.5, "delta": 1e-5}


def parameters(**changes: Any) -> classification.Parameters:
    audit = {"canaries": 1400} | changes.pop("audit", {})
    found = validate_parameters("classification", DIGITS | {"privacy": PRIVACY, "audit": audit} | changes)
    assert isinstance(found, classification.Parameters)
    return found


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Scores]:
    """Scores of the runs that follow, in place of bounds."""
    found: list[Scores] = []

    def keep(self: OneRun, *_: Any, **__: Any) -> tuple[()]:
        found.append(self.seen())
        return ()

    monkeypatch.setattr(OneRun, "bounds", keep)
    return found


def go(folder: Path, chosen: classification.Parameters, seed: int = 0) -> Findings:
    return classification.run(chosen, seed=seed, context=Context(folder=folder, code="a", device="cpu"))


@pytest.mark.parametrize("canary", KINDS)
def test_scores_of_a_training_follow_the_law_of_its_event(canary: str, seen: list[Scores], tmp_path: Path) -> None:
    # Both comparisons fail once in a thousand correct codes; the seeds are fixed.
    chosen = parameters(audit={"canary": canary})
    release = go(tmp_path, chosen)
    steps, rate, z = int(release.metrics["steps"]), chosen.rate, 1.5
    draws = np.random.default_rng(0)
    worlds = []
    for there in (True, False):
        entered = draws.random((20_000, steps)) < rate if there else np.zeros((20_000, steps), dtype=bool)
        x = entered + z * draws.normal(size=entered.shape)
        present = (1 - rate) * stats.norm.pdf(x, scale=z) + rate * stats.norm.pdf(x, loc=1, scale=z)
        worlds.append((np.log(present) - stats.norm.logpdf(x, scale=z)).sum(axis=1))
    for found, expected in zip((seen[0].present, seen[0].absent), worlds, strict=True):
        assert stats.ks_2samp(found, expected).pvalue > 1e-3
    assert len(seen[0].present) + len(seen[0].absent) == 1400
    assert 600 < len(seen[0].present) < 800


@pytest.mark.parametrize("canary", KINDS)
@pytest.mark.parametrize("engine", ["ghost_norms", "functional", "opacus_hooks"])
def test_canaries_change_neither_budget_nor_what_a_result_says_of_the_model(
    canary: str, engine: str, tmp_path: Path, seen: list[Scores]
) -> None:
    chosen = parameters(audit={"canary": canary, "canaries": 200}, engine=engine)
    attacked = go(tmp_path / "attacked", chosen)
    alone = go(tmp_path / "alone", chosen.model_copy(update={"audit": None}))
    assert attacked.event is not None
    assert alone.event is not None
    assert encode(attacked.event) == encode(alone.event)
    assert attacked.metrics.keys() == alone.metrics.keys()
    same = ("weights", "records", "sampling_rate", "noise_multiplier", "steps")
    assert {name: attacked.metrics[name] for name in same} == {name: alone.metrics[name] for name in same}
    assert attacked.metrics["accuracy"] == pytest.approx(alone.metrics["accuracy"], abs=0.05)
    # About half of the canaries are records, and enter like others.
    expected = chosen.rate * (chosen.records + 100)
    assert attacked.metrics["batch_mean"] == pytest.approx(expected, abs=5 * expected**0.5 / 4)


def test_a_network_takes_gradient_canaries(tmp_path: Path, seen: list[Scores]) -> None:
    go(tmp_path, parameters(model={"name": "cnn_tiny"}, audit={"canaries": 300}, epochs=1))
    assert abs(np.exp(seen[0].absent).mean() - 1) < 0.2


@pytest.mark.parametrize("canary", KINDS)
def test_an_included_canary_has_its_own_place_and_an_excluded_one_never_enters(canary: str) -> None:
    attack = planted(canary)
    mechanism = attack.target.mechanism
    there = int(attack.present.nonzero()[0])
    inputs, targets = attack.train.rows(torch.tensor([3, mechanism.records + there]))
    weights = list(attack.model.parameters())
    attack.model.train()
    losses = attack.loss(attack.model(inputs), targets)
    record, canary_gradient = (
        torch.cat([part.flatten() for part in torch.autograd.grad(loss, weights, retain_graph=True)]) for loss in losses
    )
    own = attack.model.own.weight.numel()
    width = own // len(attack.present)
    assert not record[-own:].any()
    lies_in = canary_gradient[-own:].view(-1, width).abs().sum(dim=1).nonzero().flatten()
    assert lies_in.tolist() == [there]
    clipped = canary_gradient * min(1, mechanism.clip_norm / float(canary_gradient.norm())) / mechanism.clip_norm
    assert torch.allclose(clipped[-own:].view(-1, width), attack.directions().float() * one_hot(there, attack))
    assert float(clipped[-own:].norm()) > 0.99
    source = attack.source(private(attack))
    generator = noise.seeded(5)
    drawn = torch.cat([source.sample(generator) for _ in range(300)])
    counts = torch.bincount(drawn, minlength=mechanism.records + len(attack.present)) / 300
    assert not counts[mechanism.records :][~attack.present].any()
    # Each lies within five deviations of the rate: that fails for one code in ten thousand.
    for part in (counts[: mechanism.records], counts[mechanism.records :][attack.present]):
        assert float(part.mean()) == pytest.approx(mechanism.rate, abs=5 * (0.1 * 0.9 / 300 / len(part)) ** 0.5)


def planted(canary: str) -> Any:
    torch.manual_seed(0)
    train = Examples(torch.randn(50, 1, 2, 2), torch.arange(50) % 3)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 3))
    mechanism = DPSGD(clip_norm=0.3, noise_multiplier=1.0, rate=0.1, records=50)
    target = AuditedTarget(model=model, loss=cross_entropy, train=train, classes=3, mechanism=mechanism)
    audit = classification.Audit(canaries=100, canary=canary)
    attack = audit.attack(target, linear=True, coins=noise.seeded(1))
    assert isinstance(attack.train, Planted)
    return attack


def one_hot(there: int, attack: Any) -> torch.Tensor:
    return (torch.arange(len(attack.present)) == there).float()[:, None]


def private(attack: Any) -> Any:
    from wassdp.training import engines, gradients

    return gradients.Private(
        mechanism=attack.target.mechanism,
        engine=engines.load("ghost_norms", attack.model),
        loss=attack.loss,
        micro_batch=100,
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"audit": {"canaries": 49}}, "audit.canaries = 49"),
        ({"audit": {"canaries": 1000, "confidence": 1}}, "audit.confidence = 1"),
        ({"audit": {"canaries": 1000, "confidence": 0}}, "audit.confidence = 0"),
        ({"audit": {"canaries": 1000, "canary": "yellow"}}, "audit.canary = 'yellow': must be one of gradient, indic"),
    ],
)
def test_a_bad_key_is_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        validate_parameters("classification", DIGITS | changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"privacy": None}, "audit: the run is not private"),
        ({"privacy": PRIVACY | {"noise_multiplier": 0}}, "audit with noise_multiplier 0"),
        ({"audit": {"canaries": 1439}}, "audit.canaries = 1439: must be at most the 1438 records of digits"),
        ({"model": {"name": "cnn_tiny"}, "audit": {"canary": "indicator"}}, "must be 'gradient' here"),
        (
            {"augmentation": {"copies": 2}, "engine": "functional", "audit": {"canary": "gradient"}},
            "audit with augmentation",
        ),
    ],
)
def test_what_cannot_be_attacked_says_why(changes: dict[str, Any], reason: str) -> None:
    assert reason in (parameters(**changes).impossible() or "")


def test_a_run_that_is_not_attacked_is_specified_as_ever() -> None:
    plain = validate_parameters("classification", DIGITS)
    assert "audit" not in specification("classification", plain, 0)["parameters"]
    assert dataclasses.replace(Findings(metrics={})).attacks == ()


FEW_STEPS = {"epochs": 4, "batch": 1438, "privacy": {"clip_norm": 0.5, "noise_multiplier": 1.0, "delta": 1e-5}}
"""Four steps of all records, which tell nearly all that there is in a few hundred canaries."""


def outcome(folder: Path, **changes: Any) -> Path:
    chosen = parameters(audit={"canary": "gradient"}, **FEW_STEPS | changes)
    execute(specification("classification", chosen, 0), folder / "outcome.json", device="cpu")
    return folder / "outcome.json"


def test_a_result_has_the_lower_bounds_beside_the_upper_one(tmp_path: Path) -> None:
    found = account(outcome(tmp_path), tmp_path / "result.json", [AccountantChoice(name="pld")])
    by_label = {guarantee.label: guarantee for guarantee in found.guarantees}
    upper = by_label.pop("upper/pld").value
    assert by_label.keys() == {"lower/one_run", "lower/one_run_family", "lower/noise_scale_family"}
    for guarantee in by_label.values():
        assert guarantee.value < upper
        assert (guarantee.delta, guarantee.adjacency, guarantee.sampling) == (1e-5, "add-remove", "poisson")
    for name in ("one_run", "one_run_family"):
        assert "confidence 0.95" in by_label[f"lower/{name}"].assumptions[0]
    # Of 2,000 correct codes one would lie below.
    assert by_label["lower/one_run_family"].value > 0.7 * upper


@pytest.mark.parametrize("accountants", [[AccountantChoice(name="pld")], []], ids=["asked", "computed"])
def test_a_training_with_too_little_noise_has_no_result(
    accountants: list[AccountantChoice], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = DPSGD.release

    def careless(self: DPSGD, total: torch.Tensor, *, generator: Any) -> torch.Tensor:
        return release(
            dataclasses.replace(self, noise_multiplier=0.8 * self.noise_multiplier), total, generator=generator
        )

    monkeypatch.setattr(DPSGD, "release", careless)
    file = outcome(tmp_path)
    message = r"upper/pld proves an epsilon of at most .*, lower/one_run_family measured one of at least"
    with pytest.raises(ContradictionError, match=message) as caught:
        account(file, tmp_path / "result.json", accountants)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "result.json").exists()


def test_coins_that_mean_nothing_prove_nothing(tmp_path: Path, seen: list[Scores]) -> None:
    go(tmp_path, parameters(audit={"canary": "gradient"}, **FEW_STEPS))
    both = np.concatenate([seen[0].present, seen[0].absent])
    draws = np.random.default_rng(0)
    event = DPSGD(clip_norm=1, noise_multiplier=1, rate=1, records=9).event(4)
    found = []
    for _ in range(8):
        draws.shuffle(both)
        null = Scores(both[:700], both[700:])
        found += [each.epsilon for each in estimates(null, event, delta=1e-5, confidence=0.95)]
    # Each is above 0 once in twenty times: five of sixteen, or more, once in a thousand, were all independent.
    assert sum(epsilon > 0 for epsilon in found) <= 4
