"""A draw from a Gibbs distribution: the exponential mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.accounting.events.gibbs import Gibbs
from wassdp.audit.pair import Pair
from wassdp.noise import Bits, categoricals
from wassdp.tangent import gibbs
from wassdp.tangent.risks import MatrixRisks

RECORDS, SYMBOLS, RARE = 10, 10, 0.005


@dataclass(frozen=True, kw_only=True)
class GibbsDraw(Pair):
    """Two hypotheses, one of them rare: a record that has all risk there is replaced by one that has it at the other.

    The rarer the hypothesis, the closer the ratio of its probabilities comes to the budget; this one is drawn with
    probability 0.005 without the record. A trial is a symbol of a word: hypotheses are words of ten, risks the sums of
    their symbols', so that the draw of a word is ten independent draws.
    """

    attacks = gibbs.Posterior
    attacked = "tangent.gibbs.posterior and noise.categoricals"
    neighbours = "a record whose whole risk lies at the common hypothesis, or at the rare one"
    noise_unit = "temperature"

    def event(self) -> Gibbs:
        return Gibbs(inverse_temperature=1 / self.noise, risk_range=1.0, records=RECORDS)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        words = (np.arange(1 << SYMBOLS)[:, None] >> np.arange(SYMBOLS)) & 1
        logs = {world: self._posterior(words, world).log_probabilities for world in (True, False)}
        draws = categoricals(logs[present], -(-trials // SYMBOLS), generator=generator)
        symbols = words[draws].reshape(-1)[:trials]
        # All symbols are alike: the word of ones against the word of zeros is ten times one symbol's odds.
        rare = [1 / (1 + math.exp((logs[world][0] - logs[world][-1]) / SYMBOLS)) for world in (True, False)]
        ratios = np.array([math.log1p(-rare[0]) - math.log1p(-rare[1]), math.log(rare[0] / rare[1])])
        return np.asarray(ratios[symbols])

    def _posterior(self, words: np.ndarray, present: bool) -> gibbs.Posterior:
        ones = words.sum(axis=1).astype(float)
        risks = np.zeros((len(words), RECORDS))
        risks[:, 0] = SYMBOLS - ones if present else ones
        # The base measure makes ones rare, whatever the temperature.
        odds = math.log(RARE / (1 - RARE)) + 1 / (self.noise * RECORDS)
        return gibbs.posterior(MatrixRisks(risks, most=SYMBOLS), 1 / self.noise, log_base=odds * ones)
