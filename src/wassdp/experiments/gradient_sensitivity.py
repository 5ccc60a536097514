"""How much of its proven sensitivity a Wasserstein gradient uses: a search for the worst neighbouring batches."""

from __future__ import annotations

from typing import Annotated, Literal

import torch
from pydantic import Field

from wassdp import experiment, noise
from wassdp.distances.directions import draw
from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective
from wassdp.mechanisms.wasserstein_output_gradient import WassersteinOutputGradient
from wassdp.noise import Bits
from wassdp.training.wasserstein import neighbours
from wassdp.training.wasserstein.engine import WassersteinEngine
from wassdp.training.wasserstein.neighbours import Distance, Neighbours

PHASE = "generate"


class Parameters(experiment.Parameters):
    """Batches of two sides; one point of the left side, or of either, is replaced."""

    theorem: Literal["clipped", "output"] = Field(
        description="clipped: gradient in a model's parameters (WG Theorems 4.1 and A.1). output: gradient in the "
        "right side's public points"
    )
    relation: Literal["replace-one", "k-end"] = Field(
        default="replace-one", description="replace-one: left side private. k-end: both sides private"
    )
    dimension: Annotated[int, Field(ge=1)] = 1
    projections: Annotated[int, Field(ge=1)] = 1
    directions: Literal["iid", "orthogonal"] = "iid"
    left: Annotated[int, Field(ge=1, description="points of the left side")] = 4
    right: Annotated[int, Field(ge=1, description="points of the right side")] = 4
    output_norm: Annotated[float, Field(gt=0)] = 1.0
    jacobian_norms: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] = (1.0, 1.0)
    restarts: Annotated[int, Field(ge=1)] = 8
    tries: Annotated[int, Field(ge=1, description="of each restart")] = 400

    def describe(self) -> experiment.Description:
        told = "replace one inside its class" if self.relation == "k-end" else self.relation.replace("-", " ")
        return experiment.Description(method=f"{self.theorem} gradient, {told}")

    def impossible(self) -> str | None:
        if self.directions == "orthogonal" and self.projections > self.dimension and self.projections % self.dimension:
            return f"{self.projections} orthogonal directions are no multiple of dimension {self.dimension}"
        if self.theorem == "output" and self.relation != "replace-one":
            return "the right side of an output gradient is public: relation must be replace-one"
        return None


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Search, then let the real engine or mechanism say how far the gradient moves.

    Metrics: ``moved``, that distance; ``bound`` and ``ratio``, moved over bound; for the clipped gradient
    also ``published_bound`` and ``published_ratio`` of the paper's theorem. A ratio above 1 would refute a theorem.
    """
    generator = noise.seeded(seed, "neighbours")
    turned = draw(
        parameters.directions,
        dimension=parameters.dimension,
        count=parameters.projections,
        generator=generator,
        dtype=torch.float64,
    )
    find = _output if parameters.theorem == "output" else _clipped
    return experiment.Findings(metrics=find(parameters, turned, generator))


def _search(parameters: Parameters, distance: Distance, sizes: tuple[int, int], generator: Bits) -> Neighbours:
    return neighbours.search(
        distance,
        sizes=sizes,
        dimension=parameters.dimension,
        norm=parameters.output_norm,
        restarts=parameters.restarts,
        tries=parameters.tries,
        generator=generator,
    )


def _output(parameters: Parameters, turned: torch.Tensor, generator: Bits) -> dict[str, float]:
    sizes = (parameters.left, parameters.right)
    worst_pair = _search(parameters, neighbours.output_gradient(turned), sizes, generator)
    mechanism = WassersteinOutputGradient(
        noise_multiplier=1.0,
        output_norm=parameters.output_norm,
        records=parameters.left,
        batch=parameters.left,
        dimension=parameters.dimension,
        projections=parameters.projections,
        directions=parameters.directions,
    )
    before, after = (mechanism.gradient(left, worst_pair.right, turned) for left in (worst_pair.left, worst_pair.other))
    moved, bound = float((before - after).norm()), mechanism.sensitivity(turned)
    return {"moved": moved, "bound": bound, "ratio": moved / bound}


def _clipped(parameters: Parameters, turned: torch.Tensor, generator: Bits) -> dict[str, float]:
    """The worst of the sides that are private."""
    sizes = {"left": parameters.left, "right": parameters.right}
    bounds = dict(zip(sizes, parameters.jacobian_norms, strict=True))
    objective = _objective(parameters, "tight")
    engine, worst = WassersteinEngine(neighbours.Affine(), method="functional"), 0.0
    for moved, fixed in (("left", "right"), ("right", "left"))[: len(objective.private)]:
        norms = (bounds[moved], bounds[fixed])
        # The search replaces a point of what it calls the left side.
        worst_pair = _search(
            parameters, neighbours.clipped_gradient(turned, norms), (sizes[moved], sizes[fixed]), generator
        )
        before, after, rest = neighbours.examples(worst_pair, turned, norms)
        gradients = [
            engine.gradient(objective, {moved: batch, fixed: rest}, directions=turned).gradient
            for batch in (before, after)
        ]
        worst = max(worst, float((gradients[0] - gradients[1]).norm()))
    tight, published = objective.sensitivity, _objective(parameters, "published").sensitivity
    return {
        "moved": worst,
        "bound": tight,
        "ratio": worst / tight,
        "published_bound": published,
        "published_ratio": worst / published,
    }


def _objective(parameters: Parameters, bound: Literal["tight", "published"]) -> Objective:
    left, right = (
        Group(name=name, records=size, batch=size, jacobian_norm=norm, private=private)
        for name, size, norm, private in zip(
            ("left", "right"),
            (parameters.left, parameters.right),
            parameters.jacobian_norms,
            (True, parameters.relation == "k-end"),
            strict=True,
        )
    )
    return Objective(
        groups=(left, right), pairs=(ComparedGroups("left", "right"),), output_norm=parameters.output_norm, bound=bound
    )
