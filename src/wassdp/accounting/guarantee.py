"""A privacy figure together with everything it needs in order to mean something."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Kind = Literal["published", "upper", "lower"]
Adjacency = Literal["add-remove", "replace-one", "zero-out", "replace-one-inside-class"]
ADJACENCIES: tuple[Adjacency, ...] = get_args(Adjacency)
REPLACING: tuple[Adjacency, ...] = ("replace-one", "replace-one-inside-class")
"""Those under which a record is replaced: twice the norm that bounds a gradient bounds what it moves."""
Sampling = Literal["full", "poisson", "without-replacement", "shuffled"]


def known_adjacency(name: Any) -> Any:
    """``name`` as it is called today: what was stored and published as k-end is replace one inside its class."""
    return "replace-one-inside-class" if name == "k-end" else name


class ContradictionError(ArithmeticError):
    """Two proven figures that cannot both hold: neither may be given out."""


class Guarantee(BaseModel):
    """A statement (epsilon, delta) about one run, by one accountant.

    The three kinds are never mixed: ``published`` is a paper's own formula, whatever it proves;
    ``upper`` follows from a theorem; ``lower`` was measured by an attack.

    Args:
        accountant: name of the accountant's file.
        kind: ``published``, ``upper`` or ``lower``.
        epsilon: in nats; None where no finite budget is known, for which `value` has infinity.
        bounded: false exactly where epsilon is None.
        epsilon_error: at most how far below ``epsilon`` the exact value lies by numerics; None: not computed.
        delta: in [0, 1).
        adjacency: the neighbouring relation.
        sampling: how records enter each release.
        assumptions: what the figure rests on, or does not prove.
        source: paper and equation.

    Raises:
        ValueError: a field is outside its range, or ``bounded`` is not false exactly where epsilon is None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    accountant: str = Field(
        pattern=r"^[\w.-]{1,80}$", description="name of the accountant's file, or what a configuration calls it"
    )
    kind: Kind
    epsilon: float | None = Field(description="budget in nats; null if no finite budget is known")
    bounded: bool = Field(description="false exactly where epsilon is null")
    epsilon_error: Annotated[float, Field(ge=0)] | None = Field(
        default=None,
        description="numerical error: the exact value lies at most this much below epsilon (null: not computed)",
    )
    delta: Annotated[float, Field(ge=0, lt=1)]
    adjacency: Annotated[Adjacency, BeforeValidator(known_adjacency)]
    sampling: Sampling
    assumptions: tuple[str, ...] = Field(default=(), description="what the figure rests on, or does not prove")
    source: str = Field(description="paper and equation")

    @model_validator(mode="after")
    def _bounded_means_finite(self) -> Guarantee:
        if self.bounded != (self.epsilon is not None):
            raise ValueError(f"bounded = {self.bounded!r}: must be false exactly where epsilon is null")
        return self

    @property
    def value(self) -> float:
        """Epsilon as a number: infinity where unbounded."""
        return math.inf if self.epsilon is None else self.epsilon

    @property
    def label(self) -> str:
        """``kind/accountant``, the key of this figure in tables and in MLflow."""
        return f"{self.kind}/{self.accountant}"


def as_epsilon(value: float, accountant: str) -> float | None:
    """``value`` for `Guarantee.epsilon`: None where it is infinite; NaN and what is below 0 are refused.

    Raises:
        ValueError: one line naming the accountant whose figure it is.
    """
    if math.isnan(value) or value < 0:
        raise ValueError(f"accountant {accountant}: epsilon = {value!r}: must be a number of at least 0, or infinity")
    return None if math.isinf(value) else float(value)
