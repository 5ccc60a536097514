"""The clipped gradient against linear programming, finite differences and explicit Jacobians."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import ot
import pytest
import torch
from torch import Tensor, nn

from wassdp import noise
from wassdp.distances import directions, sliced
from wassdp.mechanisms.wasserstein_objective import (
    ComparedGroups,
    Group,
    Objective,
    equality_of_odds,
    statistical_parity,
)
from wassdp.training.wasserstein import clipping
from wassdp.training.wasserstein.engine import WassersteinEngine


def unit(d: int, k: int, seed: int = 0) -> Tensor:
    return directions.draw("iid", dimension=d, count=k, generator=noise.seeded(seed), dtype=torch.float64)


def two_groups(n: int, m: int, *, M: float, L: float, fixed: bool = False) -> Objective:
    return Objective(
        groups=(
            Group(name="left", records=n, batch=n, jacobian_norm=L),
            Group(name="right", records=m, batch=m, jacobian_norm=None if fixed else L),
        ),
        pairs=(ComparedGroups("left", "right"),),
        output_norm=M,
    )


def free_points(points: Tensor) -> nn.Embedding:
    """A model whose output for number i is a row of its own, so that its gradient is the one in the outputs."""
    return nn.Embedding.from_pretrained(points.clone(), freeze=False)


def in_outputs(left: Tensor, right: Tensor, turned: Tensor, M: float = 100.0) -> Tensor:
    n, m = len(left), len(right)
    batches = {"left": torch.arange(n), "right": torch.arange(n, n + m)}
    engine = WassersteinEngine(free_points(torch.cat([left, right])), method="recorded")
    found = engine.gradient(two_groups(n, m, M=M, L=1.0), batches, directions=turned)
    return found.gradient.view(n + m, -1)


def by_linear_programme(left: Tensor, right: Tensor, turned: Tensor) -> Tensor:
    """Propositions 3.1 and 3.2 with an optimal plan of POT's network simplex in place of ranks."""
    found = torch.zeros(len(left) + len(right), left.shape[1], dtype=torch.float64)
    for direction in turned.T:
        u, v = left @ direction, right @ direction
        cost = (u[:, None] - v[None]).square()
        plan = torch.from_numpy(ot.emd(np.full(len(u), 1 / len(u)), np.full(len(v), 1 / len(v)), cost.numpy()))
        gaps = 2 * plan * (u[:, None] - v[None])
        found += torch.cat([gaps.sum(dim=1), -gaps.sum(dim=0)])[:, None] * direction / turned.shape[1]
    return found


@pytest.mark.parametrize(("n", "m", "d"), [(7, 7, 1), (5, 8, 1), (9, 4, 2), (6, 6, 3), (1, 5, 2)])
def test_coefficients_agree_with_a_linear_programme(n, m, d):
    generator = torch.Generator().manual_seed(n * 100 + m)
    left = torch.randn(n, d, generator=generator, dtype=torch.float64)
    right = torch.randn(m, d, generator=generator, dtype=torch.float64) + 0.5
    turned = unit(d, 6)
    torch.testing.assert_close(in_outputs(left, right, turned), by_linear_programme(left, right, turned))


@pytest.mark.parametrize(("n", "m", "d"), [(6, 6, 1), (4, 7, 2)])
def test_coefficients_agree_with_finite_differences(n, m, d):
    generator = torch.Generator().manual_seed(3)
    points = torch.randn(n + m, d, generator=generator, dtype=torch.float64)
    turned, step = unit(d, 5), 1e-6
    expected = torch.zeros_like(points)
    for place in np.ndindex(*points.shape):
        moved = points.clone()
        moved[place] += step
        up = sliced.sliced_wasserstein_power(moved[:n], moved[n:], turned)
        moved[place] -= 2 * step
        down = sliced.sliced_wasserstein_power(moved[:n], moved[n:], turned)
        expected[place] = (up - down) / (2 * step)
    torch.testing.assert_close(in_outputs(points[:n], points[n:], turned), expected, atol=1e-8, rtol=1e-6)


def test_ties_share_what_a_linear_programme_gives_them_together():
    left = torch.tensor([[0.0], [1.0], [1.0], [1.0], [-2.0]], dtype=torch.float64)
    right = torch.tensor([[0.5], [0.5], [3.0]], dtype=torch.float64)
    turned = torch.ones(1, 1, dtype=torch.float64)
    found, expected = in_outputs(left, right, turned), by_linear_programme(left, right, turned)
    for tied in ([0], [1, 2, 3], [4], [5, 6], [7]):
        torch.testing.assert_close(found[tied].sum(), expected[tied].sum())
    assert torch.isfinite(found).all()


def test_outputs_are_clipped_to_the_ball_before_they_are_compared():
    left = torch.tensor([[3.0, 4.0], [0.1, 0.2]], dtype=torch.float64)
    right = torch.tensor([[-6.0, 8.0], [0.0, 0.0], [0.3, 0.0]], dtype=torch.float64)
    clipped = [torch.tensor([[0.6, 0.8], [0.1, 0.2]]), torch.tensor([[-0.6, 0.8], [0.0, 0.0], [0.3, 0.0]])]
    turned = unit(2, 4)
    expected = by_linear_programme(*(each.double() for each in clipped), turned)
    torch.testing.assert_close(in_outputs(left, right, turned, M=1.0), expected, atol=1e-6, rtol=0)


class Tokens(nn.Module):
    """An embedding, used twice, layer normalisation and a linear layer on several positions."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.norm, self.mix, self.head = (
            nn.Embedding(9, 6),
            nn.LayerNorm(6),
            nn.Linear(6, 6),
            nn.Linear(6, 3),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        values = self.norm(self.table(tokens) + self.table(tokens.flip(1)))
        found: Tensor = self.head(torch.tanh(self.mix(values)).sum(dim=1))
        return found


def model_and_inputs(name: str) -> tuple[nn.Module, Tensor]:
    torch.manual_seed(5)
    if name == "perceptron":
        return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)), torch.randn(11, 4)
    if name == "one output":
        return nn.Sequential(nn.Linear(4, 1), nn.Sigmoid(), nn.Flatten(0)), torch.randn(11, 4)
    if name == "convolutions":
        return (
            nn.Sequential(
                nn.Conv2d(2, 6, 3, padding=1), nn.GroupNorm(2, 6), nn.ReLU(), nn.MaxPool2d(2),
                nn.Conv2d(6, 4, 3), nn.Tanh(), nn.Flatten(), nn.Linear(16, 5),
            ),
            torch.randn(11, 2, 8, 8),
        )  # fmt: skip
    return Tokens(), torch.randint(0, 9, (11, 4))


def jacobians(model: nn.Module, inputs: Tensor) -> Tensor:
    """J, shape (n, d, dim), a backward pass for every output of every example, in double precision."""
    model = model.double()
    rows = []
    for one in inputs:
        one = one[None].double() if one.is_floating_point() else one[None]
        outputs = model(one).reshape(-1)
        rows.append(
            torch.stack(
                [
                    torch.cat(
                        [g.flatten() for g in torch.autograd.grad(each, list(model.parameters()), retain_graph=True)]
                    )
                    for each in outputs
                ]
            )
        )
    model.float()
    return torch.stack(rows)


def explicitly(objective: Objective, J: Tensor, outputs: Tensor, n: int, turned: Tensor, how: str) -> Tensor:
    """Equation 3 as it stands: Jacobians decomposed or cut by rows, one by one."""
    L, M = objective.groups[0].jacobian_norm, objective.output_norm
    assert L is not None
    norms = outputs.norm(dim=1, keepdim=True)
    points = outputs / (norms / M).clamp(min=1)
    pulls = by_linear_programme(points[:n], points[n:], turned)
    total = torch.zeros(J.shape[2], dtype=torch.float64)
    for one, pull in zip(J, pulls, strict=True):
        if how == "spectral":
            left, values, right = torch.linalg.svd(one, full_matrices=False)
            one = left @ torch.diag(values.clamp(max=L)) @ right
        else:
            one = one / (one.norm(dim=1, keepdim=True) / (L / math.sqrt(len(one)))).clamp(min=1)
        total += one.T @ pull
    return total


@pytest.mark.parametrize("name", ["perceptron", "one output", "convolutions", "tokens"])
@pytest.mark.parametrize("how", ["spectral", "rows"])
@pytest.mark.parametrize("method", ["recorded", "functional"])
def test_clipping_agrees_with_an_explicit_decomposition_to_1e_5(name, how, method):
    model, inputs = model_and_inputs(name)
    J, n = jacobians(model, inputs), 6
    outputs = model(inputs).detach().double().reshape(len(inputs), -1)
    turned = unit(outputs.shape[1], 7)
    spectral = torch.linalg.matrix_norm(J, ord=2)
    for L in (float(spectral.min()) / 3, 1.01 * float(spectral.median()), 2 * float(spectral.max())):
        # Not so small a ball that outputs in one dimension tie on its surface, where gradients are not unique.
        objective = two_groups(n, len(inputs) - n, M=0.99, L=L)
        found = WassersteinEngine(model, method=method).gradient(
            objective,
            {"left": inputs[:n], "right": inputs[n:]},
            directions=turned.float(),
            clipping=how,
        )
        expected = explicitly(objective, J, outputs, n, turned, how)
        assert float((found.gradient - expected).norm() / expected.norm()) < 1e-5
        if how == "spectral":
            share = float((spectral[:n] > L).double().mean())
            assert found.clipped["left"] == pytest.approx(share)


def test_a_jacobian_much_larger_in_one_direction_keeps_its_small_singular_value(monkeypatch):
    # Singular values 1e4 and about 1. The Jacobian itself is rounded to 1e4 times 6e-8; a Gram matrix in single
    # precision would be rounded to 1e8 times 6e-8, and lose the small one.
    torch.manual_seed(0)
    model = nn.Linear(6, 2, bias=False)
    with torch.no_grad():
        model.weight[:] = torch.randn(2, 6)
    stretched = nn.Sequential(model, nn.Linear(2, 2, bias=False))
    with torch.no_grad():
        stretched[1].weight[:] = torch.tensor([[1e4, 1e4], [1e4, 1e4 + 2]])
    stretched[1].weight.requires_grad_(False)
    inputs = torch.randn(8, 6)
    J = torch.stack([torch.kron(stretched[1].weight.double(), x.double()[None]) for x in inputs])
    outputs = stretched(inputs).detach().double()
    objective, turned = two_groups(4, 4, M=1.0, L=0.5), unit(2, 5)
    found = WassersteinEngine(stretched).gradient(
        objective, {"left": inputs[:4], "right": inputs[4:]}, directions=turned.float()
    )
    expected = explicitly(objective, J, outputs, 4, turned, "spectral")
    # Of terms that long rounding is told from the bound, so that they are shortened: that is seen, then left aside.
    assert found.clipped == {"left": 1.0, "right": 1.0}
    assert float(found.gradient.norm()) < float(expected.norm())
    monkeypatch.setattr(clipping, "shortened", lambda reach, **_: torch.ones_like(reach))
    found = WassersteinEngine(stretched).gradient(
        objective, {"left": inputs[:4], "right": inputs[4:]}, directions=turned.float()
    )
    assert float((found.gradient - expected).norm() / expected.norm()) < 1e-3


def squared(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs - targets).square().reshape(len(targets), -1).sum(dim=1)


@pytest.mark.parametrize("method", ["recorded", "functional"])
@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_statistical_parity_is_the_clipped_loss_and_the_clipped_distance(method, alpha):
    found, outputs, targets = parity_as_expected(method, alpha)
    assert found.loss == (None if alpha == 1 else pytest.approx(float(squared(outputs, targets.double()).mean()), 1e-5))


def parity_as_expected(method, alpha, *, bad=None):
    """The gradient of statistical parity, once it is what its definition says; records 2 and 9 may hold ``bad``."""
    model, inputs = model_and_inputs("perceptron")
    torch.manual_seed(1)
    targets, n, C = torch.randn(11, 3), 6, 2.0
    J, outputs = jacobians(model, inputs), model(inputs).detach().double()
    turned = unit(3, 4)
    objective = statistical_parity(
        alpha=alpha, records=(n, 5), batches=(n, 5), output_norm=0.7, jacobian_norm=1.5, loss_norm=C
    )
    if bad is not None:
        J[[2, 9]], outputs[[2, 9]], inputs[[2, 9]] = 0, 0, bad
    found = WassersteinEngine(model, method=method).gradient(
        objective,
        {"0": inputs[:n], "1": inputs[n:]},
        directions=turned.float(),
        loss=squared,
        targets={"0": targets[:n], "1": targets[n:]},
    )
    of_loss = torch.einsum("idp,id->ip", J, 2 * (outputs - targets.double()))
    factors = 1 / (of_loss.norm(dim=1) / C).clamp(min=1)
    expected = (1 - alpha) / 11 * factors @ of_loss
    if alpha > 0:
        expected += alpha * explicitly(objective, J, outputs, n, turned, "spectral")
    assert float((found.gradient - expected).norm() / expected.norm()) < 1e-5
    return found, outputs, targets


def test_equality_of_odds_is_the_mean_over_classes():
    model, inputs = model_and_inputs("perceptron")
    parts = dict(zip([(0, 0), (1, 0), (0, 1), (1, 1)], inputs[:11].split([3, 2, 2, 4]), strict=True))
    sizes = {key: len(part) for key, part in parts.items()}
    turned = unit(3, 4).float()
    engine = WassersteinEngine(model)
    found = engine.gradient(
        equality_of_odds(alpha=1.0, records=sizes, batches=sizes, output_norm=0.7, jacobian_norm=1.5, loss_norm=1.0),
        {f"{j},{k}": part for (j, k), part in parts.items()},
        directions=turned,
    )
    alone = [
        engine.gradient(
            two_groups(sizes[0, label], sizes[1, label], M=0.7, L=1.5),
            {"left": parts[0, label], "right": parts[1, label]},
            directions=turned,
        ).gradient
        for label in (0, 1)
    ]
    torch.testing.assert_close(found.gradient, (alone[0] + alone[1]) / 2)


class Autoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(4, 2), nn.Linear(2, 4)

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        latent = self.encoder(inputs)
        return latent, self.decoder(torch.tanh(latent))


@pytest.mark.parametrize("method", ["recorded", "functional"])
def test_a_loss_on_more_than_the_compared_outputs(method):
    torch.manual_seed(2)
    model, inputs, n, C, alpha = Autoencoder(), torch.randn(9, 4), 5, 0.8, 0.5
    objective = statistical_parity(
        alpha=alpha, records=(n, 4), batches=(n, 4), output_norm=0.7, jacobian_norm=0.9, loss_norm=C
    )
    turned = unit(2, 4).float()
    engine = WassersteinEngine(model, method=method)
    batches = {"0": inputs[:n], "1": inputs[n:]}
    found = engine.gradient(
        objective, batches, directions=turned, loss=lambda out, x: squared(out[1], x), targets=batches
    )
    expected = torch.zeros_like(found.gradient)
    for one in inputs:
        loss = squared(model(one[None])[1], one[None]).sum()
        gradient = torch.cat([each.flatten() for each in torch.autograd.grad(loss, list(model.parameters()))])
        expected += (1 - alpha) / 9 * gradient / max(1.0, float(gradient.norm()) / C)
    distance = engine.gradient(
        two_groups(n, 4, M=0.7, L=0.9), {"left": inputs[:n], "right": inputs[n:]}, directions=turned
    )
    torch.testing.assert_close(found.gradient, expected + alpha * distance.gradient, atol=1e-6, rtol=1e-5)


def test_points_that_the_model_is_not_applied_to():
    model, inputs = model_and_inputs("perceptron")
    points, turned = torch.randn(4, 3), unit(3, 6)
    objective = two_groups(7, 4, M=0.7, L=1.5, fixed=True)
    found = WassersteinEngine(model).gradient(
        objective, {"left": inputs[:7], "right": points}, directions=turned.float()
    )
    J = jacobians(model, inputs[:7])
    both = torch.cat([model(inputs[:7]).detach().double(), points.double()])
    pairwise = torch.cat([J, torch.zeros(4, *J.shape[1:], dtype=torch.float64)])
    expected = explicitly(objective, pairwise, both, 7, turned, "spectral")
    assert float((found.gradient - expected).norm() / expected.norm()) < 1e-5


class Scaled(nn.Module):
    """A layer of its own making."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, values: Tensor) -> Tensor:
        return self.scale * values


def test_a_layer_that_is_not_known_is_named_once_and_done_by_torch_func():
    torch.manual_seed(0)
    model, inputs, turned = nn.Sequential(nn.Linear(4, 3), Scaled()), torch.randn(9, 4), unit(3, 4)
    with pytest.warns(UserWarning, match=r"layer '1' is Scaled.*torch\.func") as caught:
        engine = WassersteinEngine(model)
    objective = two_groups(5, 4, M=0.7, L=0.9)
    batches = {"left": inputs[:5], "right": inputs[5:]}
    found = engine.gradient(objective, batches, directions=turned.float())
    engine.gradient(objective, batches, directions=turned.float())
    assert len(caught) == 1
    expected = explicitly(objective, jacobians(model, inputs), model(inputs).detach().double(), 5, turned, "spectral")
    assert float((found.gradient - expected).norm() / expected.norm()) < 1e-5
    with pytest.raises(ValueError, match="Scaled"):
        WassersteinEngine(model, method="recorded")


def test_dropout_is_followed_by_the_recorded_way_and_refused_by_the_other():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5), nn.Linear(3, 2))
    objective, inputs = two_groups(5, 4, M=0.7, L=1e-3), torch.randn(9, 4)
    batches, turned = {"left": inputs[:5], "right": inputs[5:]}, unit(2, 4).float()
    found = WassersteinEngine(model, method="recorded").gradient(objective, batches, directions=turned)
    # Everything is clipped to 1e-3; gradients through other masks than those of the Gram matrices would be longer.
    assert float(found.gradient.norm()) <= 4 * 0.7 * 1e-3 * (1 + 1e-5)
    with pytest.raises(ValueError, match=r"torch\.func cannot vectorise"):
        WassersteinEngine(model, method="functional").gradient(objective, batches, directions=turned)


def test_batch_normalisation_is_refused_by_name():
    with pytest.raises(ValueError, match="layer '1' is BatchNorm1d"):
        WassersteinEngine(nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1)))


def test_a_penalty_on_the_weights_in_the_loss_is_refused():
    torch.manual_seed(0)
    model, inputs = nn.Linear(4, 1), torch.randn(9, 4)
    objective = statistical_parity(
        alpha=0.5, records=(5, 4), batches=(5, 4), output_norm=1, jacobian_norm=1, loss_norm=1
    )
    batches = {"0": inputs[:5], "1": inputs[5:]}
    targets = {name: torch.zeros(len(each), 1) for name, each in batches.items()}
    for method in ("recorded", "functional"):
        with pytest.raises(ValueError, match=r"outside the layer|beside the model's outputs"):
            WassersteinEngine(model, method=method).gradient(
                objective,
                batches,
                loss=lambda outputs, aims: squared(outputs, aims) + model.weight.square().sum(),
                targets=targets,
            )


def test_bad_input_is_refused():
    model, inputs = nn.Linear(4, 2), torch.randn(9, 4)
    engine, objective, turned = WassersteinEngine(model), two_groups(5, 4, M=1.0, L=1.0), unit(2, 3).float()
    good = {"left": inputs[:5], "right": inputs[5:]}
    for batches, message in (
        ({"left": inputs[:5]}, "batches"),
        ({"left": inputs[:4], "right": inputs[5:]}, "exactly 5"),
        ({"left": inputs[:0], "right": inputs[5:]}, "exactly 5"),
    ):
        with pytest.raises(ValueError, match=message):
            engine.gradient(objective, batches, directions=turned)
    with pytest.raises(ValueError, match="need directions"):
        engine.gradient(objective, good)
    with pytest.raises(ValueError, match="clipping"):
        engine.gradient(objective, good, directions=turned, clipping="columns")
    with pytest.raises(ValueError, match="norm 1"):
        engine.gradient(objective, good, directions=2 * turned)
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    with pytest.raises(ValueError, match="no parameter"):
        WassersteinEngine(model)


def test_the_gradient_does_not_depend_on_how_a_batch_is_worked_off(monkeypatch):
    from wassdp.training.clipping import parts as _parts

    model, inputs = model_and_inputs("convolutions")
    objective, turned = two_groups(6, 5, M=0.7, L=0.5), unit(5, 4).float()
    batches = {"left": inputs[:6], "right": inputs[6:]}
    whole = WassersteinEngine(model).gradient(objective, batches, directions=turned).gradient
    monkeypatch.setattr(_parts, "BYTES", {True: 1, False: 1})
    single = WassersteinEngine(model).gradient(objective, batches, directions=turned).gradient
    torch.testing.assert_close(single, whole, atol=1e-7, rtol=1e-4)


@pytest.mark.parametrize("method", ["recorded", "functional"])
@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf, 3e38])
@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_a_record_that_is_not_finite_counts_as_one_without_output_jacobian_and_loss(method, bad, alpha):
    # To stop because of it would be an output that no noise covers.
    found, _, _ = parity_as_expected(method, alpha, bad=bad)
    assert all(map(math.isfinite, [*found.distances.values(), *([found.loss] if alpha < 1 else [])]))


def test_points_that_are_not_finite_count_as_zero_and_public_ones_are_refused():
    model, inputs = model_and_inputs("perceptron")
    points, turned = torch.randn(4, 3), unit(3, 6).float()
    objective = two_groups(7, 4, M=0.7, L=1.5, fixed=True)
    broken, zeroed = points.clone(), points.clone()
    broken[1, 2], zeroed[1] = torch.nan, 0
    found, expected = (
        WassersteinEngine(model).gradient(objective, {"left": inputs[:7], "right": each}, directions=turned).gradient
        for each in (broken, zeroed)
    )
    assert torch.equal(found, expected)
    public = dataclasses.replace(
        objective, groups=tuple(dataclasses.replace(each, private=each.name == "left") for each in objective.groups)
    )
    with pytest.raises(FloatingPointError, match=r"'right'.*not finite"):
        WassersteinEngine(model).gradient(public, {"left": inputs[:7], "right": broken}, directions=turned)


class Made(nn.Module):
    """A dense layer before and after a function of its own."""

    def __init__(self, between) -> None:
        super().__init__()
        self.first, self.last, self.between = nn.Linear(4, 6), nn.Linear(6, 2), between

    def forward(self, values: Tensor) -> Tensor:
        return self.last(self.between(self, self.first(values).tanh()))


@pytest.mark.parametrize("method", ["recorded", "functional"])
@pytest.mark.parametrize(
    "between",
    [
        lambda _, h: h - h.mean(dim=0),
        lambda _, h: h - h.detach().mean(dim=0),
        lambda _, h: h / len(h),
        lambda _, h: h - h.amax(dim=0),
        lambda _, h: h - h.mean(dim=0) if len(h) > 2 else h,
        lambda _, h: nn.functional.batch_norm(h, None, None, training=True),
    ],
)
def test_a_model_that_mixes_examples_is_refused_whatever_its_layers(method, between):
    torch.manual_seed(0)
    inputs, turned = torch.randn(9, 4), unit(2, 3).float()
    with pytest.raises(ValueError, match="no gradient belongs to one example"):
        WassersteinEngine(Made(between), method=method).gradient(
            two_groups(5, 4, M=1.0, L=1.0), {"left": inputs[:5], "right": inputs[5:]}, directions=turned
        )


def test_a_weight_used_outside_its_layer_is_seen_by_one_way_and_refused_by_the_other():
    torch.manual_seed(0)
    model = Made(lambda model, h: h + h @ model.last.weight.T @ model.last.weight)
    inputs, turned, objective = torch.randn(9, 4), unit(2, 3), two_groups(5, 4, M=0.7, L=0.9)
    batches = {"left": inputs[:5], "right": inputs[5:]}
    with pytest.raises(ValueError, match="weight of layer 'last' is used outside the layer"):
        WassersteinEngine(model, method="recorded").gradient(objective, batches, directions=turned.float())
    found = WassersteinEngine(model, method="functional").gradient(objective, batches, directions=turned.float())
    expected = explicitly(objective, jacobians(model, inputs), model(inputs).detach().double(), 5, turned, "spectral")
    assert float((found.gradient - expected).norm() / expected.norm()) < 1e-5


@pytest.mark.parametrize("method", ["recorded", "functional"])
def test_a_loss_that_refuses_what_is_no_number_stops_nothing(method: str) -> None:
    """An error would say that the record is there."""

    def loss(outputs: Tensor, wanted: Tensor) -> Tensor:
        return nn.functional.binary_cross_entropy(outputs, wanted, reduction="none")

    generator = torch.Generator().manual_seed(0)
    records = {"0": torch.randn(50, 3, generator=generator), "1": torch.randn(40, 3, generator=generator)}
    records["0"][7] = torch.nan
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid(), nn.Flatten(0))
    found = WassersteinEngine(model, method=method).gradient(
        statistical_parity(alpha=0.75, records=(50, 40), batches=(50, 40), output_norm=1, jacobian_norm=1, loss_norm=5),
        records,
        loss=loss,
        targets={"0": torch.zeros(50), "1": torch.ones(40)},
    )
    assert bool(torch.isfinite(found.gradient).all())
    assert found.loss is not None
    assert math.isfinite(found.loss)
