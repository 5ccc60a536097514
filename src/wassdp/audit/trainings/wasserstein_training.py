"""Canaries in a training by a `PrivateOptimiser`, in the group whose records move a release the furthest."""

from __future__ import annotations

from collections.abc import Mapping

from jaxtyping import Float
from torch import Tensor, nn

from wassdp.audit.trainings.own_weight import OwnWeight, OwnWeights, without_canaries
from wassdp.audit.trainings.swapped import numbered
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import Objective
from wassdp.noise import Bits
from wassdp.training.engines import Loss
from wassdp.training.wasserstein.optimiser import PrivateOptimiser


class CanariesOfAGroup(OwnWeights):
    """Canaries take the places of records of one group, of which at least half stay.

    Args:
        model: without canaries.
        mechanism: what a step releases.
        records: of every group, inputs of the model.
        targets: of every group in the loss.
        loss: of the model's outputs, where the objective has one.
        dimension: of the outputs that are compared.
        canaries: their number.
        coins: as `Swapped`.

    Attributes:
        records: those with canaries; an input is flattened and ends with its canary's number.
        loss: of the model with canaries.
        private: what trains the model with canaries; to be set before the first step.

    Raises:
        ValueError: there are more canaries than half of the group's records.
    """

    private: PrivateOptimiser

    def __init__(
        self,
        model: nn.Module,
        mechanism: ClippedWassersteinGradient,
        *,
        records: Mapping[str, Tensor],
        targets: Mapping[str, Tensor],
        loss: Loss | None,
        dimension: int,
        canaries: int,
        coins: Bits,
    ) -> None:
        self.group, self.mechanism = most_exposed(mechanism.objective), mechanism
        there = len(records[self.group])
        if 2 * canaries > there:
            raise ValueError(
                f"audit.canaries = {canaries}: must be at most half of the {there} records of group {self.group!r}, "
                "whose places they take"
            )
        super().__init__(canaries=canaries, records=there, coins=coins)
        nobody = self.places[:0]
        self.records = {
            name: numbered(inputs, self.places if name == self.group else nobody) for name, inputs in records.items()
        }
        self.targets = dict(targets)
        objective, norm = mechanism.objective, mechanism.objective.group(self.group).jacobian_norm
        assert norm is not None, "records of a group that is compared and not trained have no gradient"
        self.model = OwnWeight(
            model,
            shape=tuple(records[self.group].shape[1:]),
            signs=lambda: self.signs,
            dimension=dimension,
            output_norm=objective.output_norm,
            jacobian_norm=norm,
            loss_norm=objective.loss_norm or 0.0,
        )
        self.loss = without_canaries(loss)
        self.prepare()

    def repeated(self) -> Float[Tensor, " dim"]:
        places, private = self.mechanism.sample(generator=self.coins), self.private
        clipped = private.engine.gradient(
            self.mechanism.objective,
            {name: self.records[name][rows] for name, rows in places.items()},
            directions=private.drawn(self.coins),
            loss=self.loss,
            targets={name: targets[places[name]] for name, targets in self.targets.items()},
            clipping=private.clipping,
        )
        return clipped.gradient


def most_exposed(objective: Objective) -> str:
    """The private group of which one record moves a step the furthest; of several, that with the largest rate."""
    return max(objective.private, key=lambda group: (objective.sensitivity_of(group.name), group.rate)).name
