"""What each method adds to a step, what it releases, and which of the target's gradients it lets through."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
import torch
from torch import nn

from wassdp import noise
from wassdp.accounting import accountant
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.adaptation import method as base
from wassdp.adaptation import networks
from wassdp.adaptation.methods import METHODS
from wassdp.adaptation.per_tensor import PerTensorEngine
from wassdp.distances import directions
from wassdp.distances.sliced import sliced_wasserstein, sliced_wasserstein_power
from wassdp.mechanisms.published_sliced import DIVISOR, JACOBIAN

FEATURES, RECORDS, BATCH, STEPS = 12, 60, 8, 20
OPTIONS: dict[str, dict[str, Any]] = {
    "source_only": {},
    "swd": {"weight": 0.7, "projections": 30},
    "dann": {"weight": 0.7},
    "dp_dann": {"weight": 0.7, "sigma": 2.0, "delta": 1e-3},
    "published_dp_swd": {"weight": 0.7, "projections": 30, "sigma": 2.0, "delta": 1e-3},
    "dp_swd": {"weight": 0.7, "projections": 30, "sigma": 2.0, "delta": 1e-3, "radius": 3.0},
    "dp_wasserstein_gradient": {"weight": 0.7, "sigma": 2.0, "delta": 1e-3, "output_norm": 1.0, "jacobian_norm": 1.0},
}
CALIBRATED = ["dp_swd", "dp_dann", "dp_wasserstein_gradient"]


def generator(seed: int = 0) -> noise.Bits:
    return noise.seeded(seed)


def inputs(seed: int, count: int = BATCH) -> torch.Tensor:
    return torch.randn(count, FEATURES, generator=torch.Generator().manual_seed(seed))


def source(shared: nn.Module, seed: int = 1) -> base.SourceBatch:
    return base.SourceBatch(inputs(seed), shared(inputs(seed)))


def network(seed: int = 0) -> networks.Adaptable:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return networks.build("office", inputs=(FEATURES,), classes=3)


def encoder(seed: int = 0) -> nn.Module:
    return network(seed).encoder


def head() -> nn.Module:
    """In evaluation mode: without dropout."""
    return network().head.eval()


def method(name: str, chosen: nn.Module | None = None, **changes: Any) -> Any:
    kind: Any = METHODS.choice(name, base.AdaptationMethod)
    options = {key: value for key, value in (OPTIONS[name] | changes).items() if value is not None}
    setting = base.AdaptationSetting(
        encoder=encoder() if chosen is None else chosen,
        head=head(),
        width=50,
        classes=3,
        records=RECORDS,
        batch=BATCH,
        steps=STEPS,
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return kind(name=name, learning_rate=0.1, **options).build(setting)


def gradient(found: base.Alignment, weights: nn.Module) -> list[torch.Tensor]:
    """What a step adds to the gradient of ``weights``."""
    parameters = list(weights.parameters())
    own = torch.autograd.grad(found.loss, parameters, allow_unused=True, retain_graph=True)
    return [
        (torch.zeros_like(each) if part is None else part) + found.gradients.get(each, torch.zeros(()))
        for each, part in zip(parameters, own, strict=True)
    ]


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "source_only"])
def test_batches_are_distinct_records_of_the_target(name: str) -> None:
    chosen = method(name).sample(generator(3))
    assert len(chosen.unique()) == BATCH
    assert 0 <= int(chosen.min()) <= int(chosen.max()) < RECORDS


def test_the_source_alone_never_asks_for_the_target() -> None:
    assert method("source_only").sample(generator()) is None
    assert method("source_only").event(STEPS) is None


def test_swd_adds_the_weighted_distance_of_both_sides_features() -> None:
    shared = encoder()
    found = method("swd", shared).align(source(shared), inputs(2), generator=generator(5))
    drawn = noise.normal(30, 50, generator=generator(5), dtype=torch.float32).T
    unit = drawn / drawn.norm(dim=0)
    expected = 0.7 * sliced_wasserstein(shared(inputs(1)), shared(inputs(2)), unit)
    torch.testing.assert_close(found.loss, expected)


def test_dann_trains_the_discriminator_to_tell_and_the_encoder_to_confuse() -> None:
    shared = encoder()
    dann = method("dann", shared)
    found = dann.align(source(shared), inputs(2), generator=generator())
    told = 0.7 * (
        networks.domain_loss(dann.extra(shared(inputs(1))), source=True).mean()
        + networks.domain_loss(dann.extra(shared(inputs(2))), source=False).mean()
    )
    for weights, sign in ((dann.extra, 1.0), (shared, -1.0)):
        expected = torch.autograd.grad(told, list(weights.parameters()), retain_graph=True)
        for mine, plain in zip(gradient(found, weights), expected, strict=True):
            torch.testing.assert_close(mine, sign * plain)


def test_dp_dann_without_noise_and_clipping_is_dann() -> None:
    shared = encoder()
    dann, private = method("dann", shared), method("dp_dann", shared, sigma=0.0, clip_norm=1e3)
    private.extra.load_state_dict(dann.extra.state_dict())
    steps = [each.align(source(shared), inputs(2), generator=generator()) for each in (dann, private)]
    for modules in ((dann.extra, private.extra), (shared, shared)):
        expected, found = (gradient(step, module) for step, module in zip(steps, modules, strict=True))
        for plain, own in zip(expected, found, strict=True):
            torch.testing.assert_close(own, plain, atol=1e-6, rtol=1e-4)


def test_each_parameter_tensor_is_clipped_by_itself() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model, clip = networks.Told(encoder(), networks.discriminator(50)), 0.2
    records, unused = inputs(4), torch.zeros(BATCH, dtype=torch.int64)

    def loss(outputs: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        return networks.domain_loss(outputs, source=False)

    total = PerTensorEngine(model).clipped_gradient_sum(loss, (records, unused), clip).total
    expected = [torch.zeros_like(each) for each in model.parameters()]
    clipped = 0
    for record in records:
        parts = torch.autograd.grad(loss(model(record[None]), unused[:1])[0], list(model.parameters()))
        for kept, part in zip(expected, parts, strict=True):
            clipped += int(part.norm() > clip)
            kept += part / max(1.0, float(part.norm()) / clip)
    assert 0 < clipped < BATCH * len(expected)
    torch.testing.assert_close(total, torch.cat([each.flatten() for each in expected]).double(), atol=1e-6, rtol=1e-4)


def test_replacing_a_record_moves_dp_danns_mean_by_what_its_event_says() -> None:
    """No two neighbouring batches are further apart than the sensitivity behind the noise multiplier."""
    shared = encoder()
    private = method("dp_dann", shared, sigma=0.0, clip_norm=0.01)
    noisy = method("dp_dann", shared, sigma=2.0, clip_norm=0.01)
    step = noisy.event(1).events[0].event
    sensitivity = 2.0 * math.sqrt(BATCH) / step.noise_multiplier  # of the sum
    assert sensitivity == pytest.approx(2 * 0.01 * math.sqrt(8))  # eight parameter tensors
    furthest = 0.0
    for seed in range(40):
        batch, neighbour = inputs(seed), inputs(seed)
        neighbour[3] = 10 * inputs(1000 + seed, 1)[0]
        means = [
            torch.cat([each.flatten() for each in private.released(rows, generator=generator()).values()])
            for rows in (batch, neighbour)
        ]
        furthest = max(furthest, BATCH * float((means[0] - means[1]).norm()))
    assert 0.2 * sensitivity < furthest <= sensitivity


def test_the_noise_of_dp_dann_is_the_mean_of_one_noise_for_each_record() -> None:
    private = method("dp_dann", sigma=3.0)
    silent = method("dp_dann", private.setting.encoder, sigma=0.0)
    silent.extra.load_state_dict(private.extra.state_dict())
    drawn = torch.cat(
        [
            (mine - clean).flatten()
            for mine, clean in zip(
                private.released(inputs(1), generator=generator(6)).values(),
                silent.released(inputs(1), generator=generator(6)).values(),
                strict=True,
            )
        ]
    )
    # Some 9,000 numbers: their deviation is known to under 1 %, and the seed is fixed.
    assert float(drawn.std()) == pytest.approx(3.0 / math.sqrt(BATCH), rel=0.04)


def wasserstein(shared: nn.Module, **changes: Any) -> Any:
    return method("dp_wasserstein_gradient", shared, **changes)


def flat(found: base.Alignment) -> torch.Tensor:
    return torch.cat([each.flatten() for each in found.gradients.values()])


@pytest.mark.parametrize(("compare", "projections"), [("features", 1), ("features", 50), ("scores", 1), ("scores", 3)])
def test_without_noise_and_clipping_the_encoder_follows_the_weighted_distance(compare: str, projections: int) -> None:
    shared = encoder()
    chosen = wasserstein(
        shared, sigma=0.0, output_norm=1e4, jacobian_norm=1e4, compare=compare, projections=projections
    )
    found = chosen.align(source(shared), inputs(2), generator=generator(5))
    dimension = 50 if compare == "features" else 3
    drawn = directions.draw("orthogonal", dimension=dimension, count=projections, generator=generator(5))
    compared = nn.Identity() if compare == "features" else chosen.setting.head
    power = sliced_wasserstein_power(compared(shared(inputs(1))), compared(shared(inputs(2))), drawn)
    expected = torch.autograd.grad(0.7 * power, list(shared.parameters()))
    for parameter, plain in zip(shared.parameters(), expected, strict=True):
        torch.testing.assert_close(found.gradients[parameter], plain, atol=1e-6, rtol=1e-4)
    assert len(found.gradients) == len(expected)  # the head's weights are none of them
    assert found.figures["distance"] == pytest.approx(math.sqrt(float(power.detach())), rel=1e-4)
    assert found.figures["clipped"] == 0


@pytest.mark.parametrize("dropout", [False, True])
def test_replacing_a_record_moves_the_wasserstein_gradient_by_what_its_event_says(dropout: bool) -> None:
    """No neighbours among 40 are further apart than the sensitivity; with dropout, under equal masks."""
    torch.manual_seed(0)
    shared = nn.Sequential(encoder(), nn.Dropout(0.3) if dropout else nn.Identity())
    bounds = {"output_norm": 0.05, "jacobian_norm": 0.5}
    silent, noisy = (wasserstein(shared, sigma=sigma, **bounds) for sigma in (0.0, 2.0))
    step = noisy.event(1).events[0].event
    sensitivity = step.noise_std / 2.0
    assert sensitivity == pytest.approx(8 * 0.7 * 0.05 * 0.5 / BATCH)
    furthest = 0.0
    for seed in range(40):
        batch, neighbour = inputs(seed), inputs(seed)
        neighbour[3] = 10 * inputs(1000 + seed, 1)[0]
        found = []
        for rows in (batch, neighbour):
            torch.manual_seed(seed)
            found.append(flat(silent.align(source(shared), rows, generator=generator(seed))))
        furthest = max(furthest, float((found[0] - found[1]).norm()))
    assert 0.1 * sensitivity < furthest <= sensitivity


def test_the_noise_of_the_wasserstein_gradient_is_a_multiple_of_its_sensitivity() -> None:
    shared = encoder()
    released = [
        flat(wasserstein(shared, sigma=sigma).align(source(shared), inputs(2), generator=generator(4)))
        for sigma in (0.0, 3.0)
    ]
    # Some 6,000 numbers: their deviation is known to 1 %, and the seed is fixed.
    assert float((released[1] - released[0]).std()) == pytest.approx(3.0 * 8 * 0.7 / BATCH, rel=0.04)


def test_a_control_releases_the_same_noise_and_nothing_of_the_target() -> None:
    shared = encoder()
    silent, noisy, control = (
        wasserstein(shared, sigma=sigma, control=alone) for sigma, alone in ((0.0, False), (2.0, False), (2.0, True))
    )
    gradient, both, alone, other = (
        flat(each.align(source(shared), inputs(target), generator=generator(4)))
        for each, target in ((silent, 2), (noisy, 2), (control, 2), (control, 3))
    )
    # Each is rounded to the grid of its noise by itself, and then to single precision.
    grid = noise.grid(2.0 * 8 * 0.7 / BATCH)
    torch.testing.assert_close(both, gradient + alone, atol=1.001 * grid, rtol=1e-6)
    assert torch.equal(alone, other)
    assert control.event(STEPS) is None, "what released nothing has no budget"
    assert control.choice.expected_event() is None
    assert noisy.event(STEPS).adjacency == noisy.choice.expected_event().adjacency


def test_the_wasserstein_gradient_costs_what_a_gaussian_of_its_multiplier_costs() -> None:
    step = Gaussian(noise_multiplier=2.0, adjacency="replace-one")
    plain = repeated(SampledWithoutReplacement(event=step, records=RECORDS, batch=BATCH), STEPS)
    budgets = [
        accountant.load("pld").epsilon(event, 1e-3).epsilon for event in (wasserstein(encoder()).event(STEPS), plain)
    ]
    assert budgets[0] == pytest.approx(budgets[1], rel=1e-9)


def test_layers_that_mix_records_and_too_many_directions_are_refused() -> None:
    mixing = nn.Sequential(nn.Linear(FEATURES, 50), nn.BatchNorm1d(50))
    with pytest.raises(ValueError, match="BatchNorm1d"):
        wasserstein(mixing)
    for compare, most in (("features", 50), ("scores", 3)):
        with pytest.raises(ValueError, match=f"projections = {most + 1}: must be at most the {most} {compare}"):
            wasserstein(encoder(), compare=compare, projections=most + 1)


@pytest.mark.parametrize("through", ["public", "both"])
def test_in_full_account_no_gradient_flows_through_private_records(through: str) -> None:
    """With the source's features cut off, all of the encoder's gradient comes through the target."""
    shared = encoder()
    swd = method("dp_swd", shared, gradient=through)
    cut = base.SourceBatch(inputs(1), shared(inputs(1)).detach().requires_grad_())
    found = swd.align(cut, inputs(2), generator=generator())
    total = sum(float(each.abs().sum()) for each in gradient(found, shared))
    assert (total == 0) == (through == "public")


def test_one_record_moves_the_weights_gradient_only_through_noisy_projections() -> None:
    """Without noise and with rows that are clipped, a longer record changes nothing: the gradient is the same."""
    shared = encoder()
    swd = method("dp_swd", shared, sigma=0.0, radius=1e-3)
    batch, longer = inputs(2), inputs(2)
    public = source(shared)
    centre = public.features.detach().mean(dim=0)
    first = swd.align(public, batch, generator=generator(7))
    with torch.no_grad():
        moved = shared(longer) - centre
    assert float(moved.norm(dim=1).min()) > 1e-3
    assert first.figures["clipped"] == 1.0

    # Linear last layer: features that are moved outwards from the centre keep their clipped rows.
    class Stretched(nn.Module):
        def forward(self, records: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = centre + 5 * (shared(records) - centre)
            return found

    swd.setting = dataclasses.replace(swd.setting, encoder=Stretched())
    second = swd.align(public, longer, generator=generator(7))
    torch.testing.assert_close(first.loss, second.loss)


def test_centring_changes_no_distance_where_nothing_is_clipped() -> None:
    shared = encoder()
    losses = [
        method("dp_swd", shared, sigma=0.0, radius=1e4, centred=centred)
        .align(source(shared), inputs(2), generator=generator(8))
        .loss
        for centred in (True, False)
    ]
    torch.testing.assert_close(*losses, atol=1e-3, rtol=1e-3)


def test_without_noise_and_clipping_all_three_distances_are_one() -> None:
    """The same directions for all: the published divisor, the public radius and plain SWD measure the same thing."""
    shared = encoder()
    drawn = generator(9)
    state = drawn.get_state()
    losses = []
    for name, changes in (("swd", {}), ("published_dp_swd", {"sigma": 0.0}), ("dp_swd", {"sigma": 0.0, "radius": 1e4})):
        drawn.set_state(state)
        losses.append(method(name, shared, **changes).align(source(shared), inputs(2), generator=drawn).loss)
    torch.testing.assert_close(losses[0], losses[1])
    torch.testing.assert_close(losses[0], losses[2], atol=1e-3, rtol=1e-3)


def test_what_each_method_proves() -> None:
    def told(name: str, **changes: Any) -> Any:
        return accountant.load("pld").epsilon(method(name, **changes).event(STEPS), 1e-3)

    published = told("published_dp_swd")
    assert published.epsilon is None
    assert any(DIVISOR in each for each in published.assumptions)
    assert any(JACOBIAN in each for each in published.assumptions)
    through_both = told("dp_swd", gradient="both")
    assert through_both.epsilon is None
    assert any(JACOBIAN in each for each in through_both.assumptions)
    for name in CALIBRATED:
        full = told(name)
        assert full.epsilon is not None
        assert (full.adjacency, full.sampling) == ("replace-one", "without-replacement")
        assert any("the budget holds for the weights after every step" in each for each in full.assumptions)


@pytest.mark.parametrize("name", CALIBRATED)
def test_calibrated_noise_keeps_the_budget_over_all_steps(name: str) -> None:
    found = method(name, sigma=None, epsilon=2.0)
    spent = accountant.load("pld").epsilon(found.event(STEPS), 1e-3).epsilon
    assert spent is not None
    assert 1.99 < spent <= 2.0
    assert found.metrics()["sigma"] > 0


@pytest.mark.parametrize("name", CALIBRATED)
@pytest.mark.parametrize("changes", [{"sigma": None}, {"epsilon": 1.0}])
def test_noise_is_either_given_or_calibrated(name: str, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="exactly one must be given"):
        method(name, **changes)
