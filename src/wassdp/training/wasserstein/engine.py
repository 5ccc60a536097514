r"""The clipped gradient of an objective with sliced Wasserstein distances, for the price of a few backward passes.

Symbols: u_i output of example i, d its dimension, J_i its Jacobian, M, L, C the bounds on outputs, Jacobians and loss
gradients, k directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from wassdp import checks
from wassdp.distances import sliced
from wassdp.finite import all_finite
from wassdp.full_precision import full_precision
from wassdp.mechanisms.ball import in_ball
from wassdp.mechanisms.dpsgd import clip_factors
from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective
from wassdp.training.clipping import parts as _parts
from wassdp.training.clipping.probe import CLOSE, Made, Probe, gradient
from wassdp.training.engines import Loss, empty_sum, finite_sum, losses_of, refuse_mixing, usable
from wassdp.training.wasserstein import clipping as _clipping
from wassdp.training.wasserstein import jacobians
from wassdp.training.wasserstein.clipping import Clipping
from wassdp.training.wasserstein.jacobians import JacobianPart, outputs_of

Method = Literal["auto", "recorded", "functional"]
METHODS: tuple[Method, ...] = ("auto", "recorded", "functional")


@dataclass(frozen=True)
class Clipped:
    """A clipped gradient, and what is worth watching. *Not private*: the mechanism has to add its noise.

    Args:
        gradient: shape (dim,), in the order of ``model.parameters()``, in double precision.
        distances: sliced W_2^2 of every pair that counts, between outputs clipped to M.
        loss: mean loss; None without one.
        clipped: share of each trained group's examples whose Jacobian was clipped; empty where nothing is compared.
    """

    gradient: Float64[Tensor, " dim"]
    distances: dict[ComparedGroups, float]
    loss: float | None
    clipped: dict[str, float]


class WassersteinEngine:
    r"""Clipped gradients of one model.

    .. math:: \sum_i \tilde J_i^\top c_i
        + \frac wn \sum_i \frac{\nabla \ell_i}{\max(1, \lVert \nabla \ell_i \rVert / C)},
        \qquad c_i = \frac{\partial}{\partial u_i} \sum_{(g,h)} w_{gh} SW_2^2(P_g, P_h)

    c is taken at outputs clipped to norm M, :math:`\tilde J_i` is the Jacobian with its spectral norm clipped to L. Per
    example only the d x d Gram matrix :math:`J_i J_i^\top` is needed, which d backward passes through the activations
    give. The gradient is a sum of what these passes gave: another one would be rounded otherwise, which no norm of the
    first ones bounds. Loss gradients have norms :math:`\nabla_u \ell_i^\top J_i J_i^\top \nabla_u \ell_i`, free of
    charge.

    The model's output is u, shape (examples, d) or (examples,); or a tuple whose first entry is u and which the loss
    sees as a whole, for one more backward pass (an encoder with its decoder).

    An example whose output, Jacobian or loss gradient is not finite counts as one whose Jacobian and loss gradient are
    zero, and whose output is zero if that is not finite: to stop because of it would be an output that no noise covers.
    So do the Jacobian and loss gradient of one with inputs of a layer longer than 2e15 (``recorded``, single
    precision): times these, what underflows in the gradients of the layer's outputs would show.

    No layer may mix examples. Hooks are there during a call only; the model's mode is left as it is.

    Source: Rodríguez-Vítores, Lalanne and Loubes, equation 3 and Remark 5.2.

    Args:
        model: what is trained.
        method: ``recorded`` for linear, convolution, embedding and norm layers, ``functional`` (`torch.func`, slower)
            for others; ``auto`` warns, naming the layer, where it has to take the latter.

    Raises:
        ValueError: a layer mixes examples (batch normalisation), or ``recorded`` does not know it.
    """

    def __init__(self, model: nn.Module, *, method: Method = "auto") -> None:
        checks.one_of("method", method, METHODS)
        refuse_mixing(model)
        self.model = model
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        if not self.parameters:
            raise ValueError("model: has no parameter that is trained")
        self.jacobians = jacobians.of(model, method)
        self.probe = Probe(model)

    def gradient(
        self,
        objective: Objective,
        batches: Mapping[str, Tensor],
        *,
        directions: Float[Tensor, "d k"] | None = None,
        loss: Loss | None = None,
        targets: Mapping[str, Tensor] | None = None,
        clipping: Clipping = "spectral",
    ) -> Clipped:
        """The clipped gradient of one step.

        Args:
            objective: what is minimised; its sensitivity bounds what one record does to the gradient.
            batches: of every group, its batch: inputs of the model, or points of shape (batch, d) where the model is
                not applied. Exactly as many as the group says.
            directions: unit columns; may be None for outputs of dimension 1. They must not depend on the data.
            loss: model outputs and targets to one loss per example; needed if it has any weight.
            targets: of every group in the loss.
            clipping: ``spectral`` (exact) or ``rows`` (as published).

        Raises:
            ValueError: a group is missing, has another size or dimension, or the loss is not per-example.
            FloatingPointError: the sum is not finite, or a record of a public group, whose data nothing protects.
        """
        checks.one_of("clipping", clipping, _clipping.CLIPPINGS)
        _check(objective, batches, loss, targets or {})
        norms = [group.jacobian_norm for group in objective.groups] + [objective.loss_norm]
        for norm in norms:
            if norm is not None:
                usable(norm, self.model)
        total = empty_sum(self.parameters)
        summed, cut = 0.0, {}
        with full_precision(total.device):
            parts = {
                group.name: list(self._forward(objective, group, batches[group.name], loss, targets or {}))
                for group in objective.groups
                if group.trained
            }
            points = {name: torch.cat([part.outputs.detach() for part in waiting]) for name, waiting in parts.items()}
            pulls, distances = _pulls(objective, dict(batches) | points, directions)
            for name, waiting in parts.items():
                pull = pulls.get(name)
                cut[name] = 0
                while waiting:
                    part = waiting.pop(0)  # its graph is freed before the next one's gradients are held
                    here, pull = (None, None) if pull is None else (pull[: len(part.inputs)], pull[len(part.inputs) :])
                    gradient, count = self._pull_back(objective, objective.group(name), part, here, clipping)
                    total += gradient
                    cut[name] += count
                    summed += 0.0 if part.losses is None else float(finite_sum(part.losses))
        if not all_finite(total):
            raise FloatingPointError("the clipped gradient is not finite")
        return Clipped(
            gradient=total,
            distances=distances,
            loss=summed / _in_loss(objective) if objective.loss_weight > 0 else None,
            clipped={name: cut[name] / objective.group(name).batch for name in pulls},
        )

    def _forward(
        self, objective: Objective, group: Group, inputs: Tensor, loss: Loss | None, targets: Mapping[str, Tensor]
    ) -> Iterator[JacobianPart]:
        """Forward passes over parts of a batch, whose recorded gradients fit a processor's caches."""
        counted = objective.loss_weight > 0 and group.name in objective.in_loss
        wanted = targets[group.name] if counted else None
        if any(isinstance(layer, nn.Conv2d) for layer in self.model.modules()):
            inputs = _parts.channels_last(inputs)
        loss = loss if counted else None
        self._try(loss, inputs, wanted, together=1)
        output, seen = self.jacobians.forward(inputs[:1])
        most = self.jacobians.together(seen, count=outputs_of(output).shape[1] + 1, device=inputs.device)
        size = _parts.equal_part(len(inputs), most=most)
        self._try(loss, inputs, wanted, together=size)
        for first in range(0, len(inputs), size):
            aims = None if wanted is None else wanted[first : first + size]
            part = self._part(inputs[first : first + size], loss, aims)
            if not group.private:
                _refuse_infinite(group, part.outputs)
            yield part

    def _part(self, inputs: Tensor, loss: Loss | None, targets: Tensor | None) -> JacobianPart:
        output, seen = self.jacobians.forward(inputs)
        outputs, losses = outputs_of(output), None
        if len(outputs) != len(inputs):
            raise ValueError(f"model: gives {len(outputs)} outputs for {len(inputs)} examples")
        if loss is not None:
            assert targets is not None, "checked"
            losses = losses_of(loss, output, targets)
        part = JacobianPart(
            inputs=inputs,
            targets=targets,
            output=output,
            outputs=outputs,
            losses=losses,
            loss=loss,
            seen=seen,
        )
        self.jacobians.check(part)
        return part

    def _try(self, loss: Loss | None, inputs: Tensor, targets: Tensor | None, *, together: int) -> None:
        self.probe(loss, inputs, targets, compare=lambda made: self._compare(loss, made), together=together)

    def _compare(self, loss: Loss | None, made: Made) -> str | None:
        """Norms of gradients, and their sum over a batch, for some weights of outputs and loss."""
        part = self._part(made.inputs.clone(), loss, made.targets)
        values = _rows(part.outputs, part.losses)
        measured = self.jacobians.measured(part, outputs=True, losses=loss is not None)
        gram = measured.gram
        d = part.outputs.shape[1]
        direct = _quadratic(_slopes(part), gram[:, :d, :d]) if _direct(part) else None
        generator, most = torch.Generator().manual_seed(2), max(CLOSE, 30 * torch.finfo(values.dtype).eps)
        trials = torch.randn(3, values.shape[1], generator=generator, dtype=torch.float64).to(gram)
        if loss is not None:
            trials[0] = 0
            trials[0, -1] = 1
        right = True
        for number, weights in enumerate(trials):
            alone = []
            for example in range(len(values)):
                single = made[example : example + 1]
                output = self.model(single.inputs.clone())
                losses = None if loss is None else loss(output, single.targets)  # type: ignore[arg-type]
                alone.append(gradient(_rows(outputs_of(output), losses)[0] @ weights.to(values.dtype), self.parameters))
            rows = torch.stack(alone)
            expected, largest = rows.square().sum(dim=1), float(rows.square().sum(dim=1).max())
            squares = ((gram @ weights) * weights).sum(dim=1)
            right &= float((squares - expected).abs().max()) <= 2 * most * largest
            if number == 0 and direct is not None:
                right &= float((direct - expected).abs().max()) <= 2 * most * largest
            summed = measured.weighted(weights.expand(values.shape))
            right &= float((summed - rows.sum(dim=0)).norm()) <= most * max(largest, 1e-300) ** 0.5 * len(rows)
        if right:
            return None
        return (
            "its Jacobians are not those of one example at a time: a weight is used outside its layer, or in another "
            "way that this method cannot follow; use method functional"
        )

    def _pull_back(
        self, objective: Objective, group: Group, part: JacobianPart, pull: Tensor | None, clipping: Clipping
    ) -> tuple[Tensor, int]:
        """A part's share of the gradient, and how many of its Jacobians were clipped."""
        if pull is None and part.losses is None:
            return torch.zeros((), device=part.outputs.device, dtype=torch.float64), 0
        # The loss needs a pass of its own unless it is a function of outputs whose Gram matrix is there.
        alone = part.losses is not None and (pull is None or not _direct(part))
        measured = self.jacobians.measured(part, outputs=pull is not None, losses=alone)
        gram, reach, weights, count = measured.gram, measured.reach, torch.zeros_like(measured.reach), 0
        # Longer gradients than this are none in the precision of the model: products with them leave its range.
        most = torch.finfo(part.outputs.dtype).max ** 0.8
        bad = ~(torch.isfinite(part.outputs) & (gram.abs().amax(dim=(1, 2)) <= most)[:, None]).all(dim=1)
        gram = gram.masked_fill(bad[:, None, None], torch.nan)
        coarsest = self._coarsest(part.outputs.dtype)
        if pull is not None:
            d = part.outputs.shape[1]
            assert group.jacobian_norm is not None, "trained"
            weight, cut = _clipping.clipped(gram[:, :d, :d], pull, norm=group.jacobian_norm, clipping=clipping)
            size = reach[:, :d].square().sum(dim=1).sqrt()
            held = _clipping.shortened(size, norm=group.jacobian_norm, dtype=coarsest)
            weights[:, :d] = weight * held[:, None]
            count = int((cut | (held < 1)).sum())
        if part.losses is not None:
            # The loss is the last column, or a combination of all of them.
            slopes = torch.ones_like(reach[:, -1:]) if alone else _slopes(part)
            columns = slice(-1, None) if alone else slice(None)
            squares = _quadratic(slopes, gram[:, columns, columns])
            size = reach[:, columns].square().sum(dim=1).sqrt() * slopes.norm(dim=1)
            bad |= ~torch.isfinite(squares)
            assert objective.loss_norm is not None, "a loss of some weight has a norm"
            factors = clip_factors(squares.clamp(min=0).sqrt(), clip_norm=objective.loss_norm)
            factors = factors * _clipping.shortened(size, norm=objective.loss_norm, dtype=coarsest)
            weights[:, columns] += (factors * objective.loss_weight / _in_loss(objective))[:, None] * slopes
        return measured.weighted(weights.masked_fill(bad[:, None], 0)), count

    def _coarsest(self, outputs: torch.dtype) -> torch.dtype:
        """Of the precisions in which terms are rounded, the one with the fewest digits."""
        return max({outputs, *(each.dtype for each in self.parameters)}, key=lambda dtype: torch.finfo(dtype).eps)


def _slopes(part: JacobianPart) -> Float64[Tensor, "n d"]:
    """Of the loss in the outputs."""
    assert part.losses is not None, "the loss counts"
    assert isinstance(part.output, Tensor), "the loss is a function of the outputs"
    (slopes,) = torch.autograd.grad(part.losses.sum(), part.output, retain_graph=True, materialize_grads=True)
    return slopes.reshape(part.outputs.shape).double()


def _quadratic(slopes: Float64[Tensor, "n d"], gram: Float64[Tensor, "n d d"]) -> Float64[Tensor, " n"]:
    """Squared norms of the loss gradients, from their slopes in the outputs."""
    return (slopes * (gram @ slopes[:, :, None])[:, :, 0]).sum(dim=1)


def _rows(outputs: Tensor, losses: Tensor | None) -> Float[Tensor, "n R"]:
    """Outputs, then the loss, of each example."""
    return outputs if losses is None else torch.cat([outputs, losses[:, None]], dim=1)


def _direct(part: JacobianPart) -> bool:
    """Whether the loss is a function of the outputs that are compared, so that its gradient needs no pass."""
    return part.losses is not None and isinstance(part.output, Tensor)


def _in_loss(objective: Objective) -> int:
    """Examples that the loss is the mean of."""
    return sum(objective.group(name).batch for name in objective.in_loss)


def _pulls(
    objective: Objective, points: Mapping[str, Tensor], directions: Tensor | None
) -> tuple[dict[str, Tensor], dict[ComparedGroups, float]]:
    """Of every trained group that is compared, the gradient in its outputs; and every pair's distance."""
    pulls: dict[str, Tensor] = {}
    distances: dict[ComparedGroups, float] = {}
    for pair in objective.compared:
        names = (pair.left, pair.right)
        # In double precision: every record's pull is rounded, and a record that is replaced moves all of them.
        left, right = sides = [in_ball(points[name].detach(), norm=objective.output_norm).double() for name in names]
        unit = torch.ones_like(left[:1].T) if directions is None else directions
        if directions is None and left.shape[1] != 1:
            raise ValueError(f"directions = None: outputs of dimension {left.shape[1]} need directions")
        trained = [objective.group(name).trained for name in names]
        for side, needed in zip(sides, trained, strict=True):
            side.requires_grad_(needed)
        value = sliced.sliced_wasserstein_power(left, right, unit.to(left.dtype), p=2.0)
        moved = [(name, side) for name, side, needed in zip(names, sides, trained, strict=True) if needed]
        gradients = torch.autograd.grad(value, [side for _, side in moved])
        for (name, _), pull in zip(moved, gradients, strict=True):
            pulls[name] = pulls.get(name, 0) + pair.weight * pull
        distances[pair] = float(value.detach())
    return pulls, distances


def _refuse_infinite(group: Group, values: Tensor) -> None:
    if not all_finite(values):
        raise FloatingPointError(f"group {group.name!r}: {int((~torch.isfinite(values)).sum())} outputs are not finite")


def _check(
    objective: Objective, batches: Mapping[str, Tensor], loss: Loss | None, targets: Mapping[str, Tensor]
) -> None:
    names = {group.name for group in objective.groups}
    if set(batches) != names:
        raise ValueError(f"batches: are of {sorted(batches)}: must be of {sorted(names)}")
    for group in objective.groups:
        given = batches[group.name]
        if len(given) != group.batch:
            raise ValueError(
                f"batch of group {group.name!r} has {len(given)} records: must be exactly {group.batch}, "
                "for which the sensitivity is stated"
            )
        if not group.trained:
            if given.ndim != 2:
                raise ValueError(f"points of group {group.name!r} have shape {tuple(given.shape)}: must be (batch, d)")
            if not group.private:
                _refuse_infinite(group, given)
    if objective.loss_weight == 0:
        return
    if loss is None:
        raise ValueError(f"loss = None: the objective gives it a weight of {objective.loss_weight:g}")
    for name in objective.in_loss:
        if name not in targets or len(targets[name]) != objective.group(name).batch:
            raise ValueError(f"targets: must have the {objective.group(name).batch} targets of group {name!r}")
