"""Small moves of the records (TDP Definitions 2.1 and 2.2 with the Wasserstein distance of Example 2.2).

Near its record a risk is the line that its gradient there gives; any smooth function through these pieces has the
same posterior. W₂ is the best assignment of the moved records to those before.

"o(1)" is put to the test as: at a distance h, the excess over the constant is at most 2(1 + 4βL)h, L the largest norm
of a risk in Ḣ¹(p).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from wassdp.claims import tangent
from wassdp.claims.words import in_words
from wassdp.tangent import gibbs


@dataclass(frozen=True, eq=False)
class MovedPoints:
    """A problem, where its records lie, and by how much each moves."""

    problem: tangent.Case
    places: Float[np.ndarray, "records dimension"]
    moves: Float[np.ndarray, "records dimension"]

    def __str__(self) -> str:
        return f"{self.problem}, records at {in_words(self.places)}, moved by {in_words(self.moves)}"

    @cached_property
    def size(self) -> float:
        """W₂ of the records before and after."""
        squares = cdist(self.places, self.places + self.moves, "sqeuclidean")
        return float(np.sqrt(squares[linear_sum_assignment(squares)].mean()))

    @property
    def slack(self) -> float:
        """1 + o(1)."""
        steepest = float(np.sqrt((self.problem.slopes**2).sum(axis=2).mean(axis=1)).max())
        return 1 + 2 * (1 + 4 * self.problem.beta * steepest) * self.size


def draw(generator: np.random.Generator) -> MovedPoints:
    """A random problem; all records move, or one alone, or as one hypothesis feels it most."""
    problem = tangent.case(generator)
    shape = problem.slopes.shape[1:]
    moves = generator.normal(size=shape)
    style = generator.integers(3)
    if style == 0:
        moves[1:] = 0.0
    elif style == 1:
        q = problem.posterior.probabilities
        centred = problem.slopes - np.einsum("w,wxd->xd", q, problem.slopes)
        moves = centred[np.argmax((centred**2).sum(axis=(1, 2)))] + 1e-3 * moves
    size = 10 ** generator.uniform(-5, -3) / math.sqrt(problem.records)
    moves *= size / max(float(np.sqrt((moves**2).sum())), 1e-9)
    places = generator.permutation(np.arange(shape[0], dtype=float))[:, None] + generator.random(shape) / 4
    return MovedPoints(problem, places, moves)


def after(found: MovedPoints) -> gibbs.Posterior:
    """The posterior of the moved records."""
    problem = found.problem
    moved = problem.matrix + np.einsum("wxd,xd->wx", problem.slopes, found.moves)
    return gibbs.from_mean_risks(moved.mean(axis=1), problem.beta, records=problem.records)


def simpler(found: MovedPoints) -> Iterator[MovedPoints]:
    """The same moves in a simpler problem."""
    for other in tangent.simpler(found.problem):
        if other.slopes.shape[1:] == found.problem.slopes.shape[1:]:
            yield MovedPoints(other, found.places, found.moves)


def plain_size(found: MovedPoints) -> float:
    """W₂ where every record is matched with itself: no better than any other match while moves are this small."""
    squares = [sum(value**2 for value in row) for row in found.moves.tolist()]
    return math.sqrt(math.fsum(squares) / len(squares))


def plain_logs(found: MovedPoints) -> tuple[list[float], list[float]]:
    """Logarithms of q before and after, in plain sums."""
    problem = found.problem
    return _logs(problem, [[0.0] * len(row) for row in found.moves.tolist()]), _logs(problem, found.moves.tolist())


def plain_slack(found: MovedPoints) -> float:
    """1 + o(1)."""
    norms = [
        math.sqrt(math.fsum(value**2 for row in risk for value in row) / len(risk))
        for risk in found.problem.slopes.tolist()
    ]
    return 1 + 2 * (1 + 4 * found.problem.beta * max(norms)) * plain_size(found)


def _logs(problem: tangent.Case, moves: list[list[float]]) -> list[float]:
    logits = []
    for risks, slopes in zip(problem.matrix.tolist(), problem.slopes.tolist(), strict=True):
        terms = [
            risk + math.fsum(a * b for a, b in zip(slope, move, strict=True))
            for risk, slope, move in zip(risks, slopes, moves, strict=True)
        ]
        logits.append(-problem.beta * math.fsum(terms) / len(terms))
    top = max(logits)
    total = math.log(math.fsum(math.exp(value - top) for value in logits))
    return [value - top - total for value in logits]
