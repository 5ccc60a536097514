"""The private optimiser in a training loop."""

from __future__ import annotations

import io

import pytest
import torch
from torch import Tensor, nn

from wassdp import noise
from wassdp.distances.one_d import wasserstein
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective, statistical_parity
from wassdp.training.wasserstein.optimiser import PrivateOptimiser

RECORDS = {"0": 60, "1": 40}


def people() -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    torch.manual_seed(0)
    features = {name: torch.randn(count, 3) + int(name) for name, count in RECORDS.items()}
    return features, {name: (each.sum(dim=1) > 1).float() for name, each in features.items()}


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.binary_cross_entropy(outputs, targets, reduction="none")


def build(
    noise_multiplier: float, *, alpha: float = 0.75, seed: int = 0, **options
) -> tuple[nn.Module, PrivateOptimiser]:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid(), nn.Flatten(0))
    objective = statistical_parity(
        alpha=alpha, records=(60, 40), batches=(30, 20), output_norm=1, jacobian_norm=1, loss_norm=5
    )
    private = PrivateOptimiser(
        model,
        torch.optim.SGD(model.parameters(), lr=0.5),
        ClippedWassersteinGradient(objective=objective, noise_multiplier=noise_multiplier),
        loss=cross_entropy,
        generator=noise.seeded(seed),
        **options,
    )
    return model, private


def step(private: PrivateOptimiser) -> object:
    features, labels = people()
    batch = private.sample()
    return private.step(
        {name: features[name][chosen] for name, chosen in batch.items()},
        {name: labels[name][chosen] for name, chosen in batch.items()},
    )


def test_the_optimiser_follows_the_gradient_plus_noise():
    model, private = build(3.0)
    before = torch.cat([each.detach().clone().flatten() for each in model.parameters()])
    found = step(private)
    after = torch.cat([each.detach().flatten() for each in model.parameters()])
    drawn = ((before - after) / 0.5 - found.gradient) / private.mechanism.noise_std
    # 4 draws of a standard Gaussian: beyond 5 with probability 2e-6.
    assert 0 < float(drawn.abs().max()) < 5
    quiet_model, quiet = build(0.0)
    found = step(quiet)
    after = torch.cat([each.detach().flatten() for each in quiet_model.parameters()])
    torch.testing.assert_close(after, before - 0.5 * found.gradient.float())


def test_events_count_the_steps_that_were_made():
    _, private = build(3.0)
    assert private.event().steps == 0
    for _ in range(3):
        step(private)
    assert private.event() == private.mechanism.event(3)
    assert private.event().adjacency == "replace-one-inside-class"


def test_equal_seeds_give_equal_models():
    finals = []
    for seed in (0, 0, 1):
        model, private = build(1.0, seed=seed)
        step(private)
        finals.append(model[0].weight.detach().clone())
    assert torch.equal(finals[0], finals[1])
    assert not torch.equal(finals[0], finals[2])


def test_a_state_goes_on_with_the_same_records_and_noise():
    whole_model, whole = build(1.0)
    for _ in range(5):
        step(whole)
    model, private = build(1.0)
    for _ in range(2):
        step(private)
    file = io.BytesIO()
    torch.save(private.state_dict(), file)
    file.seek(0)
    model, private = build(1.0, seed=7)
    private.load_state_dict(torch.load(file, weights_only=True))
    for _ in range(3):
        step(private)
    assert torch.equal(model[0].weight, whole_model[0].weight)
    assert private.event() == whole.event()
    assert torch.equal(private.generator.get_state(), whole.generator.get_state())


def test_a_state_without_its_generator_is_refused():
    _, private = build(1.0)
    state = private.state_dict()
    del state["generator"]
    with pytest.raises(ValueError, match=r"must have .*'generator'"):
        private.load_state_dict(state)


def test_the_released_gradient_may_be_clipped_again():
    model, private = build(100.0, clip_released=0.1)
    before = torch.cat([each.detach().clone().flatten() for each in model.parameters()])
    step(private)
    after = torch.cat([each.detach().flatten() for each in model.parameters()])
    assert float((after - before).norm()) == pytest.approx(0.5 * 0.1, rel=1e-4)


def test_the_penalty_makes_the_groups_alike():
    features, _ = people()
    distances = []
    for alpha in (0.0, 0.95):
        model, private = build(0.0, alpha=alpha)
        for _ in range(60):
            step(private)
        with torch.no_grad():
            distances.append(float(wasserstein(*(model(each) for each in features.values()))))
    assert distances[1] < distances[0] / 2


def test_outputs_in_the_plane_need_directions():
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    objective = Objective(
        groups=(
            Group(name="private", records=60, batch=30, jacobian_norm=1.0),
            Group(name="public", records=50, batch=20, jacobian_norm=None, private=False),
        ),
        pairs=(ComparedGroups("private", "public"),),
        output_norm=1.0,
    )
    mechanism = ClippedWassersteinGradient(objective=objective, noise_multiplier=1.0)
    optimiser = torch.optim.Adam(model.parameters())
    generator = noise.seeded(0)
    with pytest.raises(ValueError, match="projections"):
        PrivateOptimiser(model, optimiser, mechanism, generator=generator, dimension=2)
    private = PrivateOptimiser(model, optimiser, mechanism, generator=generator, dimension=2, projections=20)
    batch = private.sample()
    private.step({"private": torch.randn(60, 3)[batch["private"]], "public": torch.randn(50, 2)[batch["public"]]})
    assert private.event().adjacency == "replace-one"


def test_nothing_is_released_of_a_batch_that_is_refused():
    _, private = build(1.0)
    with pytest.raises(ValueError, match="exactly 30"):
        private.step({"0": torch.randn(3, 3), "1": torch.randn(20, 3)}, {"0": torch.zeros(3), "1": torch.zeros(20)})
    assert private.event().steps == 0


def test_an_optimiser_of_other_parameters_is_refused():
    model, private = build(1.0)
    with pytest.raises(ValueError, match="exactly the trainable parameters"):
        PrivateOptimiser(
            model,
            torch.optim.SGD([model[0].weight], lr=0.1),
            private.mechanism,
            generator=noise.seeded(0),
        )
