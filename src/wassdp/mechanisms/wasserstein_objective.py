r"""What private learning with Wasserstein distances minimises, and how far one record moves its clipped gradient.

Symbols: n_g records of a group's batch, M bound on the outputs' norm, L_g bound on the spectral norm of one example's
Jacobian, C bound on the gradient of one example's loss, R classes, w weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from wassdp import checks

Bound = Literal["tight", "published"]
BOUNDS: tuple[Bound, ...] = ("tight", "published")


@dataclass(frozen=True, kw_only=True)
class Group:
    """Records that enter a step together, a batch of fixed size at a time.

    Args:
        name: what pairs and batches call it.
        records: how many there are, a public number.
        batch: how many of them enter a step, drawn without replacement.
        jacobian_norm: L > 0, spectral norm that the Jacobian of the model's output at one of its examples is clipped
            to; None for points that the model is not applied to, whose "Jacobian" is 0.
        private: whether its records are protected; public records are sampled alike, and are not accounted for.

    Raises:
        ValueError: an argument is outside its range.
    """

    name: str
    records: int
    batch: int
    jacobian_norm: float | None
    private: bool = True

    def __post_init__(self) -> None:
        checks.whole(f"batch of group {self.name!r}", self.batch, least=1)
        if checks.whole(f"records of group {self.name!r}", self.records) < self.batch:
            raise ValueError(
                f"records of group {self.name!r} = {self.records}: must be at least its batch, {self.batch}"
            )
        if self.jacobian_norm is not None:
            checks.positive(f"jacobian_norm of group {self.name!r}", self.jacobian_norm)

    @property
    def trained(self) -> bool:
        """Whether the model is applied to its records."""
        return self.jacobian_norm is not None

    @property
    def rate(self) -> float:
        """Share of the records that enter a step."""
        return self.batch / self.records


@dataclass(frozen=True)
class ComparedGroups:
    """Two groups, by name, whose outputs' distributions are drawn together, with the weight w of their distance."""

    left: str
    right: str
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Objective:
    r"""A weighted sum of sliced Wasserstein distances between groups' outputs and a mean loss.

    .. math:: \sum_{(g,h)} w_{gh} \, SW_2^2(P_g, P_h) + w \, \frac1n \sum_i \ell_i

    Args:
        groups: all groups of a step.
        pairs: which of them are compared; one of weight 0 counts for nothing.
        output_norm: M > 0, norm that outputs (and points) are clipped to before they are compared.
        loss_weight: w >= 0.
        loss_norm: C > 0, norm that the gradient of one example's loss is clipped to; None without a loss.
        loss_groups: whose examples the loss is the mean of; all that are trained if None.
        bound: which theorem bounds the sensitivity, see `sensitivity_of`; both hold.

    Raises:
        ValueError: an argument is outside its range, a group is missing, or nothing is trained or private.
    """

    groups: tuple[Group, ...]
    pairs: tuple[ComparedGroups, ...]
    output_norm: float
    loss_weight: float = 0.0
    loss_norm: float | None = None
    loss_groups: tuple[str, ...] | None = None
    bound: Bound = "tight"

    def __post_init__(self) -> None:
        checks.positive("output_norm", self.output_norm)
        checks.non_negative("loss_weight", self.loss_weight)
        checks.one_of("bound", self.bound, BOUNDS)
        names = [group.name for group in self.groups]
        if len(set(names)) != len(names):
            raise ValueError(f"groups = {names}: each must have a name of its own")
        for pair in self.pairs:
            checks.non_negative("weight", pair.weight)
            sides = [self.group(name) for name in (pair.left, pair.right)]
            if pair.left == pair.right or not any(side.trained for side in sides):
                raise ValueError(f"pair {pair.left!r}, {pair.right!r}: must be two groups, one of them trained")
        for name in self.in_loss:
            if not self.group(name).trained:
                raise ValueError(f"loss_groups: {name!r} is not trained, so that it has no loss")
        if self.loss_norm is not None:
            checks.positive("loss_norm", self.loss_norm)
        elif self.loss_weight > 0:
            raise ValueError(f"loss_norm = None: a loss of weight {self.loss_weight!r} must have its gradients clipped")
        if not any(group.private for group in self.groups):
            raise ValueError("groups: one must be private; without privacy nothing needs this gradient")
        if self.sensitivity <= 0:
            raise ValueError("pairs and loss_weight: no private group has any weight")

    def group(self, name: str) -> Group:
        """The group of that name.

        Raises:
            ValueError: there is none.
        """
        groups = {group.name: group for group in self.groups}
        return groups[checks.one_of("group", name, groups)]

    @property
    def in_loss(self) -> tuple[str, ...]:
        """Names of the groups that the loss is the mean of."""
        if self.loss_groups is not None:
            return self.loss_groups
        return tuple(group.name for group in self.groups if group.trained)

    @property
    def compared(self) -> tuple[ComparedGroups, ...]:
        """The pairs that count."""
        return tuple(pair for pair in self.pairs if pair.weight > 0)

    @property
    def private(self) -> tuple[Group, ...]:
        """The groups whose records are protected."""
        return tuple(group for group in self.groups if group.private)

    @property
    def sensitivity(self) -> float:
        """Largest L2 distance that replacing one private record moves the clipped gradient by."""
        return max(self.sensitivity_of(group.name) for group in self.private)

    def sensitivity_of(self, name: str) -> float:
        r"""Largest L2 distance that replacing one record of a group moves the clipped gradient by.

        .. math:: \sum_{h} w_{gh} \frac{4 M}{n_g} (L_g + \max(L_g, L_h)) + w \frac{2 C}{n}

        where the sum runs over the groups h that g is compared with, L is 0 for points, and the last term is there
        if g belongs to the loss, a mean over n examples. With the bound ``published`` it is 3 L_g + L_h instead.

        Proof of the tight bound, from the steps of the published one. Let U and Ũ <= U be the record's outputs along a
        direction before and after, v and ṽ <= v the means of the other side's outputs that they are matched with,
        all in [-M, M]. The record's own terms have coefficients (2/n)|U - v| and (2/n)|Ũ - ṽ|; those of the others in
        its group change by (2/n)(v - ṽ) in all, those of the other side by (2/n)(U - Ũ) in all (equations 9 to
        16). So the gradient moves by at most (2/n) [L_g (|U - v| + |Ũ - ṽ| + v - ṽ) + L_h (U - Ũ)], which is convex and
        hence largest at a corner: one of nine, where it is 4 M L_g or 2 M (L_g + L_h) or 0 inside the bracket. The
        published bound takes the largest value of each term by itself. In one dimension the tight one is reached.

        Source: Rodríguez-Vítores, Lalanne and Loubes, Theorems 4.1, A.1 and 6.1 for ``published``; ``tight`` is this
        project's.
        """
        group, total = self.group(name), 0.0
        for pair in self.compared:
            if name in (pair.left, pair.right):
                other = self.group(pair.right if name == pair.left else pair.left)
                L, K = (compared.jacobian_norm or 0.0 for compared in (group, other))
                reach = L + max(L, K) if self.bound == "tight" else 3 * L + K
                total += pair.weight * 4 * self.output_norm * reach / group.batch
        if self.loss_weight > 0 and name in self.in_loss:
            assert self.loss_norm is not None, "a loss of some weight has a norm"
            total += self.loss_weight * 2 * self.loss_norm / sum(self.group(trained).batch for trained in self.in_loss)
        return total


def statistical_parity(
    *,
    alpha: float,
    records: Sequence[int],
    batches: Sequence[int],
    output_norm: float,
    jacobian_norm: float,
    loss_norm: float,
    bound: Bound = "tight",
) -> Objective:
    r"""Equal distributions of the outputs whatever the protected attribute.

    .. math:: (1 - \alpha) \frac1n \sum_i \ell_i + \alpha \, SW_2^2(P_0, P_1), \qquad
        \Delta = (1 - \alpha) \frac{2 C}{n} + \alpha \frac{16 M L}{\min(n_0, n_1)}

    Args:
        alpha: in [0, 1].
        records: numbers of records with attribute 0 and 1, public.
        batches: how many of each enter a step, n_0 and n_1.
        output_norm: M.
        jacobian_norm: L, of every group.
        loss_norm: C.
        bound: ``published`` for the equation above; ``tight`` has 8 in place of 16, see `Objective.sensitivity_of`.

    Returns:
        An objective on groups called ``"0"`` and ``"1"``.

    Raises:
        ValueError: an argument is outside its range.

    Source: Rodríguez-Vítores, Lalanne and Loubes, equations 5 and 7.

    >>> found = statistical_parity(
    ...     alpha=0.75, records=(500, 500), batches=(100, 80), output_norm=1, jacobian_norm=1, loss_norm=5
    ... )
    >>> round(found.sensitivity, 6)  # 0.25 * 10 / 180 + 0.75 * 8 / 80
    0.088889
    """
    if len(records) != 2 or len(batches) != 2:
        raise ValueError(f"records and batches: must be two numbers each, not {len(records)} and {len(batches)}")
    return _penalised(
        alpha,
        groups=tuple(
            Group(name=str(value), records=count, batch=batch, jacobian_norm=jacobian_norm)
            for value, (count, batch) in enumerate(zip(records, batches, strict=True))
        ),
        pairs=(("0", "1"),),
        output_norm=output_norm,
        loss_norm=loss_norm,
        bound=bound,
    )


def equality_of_odds(
    *,
    alpha: float,
    records: Mapping[tuple[int, int], int],
    batches: Mapping[tuple[int, int], int],
    output_norm: float,
    jacobian_norm: float,
    loss_norm: float,
    bound: Bound = "tight",
) -> Objective:
    r"""Equal distributions of the outputs whatever the protected attribute, inside every class.

    .. math:: (1 - \alpha) \frac1n \sum_i \ell_i + \frac{\alpha}{R} \sum_{k < R} SW_2^2(P_{0,k}, P_{1,k}), \qquad
        \Delta = (1 - \alpha) \frac{2 C}{n} + \frac{\alpha}{R} \frac{16 M L}{\min_{j,k} n_{j,k}}

    Args:
        alpha: in [0, 1].
        records: number of records by (attribute, class), attributes 0 and 1, classes 0 to R - 1, public.
        batches: how many of each enter a step, n_{j,k}.
        output_norm: M.
        jacobian_norm: L, of every group.
        loss_norm: C.
        bound: ``published`` for the equation above; ``tight`` has 8 in place of 16, see `Objective.sensitivity_of`.

    Returns:
        An objective on groups called ``"j,k"``, attribute first.

    Raises:
        ValueError: an argument is outside its range, or a group is missing.

    Source: Rodríguez-Vítores, Lalanne and Loubes, equations 6 and 8.
    """
    classes = len(records) // 2
    wanted = [(attribute, label) for label in range(classes) for attribute in (0, 1)]
    if not wanted or set(records) != set(wanted) or set(batches) != set(wanted):
        raise ValueError(
            f"records and batches: must have attributes 0 and 1 in every class from 0 up, not {sorted(records)} "
            f"and {sorted(batches)}"
        )
    return _penalised(
        alpha,
        groups=tuple(
            Group(name=f"{j},{k}", records=records[j, k], batch=batches[j, k], jacobian_norm=jacobian_norm)
            for j, k in wanted
        ),
        pairs=tuple((f"0,{label}", f"1,{label}") for label in range(classes)),
        output_norm=output_norm,
        loss_norm=loss_norm,
        bound=bound,
    )


def _penalised(
    alpha: float,
    *,
    groups: tuple[Group, ...],
    pairs: tuple[tuple[str, str], ...],
    output_norm: float,
    loss_norm: float,
    bound: Bound,
) -> Objective:
    checks.probability("alpha", alpha)
    return Objective(
        groups=groups,
        pairs=tuple(ComparedGroups(*names, weight=alpha / len(pairs)) for names in pairs),
        output_norm=output_norm,
        loss_weight=1 - alpha,
        loss_norm=loss_norm,
        bound=bound,
    )
