r"""How a labelled image becomes the row that is projected, and how far apart two neighbouring rows can be.

Symbols: x image as a vector of P pixels in [0, 1], φ view of d dimensions, e_y one-hot label of C classes, s label
scale, a row scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from wassdp import checks
from wassdp.accounting.guarantee import Adjacency
from wassdp.accounting.reach import Reach
from wassdp.full_precision import full_precision
from wassdp.generation.views import AnyView, Pixels, Shape
from wassdp.mechanisms.dpswd import Sampling, clip
from wassdp.sections import Section


class Rows(Section):
    """How labelled images become rows."""

    labels: Literal["joint", "outer", "per_class", "none"] = Field(
        description="joint: (image, scaled one-hot) in the row; outer: image times one-hot; per_class: batches of each "
        "class, so that labels are public (adjacency replace-one-inside-class); none: labels are not used"
    )
    label_scale: float = Field(
        default=1.0, gt=0, le=1e12, description="of the one-hot in a joint row, in pixels' units"
    )
    rows: Literal["clipped", "orthant", "raw"] = Field(
        default="clipped",
        description="clipped: to norm 1/2 (1 for Poisson sampling), so that neighbours are within 1; orthant: to "
        "1/sqrt(2), enough for pixels and averages of them; raw: as they are, at the distance that pixels allow",
    )
    row_scale: float = Field(
        default=1.0, gt=0, le=1e12, description="of rows before clipping: small ones are not clipped"
    )
    view: AnyView = Pixels()

    @property
    def labelled(self) -> bool:
        """Whether the generator is told a class."""
        return self.labels != "none"

    @property
    def entry(self) -> Literal["image", "joint", "outer"]:
        """How the label enters a row: not at all where it is public, or not used."""
        return self.labels if self.labels == "joint" or self.labels == "outer" else "image"

    @property
    def relation(self) -> Adjacency:
        """The neighbouring relation of batches drawn without replacement."""
        return "replace-one-inside-class" if self.labels == "per_class" else "replace-one"

    def groups(self, records: int, class_counts: tuple[int, ...]) -> tuple[int, ...]:
        """Records of each group, all of them or those of each class; empty where these are not known."""
        return class_counts if self.labels == "per_class" else (records,)

    def words(self) -> list[str]:
        """The rows in words; empty ones for what is usual."""
        labels = {"joint": "joint labels", "outer": "labels by outer product", "per_class": "public labels", "none": ""}
        rows = {"clipped": "", "orthant": "norm 0.707", "raw": "raw rows"}
        return [labels[self.labels], self.view.describe(), rows[self.rows]]

    def impossible(self, shape: Shape) -> str | None:
        """Why images of this shape have no such rows, or rows that nothing bounds; None if they have."""
        if self.rows == "raw" and not self.view.contraction:
            return f"rows = 'raw': nothing bounds the rows of the view {self.view.name}"
        if self.rows == "orthant" and not self.view.non_negative:
            return f"rows = 'orthant': the view {self.view.name} has negative coordinates"
        return self.view.impossible(shape)


@dataclass(frozen=True)
class Prepared:
    """Confined rows in a compact form: those of entry ``outer`` keep their image part and their class.

    Args:
        parts: rows, or their image parts, shape (count, d).
        labels: classes, shape (count,); None where a row is all that there is.
    """

    parts: Float[Tensor, "count d"]
    labels: Int64[Tensor, " count"] | None

    def __len__(self) -> int:
        return len(self.parts)

    def take(self, indices: Int64[Tensor, " some"]) -> Prepared:
        """The rows at these indices."""
        return Prepared(self.parts[indices], None if self.labels is None else self.labels[indices])

    def to(self, device: torch.device) -> Prepared:
        """The rows on a device."""
        return Prepared(self.parts.to(device), None if self.labels is None else self.labels.to(device))


def concatenated(groups: list[Prepared]) -> Prepared:
    """The rows of all groups, one group after the other.

    Raises:
        ValueError: some groups have labels and others have none.
    """
    labels = [rows.labels for rows in groups if rows.labels is not None]
    if labels and len(labels) < len(groups):
        raise ValueError(f"groups: {len(labels)} of {len(groups)} have labels; must be all or none")
    return Prepared(torch.cat([rows.parts for rows in groups]), torch.cat(labels) if labels else None)


@dataclass(frozen=True)
class Recipe:
    r"""From images and labels of one dataset to rows, within a public set.

    - ``image``: :math:`a φ(x)`; the label stays outside, so it is public, or there is none;
    - ``joint``: :math:`a (φ(x), s e_y)`;
    - ``outer``: :math:`a φ(x) ⊗ e_y`, C blocks of which that of the class holds the image.

    ``clipped``, a row is scaled down to norm at most Δ/2 (or Δ where a neighbour's row is 0), so that two rows are
    at most Δ apart; Δ = 1. ``orthant``, it is scaled down to norm Δ/√2: rows without a negative coordinate have
    inner products of at least 0, so that ‖r - r'‖² ≤ ‖r‖² + ‖r'‖² ≤ Δ², and the same noise covers rows √2 times as
    long. ``raw``, nothing is clipped and Δ is what the range of a pixel allows. For a view φ that is
    linear and moves no two images further apart than they are, and that of the image 0 is 0, replacing one record moves

    - ``image`` by at most :math:`a\sqrt P`: each coordinate of x - x' lies in [-1, 1];
    - ``joint`` by at most :math:`a\sqrt{P + 2 s^2}`: the image parts as before, and ‖e_y - e_{y'}‖² ≤ 2;
    - ``outer`` by at most :math:`a\sqrt{2 P}`: inside a class as ``image``; between classes the blocks are orthogonal,
      so that the square is ‖φ(x)‖² + ‖φ(x')‖² ≤ 2 P.

    All three are reached with φ the pixels themselves. Against the row 0 the bounds are the largest norms:
    :math:`a\sqrt P`, :math:`a\sqrt{P + s^2}` and :math:`a\sqrt P`.

    Args:
        rows: φ as ``view``, s as ``label_scale``, a as ``row_scale``, and the rest.
        shape: channels, height and width of an image.
        classes: C, at least 2 unless the label enters no row.

    Raises:
        ValueError: an argument is outside its range, nothing bounds the rows of a raw view, or those of the orthant can
            be negative.
    """

    rows: Rows
    shape: Shape
    classes: int

    def __post_init__(self) -> None:
        checks.whole("classes", self.classes, least=0 if self.entry == "image" else 2)
        if reason := self.rows.impossible(self.shape):
            raise ValueError(reason)

    @property
    def entry(self) -> Literal["image", "joint", "outer"]:
        """How the label enters."""
        return self.rows.entry

    @property
    def dimension(self) -> int:
        """Length of a row."""
        image = self.rows.view.dimension(self.shape)
        return {"image": image, "joint": image + self.classes, "outer": image * self.classes}[self.entry]

    def distance(self, sampling: Sampling) -> float:
        """Δ: how far apart neighbouring rows can be; against the row 0 for Poisson sampling, else against any row."""
        if self.rows.rows != "raw":
            return 1.0
        pixels, label = math.prod(self.shape), self.rows.label_scale**2 if self.entry == "joint" else 0.0
        if sampling == "poisson":
            return self.rows.row_scale * math.sqrt(pixels + label)
        return self.rows.row_scale * math.sqrt(2 * pixels if self.entry == "outer" else pixels + 2 * label)

    def norm(self, sampling: Sampling) -> float:
        """What rows are clipped to, infinity for raw ones."""
        if self.rows.rows == "raw":
            return math.inf
        shares = {"clipped": 2.0, "orthant": math.sqrt(2)}
        return self.distance(sampling) / (1.0 if sampling == "poisson" else shares[self.rows.rows])

    def prepare(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        *,
        sampling: Sampling,
    ) -> tuple[Prepared, int]:
        """Rows within the public set, differentiable, and how many had to be clipped.

        Args:
            images: pixels in [0, 1].
            labels: their classes; not used by the entry ``image``.
            sampling: how rows are drawn, which decides what they are clipped to.

        Raises:
            ValueError: a pixel lies outside [0, 1] or is no number, or a label that is needed is missing or no class.
        """
        if not bool(((images >= 0) & (images <= 1)).all()):
            raise ValueError("images: pixels must lie in [0, 1]")
        parts = self.rows.row_scale * self.rows.view(images)
        kept = None
        if self.entry != "image":
            if labels is None or not bool(((labels >= 0) & (labels < self.classes)).all()):
                raise ValueError(f"labels: the entry {self.entry} needs classes from 0 to {self.classes - 1}")
            if self.entry == "joint":
                hot = nn.functional.one_hot(labels, self.classes).to(parts.dtype)
                parts = torch.cat([parts, self.rows.row_scale * self.rows.label_scale * hot], dim=1)
            else:
                kept = labels
        # A row of the entry ``outer`` is as long as its image part.
        clipped, count = (parts, 0) if self.rows.rows == "raw" else clip(parts, self.norm(sampling))
        return Prepared(clipped, kept), count

    def reached(self, sampling: Sampling) -> float:
        """The largest distance of neighbouring rows among those of crafted images, which exist, over Δ; at most 1.

        Args:
            sampling: how rows are drawn: against the row 0 for Poisson sampling, else against any other row.
        """
        images = _crafted(self.shape)
        rows = []
        for label in range(min(2, self.classes) if self.entry != "image" else 1):
            labels = torch.full((len(images),), label) if self.entry != "image" else None
            prepared, _ = self.prepare(images, labels, sampling=sampling)
            parts = prepared.parts.double()
            rows.append(nn.functional.pad(parts, (label * parts.shape[1], 0)) if self.entry == "outer" else parts)
        width = max(part.shape[1] for part in rows)
        whole = torch.cat([nn.functional.pad(part, (0, width - part.shape[1])) for part in rows])
        others = torch.zeros(1, width, dtype=whole.dtype) if sampling == "poisson" else whole
        return min(
            1.0,
            float(torch.cdist(whole, others, compute_mode="donot_use_mm_for_euclid_dist").max())
            / self.distance(sampling),
        )

    def neighbours(self, sampling: Sampling) -> Reach:
        """`reached`, in words."""
        return Reach(self.reached(sampling), "two crafted images, the furthest apart of those that were tried, as rows")

    def project(self, rows: Prepared, directions: Float[Tensor, "dimension k"]) -> Float[Tensor, "k count"]:
        """Rows times directions, by direction."""
        with full_precision(rows.parts.device):
            return self._project(rows, directions)

    def _project(self, rows: Prepared, directions: Float[Tensor, "dimension k"]) -> Float[Tensor, "k count"]:
        if rows.labels is None:
            return (rows.parts @ directions).T.contiguous()
        blocks = directions.unflatten(0, (self.classes, -1))
        # Each row meets one block of every direction only: rows are sorted by class, and put back afterwards.
        order = rows.labels.argsort(stable=True)
        counts = torch.bincount(rows.labels, minlength=self.classes).tolist()
        parts = rows.parts[order].split(counts)
        projected = torch.cat([part @ block for block, part in zip(blocks, parts, strict=True)])
        return projected[order.argsort()].T.contiguous()

    def spread(self, rows: Prepared) -> float:
        r"""How far rows spread along a direction, in the root mean square over directions: *not private*.

        .. math:: \sqrt{\tfrac1d \operatorname{tr} \operatorname{Cov}(r)}
        """
        parts = rows.parts.double()
        if rows.labels is None:
            mean = parts.mean(dim=0)
        else:
            mean = nn.functional.one_hot(rows.labels, self.classes).to(parts.dtype).T @ parts / len(parts)
        left = float(parts.square().sum(dim=1).mean() - mean.square().sum())
        return math.sqrt(max(left, 0.0) / self.dimension)


def _crafted(shape: Shape) -> Float[Tensor, "count channels height width"]:
    """Images that are far apart in one view or another: black, white, and both halves and both boards of squares."""
    _, height, width = shape
    down, across = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    left, board = across < width // 2, (down + across) % 2 == 0
    masks = torch.stack([torch.zeros_like(left), torch.ones_like(left), left, ~left, board, ~board])
    return masks[:, None].expand(-1, shape[0], -1, -1).float()
