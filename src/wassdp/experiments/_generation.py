"""Choices of a generator's training: view, labels, method, noise, evaluation. Imports no torch."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.guarantee import Adjacency
from wassdp.sections import Section


class Pixels(Section):
    """The pixels themselves (`wassdp.generation.views.Pixels`)."""

    name: Literal["pixels"] = "pixels"

    def describe(self) -> str:
        """The view in words; nothing, as what is usual."""
        return ""


class Pooled(Section):
    """Averages of squares of pixels (`wassdp.generation.views.Pooled`)."""

    name: Literal["pooled"]
    factor: int = Field(ge=1, description="side of a square, a divisor of both sides of an image")

    def describe(self) -> str:
        """The view in words."""
        return f"averages of {self.factor}×{self.factor}"


class Cosine(Section):
    """The lowest coefficients of the cosine transform (`wassdp.generation.views.Cosine`)."""

    name: Literal["cosine"]
    side: int = Field(ge=1, description="coefficients along each axis")

    def describe(self) -> str:
        """The view in words."""
        return f"{self.side}×{self.side} cosines"


class Convolutional(Section):
    """Features of a network with fixed random weights (`wassdp.generation.views.Convolutional`)."""

    name: Literal["convolutional"]
    seed: int = Field(default=0, ge=0, description="of the weights, public")

    def describe(self) -> str:
        """The view in words."""
        return "random features"


View = Annotated[
    Pixels | Pooled | Cosine | Convolutional,
    Field(discriminator="name", description="public map from images to what is compared; real and generated alike"),
]


class Network(Section):
    """A generator (`wassdp.generation.generators`)."""

    name: Literal["upsampling", "transposed"] = Field(
        default="upsampling", description="SWD's Table 3 (grey images), or its Table 5 (64 x 64)"
    )
    code: int = Field(default=10, ge=1, description="length of the Gaussian code; the one-hot class comes on top")

    def impossible(self, shape: tuple[int, int, int]) -> str | None:
        """Why it gives no images of this shape, or None."""
        if self.name == "upsampling" and (shape[1] % 4 or shape[2] % 4):
            return f"generator upsampling: the sides of {shape} are no multiples of 4"
        if self.name == "transposed" and shape[1:] != (64, 64):
            return f"generator transposed: gives 64 x 64, not {shape[1]} x {shape[2]}"
        return None


class Releasing(Section):
    """What every method says of itself."""

    def describe(self) -> str:
        """The method in words."""
        raise NotImplementedError

    @property
    def labelled(self) -> bool:
        """Whether the generator is told a class."""
        return True

    def releases(self, steps: int) -> int:
        """How often something is released in so many steps."""
        return 1

    def expected_event(self) -> Event:
        """An event of the form of a noisy run's."""
        raise NotImplementedError

    def impossible(self) -> str | None:
        """Why it has no account, or None."""
        return None


class Rows(Releasing):
    """How labelled images become rows (`wassdp.generation.rows`)."""

    labels: Literal["joint", "outer", "per_class", "none"] = Field(
        description="joint: (image, scaled one-hot) in the row; outer: image times one-hot; per_class: batches of each "
        "class, so that labels are public (adjacency replace-one-inside-class); none: labels are not used"
    )
    label_scale: float = Field(default=1.0, gt=0, description="of the one-hot in a joint row, in pixels' units")
    rows: Literal["clipped", "orthant", "raw"] = Field(
        default="clipped",
        description="clipped: to norm 1/2 (1 for Poisson sampling), so that neighbours are within 1; orthant: to "
        "1/sqrt(2), enough for pixels and averages of them; raw: as they are, at the distance that pixels allow",
    )
    row_scale: float = Field(default=1.0, gt=0, description="of rows before clipping: small ones are not clipped")
    view: View = Pixels()

    def _words(self) -> list[str]:
        labels = {"joint": "joint labels", "outer": "labels by outer product", "per_class": "public labels", "none": ""}
        rows = {"clipped": "", "orthant": "norm 0.707", "raw": "raw rows"}
        return [labels[self.labels], self.view.describe(), rows[self.rows]]

    @property
    def labelled(self) -> bool:
        return self.labels != "none"

    @property
    def relation(self) -> Adjacency:
        """The neighbouring relation of batches drawn without replacement."""
        return "replace-one-inside-class" if self.labels == "per_class" else "replace-one"


class Sliced(Rows):
    """Sliced Wasserstein distance to noisy projections of private rows (`wassdp.generation.pooled`)."""

    name: Literal["sliced"]
    projections: int | None = Field(default=None, ge=1, description="k; null: the dimension of a row")
    directions: Literal["iid", "orthogonal"] = "iid"
    order: float = Field(default=2.0, ge=1, description="p of the distance")
    batch: float | None = Field(
        default=100,
        gt=0,
        description="rows of a draw, of each class where batches are; null: all (of the rarest class)",
    )
    draws: int = Field(default=1, ge=1, description="batches drawn independently for one release")
    sampling: Literal["without-replacement", "poisson"] = "without-replacement"
    public_noise: bool = Field(default=True, description="noise on the generated side too; free, and proves nothing")
    reuse: int | None = Field(default=1, ge=1, description="steps that use one release; null: all, released once")
    step_directions: int | None = Field(default=None, ge=1, description="directions that a step looks at; null: all")
    step_rows: int | None = Field(default=None, ge=1, description="released rows that a step looks at; null: all")
    smooth: int | None = Field(
        default=None,
        ge=1,
        exclude_if=lambda side: side is None,
        description="compare along random directions within so many lowest cosines along each axis; null: along the "
        "released directions",
    )

    def describe(self) -> str:
        size = "all rows" if self.batch is None else f"{self.batch:g} rows"
        words = [
            "SWD",
            *self._words(),
            "orthogonal" if self.directions == "orthogonal" else "",
            f"low {self.smooth}×{self.smooth}" if self.smooth else "",
            size if self.draws == 1 else f"{self.draws}×{size}",
            "released once" if self.reuse is None else "",
        ]
        return ", ".join(filter(None, words))

    def releases(self, steps: int) -> int:
        return 1 if self.reuse is None else -(-steps // self.reuse)

    def expected_event(self) -> Event:
        if self.sampling == "poisson":
            return expected.poisson(expected.projections(self.directions, "zero-out"))
        return expected.drawn(expected.projections(self.directions, self.relation))

    def impossible(self) -> str | None:
        if self.labels == "per_class" and self.sampling == "poisson":
            return "labels per_class with Poisson sampling: fixed class sizes need sampling without replacement"
        return None


class OutputGradient(Rows):
    """Noisy gradients of the sliced distance in generated rows, for all steps at once (`wassdp.generation.quantiles`).

    Private rows do not depend on the generator, so that what is released of them is needed once; noise falls with the
    number of rows.
    """

    name: Literal["output_gradient"]
    bases: int = Field(default=15, ge=1, description="orthonormal bases of directions, each with a gradient of its own")
    points: int = Field(
        default=10, ge=1, description="points that a gradient is released in, of each class where labels are public"
    )
    batch: int | None = Field(
        default=None, ge=1, description="private rows of a release, of each class where labels are public; null: all"
    )
    smooth: int | None = Field(
        default=None,
        ge=1,
        description="directions among so many lowest cosines along each axis, and among the rest; null: among all",
    )

    def describe(self) -> str:
        words = [
            "SW gradients",
            *self._words(),
            f"low {self.smooth}×{self.smooth}" if self.smooth else "",
            f"{self.bases} gradients in {self.points} points",
            f"{self.batch} rows" if self.batch else "",
        ]
        return ", ".join(filter(None, words))

    def releases(self, steps: int) -> int:
        return self.bases

    def expected_event(self) -> Event:
        return expected.drawn(expected.gaussian(self.relation))


class MeanEmbedding(Releasing):
    """Mean embedding released once: DP-MERF (`wassdp.mechanisms.merf`)."""

    name: Literal["mean_embedding"]
    features: int = Field(default=10_000, ge=2, multiple_of=2, description="random Fourier features")
    bandwidth: float = Field(default=10.0, gt=0, description="of the Gaussian kernel, in the unit of the view")
    seed: int = Field(default=0, ge=0, description="of the frequencies, public")
    view: View = Pixels()

    def describe(self) -> str:
        return ", ".join(filter(None, ["MERF", self.view.describe()]))

    def expected_event(self) -> Event:
        return repeated(expected.gaussian("replace-one"), 1)


Method = Annotated[Sliced | OutputGradient | MeanEmbedding, Field(discriminator="name")]


class Noise(Section):
    """Noise as given, or the least that keeps a budget by the PLD upper bound; and the delta of the account."""

    noise: float | None = Field(
        default=None, gt=0, description="sliced: σ in the unit of rows; else: deviation over sensitivity"
    )
    epsilon: float | None = Field(default=None, gt=0, description="budget to keep")
    delta: float = Field(gt=0, lt=1, description="delta at which the run is accounted")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.noise is None) == (self.epsilon is None):
            raise ValueError("noise and epsilon: exactly one must be given")
        return self


class Evaluation(Section):
    """How the generated images are judged. It reads real test images and is part of no release."""

    samples: int = Field(default=60_000, ge=0, description="generated images to train classifiers on; 0: none")
    logistic_iterations: int = Field(default=5000, ge=1, description="most iterations of the logistic regression")
    mlp_iterations: int = Field(default=200, ge=1, description="most passes of the network")
    frechet: int = Field(default=2000, ge=0, description="images of either kind for the Fréchet distance; 0: none")
    sheet_rows: int = Field(default=10, ge=1, le=20, description="rows of the sheet of samples, one column per class")
