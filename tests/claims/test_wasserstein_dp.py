"""Verdicts on Wasserstein differential privacy: which statements hold; the code beside each search is right."""

import numpy as np
import pytest

from wassdp import claims
from wassdp.accounting.formulas import sampled_wasserstein
from wassdp.claims import laws, laws_plain, masses, sampled_steps, translates
from wassdp.distances import kantorovich

NAMES = [
    name
    for name in claims.VERDICTS.names()
    if name.startswith("wasserstein-dp-") and isinstance(claims.claim(name), claims.Inequality)
]
REFUTED = {
    *("definition-5-as-printed", "proposition-6-adaptive"),
    *(f"proposition-{number}" for number in (7, 8, 9, 10, 11, 12)),
    *("theorem-1", "theorem-2", "theorem-2-bound", "theorem-2-infimum", "theorem-2-noise", "theorem-3", "corollary-1"),
    *("attack", "discussion-zcdp", "non-negative", "proposition-11-tails", "table-1-order"),
}


def test_every_numbered_statement_has_a_verdict():
    numbered = {
        *(f"definition-{number}" for number in range(2, 6)),
        *(f"proposition-{number}" for number in range(1, 14)),
        *("theorem-1", "theorem-2", "theorem-3", "lemma-1", "corollary-1"),
    }
    assert numbered <= {name.removeprefix("wasserstein-dp-") for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_another_seed_has_the_verdict_that_the_mathematics_gives(name):
    claim = claims.claim(name)
    verdict = claim.check(np.random.default_rng(7), max(claim.few // 3, 10))
    assert verdict.holds == (name.removeprefix("wasserstein-dp-") not in REFUTED), verdict.words


def test_all_that_is_refuted_of_the_propositions_is_repaired_beside_it():
    repaired = {claims.claim(name).repairs.removeprefix("wasserstein-dp-") for name in NAMES}
    assert {name.removesuffix("-tails") for name in REFUTED if name.startswith("proposition")} <= repaired


@pytest.mark.parametrize("seed", range(20))
def test_three_ways_to_a_distance_agree(seed):
    drawn = laws.draw(np.random.default_rng(seed), laws=2)
    first, second = drawn.points
    for order in (1.0, 2.0):
        by_assignment = laws.distance(first, second, order)
        plainly = laws_plain.best_assignment(first.tolist(), second.tolist(), order)
        assert by_assignment == pytest.approx(plainly, rel=1e-9, abs=1e-12)
        by_program = kantorovich.transport(first, second, order=order)
        assert by_assignment == pytest.approx(by_program, rel=1e-4, abs=1e-9)
    by_potential = laws_plain.by_potential(first.tolist(), second.tolist())
    assert by_potential == pytest.approx(laws.distance(first, second, 1.0), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_quantiles_and_the_program_agree_on_the_line(seed):
    drawn = masses.draw(np.random.default_rng(seed))
    assert masses.by_quantiles(drawn) == pytest.approx(drawn.distance(), rel=1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_cells_enclose_the_exact_distance_of_a_sampled_step(seed):
    step = sampled_steps.draw(np.random.default_rng(seed))
    assert sampled_steps.at_least(step) <= step.exact() * (1 + 1e-9)
    assert sampled_steps.at_most(step) >= step.exact() * (1 - 1e-9)
    assert float(sampled_steps.quadrature(step)) == pytest.approx(step.printed(), rel=1e-6)


def test_quadrature_of_a_moved_law_finds_its_move():
    for noise in ("laplace", "gaussian"):
        moved = translates.Translates(noise, 0.7, 1.3, 2.0)
        assert float(translates.moved_means(moved)) == pytest.approx(1.3, rel=1e-12)
    assert float(translates.divergence(moved)) == pytest.approx(1.3**2 / (2 * 0.7**2), rel=1e-12)


def test_figures_that_the_notes_of_the_paper_give():
    """q = .01: a distance of .973 where .173 is printed; and of .01 for every noise, where 1.12 and 5.61 are."""
    exact, printed = sampled_wasserstein.exact_loss, sampled_wasserstein.printed_loss
    assert exact(0.01, 10.0, 0.1, 2.0) == pytest.approx(0.973, abs=5e-4)
    assert printed(0.01, 10.0, 0.1, 2.0) == pytest.approx(0.173, abs=5e-4)
    for noise, stated in ((1.0, 1.12), (5.0, 5.61)):
        assert exact(0.01, 1.0, noise, 1.0) == pytest.approx(0.01, rel=1e-9)
        assert printed(0.01, 1.0, noise, 1.0) == pytest.approx(stated, abs=5e-3)
