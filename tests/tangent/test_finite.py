"""Finite W: posterior, differentials, exact log-ratios and operator norms, against loops and finite differences."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import logsumexp

from wassdp import noise
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.tangent import bounds, gibbs, log_ratios, radii
from wassdp.tangent.losses import named
from wassdp.tangent.risks import MarginRisks, MatrixRisks


def problem(seed=0, hypotheses=6, records=9, dimension=2):
    generator = np.random.default_rng(seed)
    return MatrixRisks(
        generator.random((hypotheses, records)),
        slopes=generator.normal(size=(hypotheses, records, dimension)),
    )


def log_gibbs(matrix, weights, beta):
    logits = -beta * matrix @ weights
    return logits - logsumexp(logits)


BETAS = (0.3, 5.0, 200.0, 1e6)


@pytest.mark.parametrize("beta", BETAS)
def test_the_posterior_minimises_the_regularised_risk(beta):
    risks = problem()
    found = gibbs.posterior(risks, beta)
    np.testing.assert_allclose(
        found.log_probabilities, log_gibbs(risks.matrix, np.full(9, 1 / 9), beta), rtol=1e-9, atol=1e-9
    )

    def objective(log_q):
        return np.exp(log_q) @ (found.mean_risks + log_q / beta)

    generator = np.random.default_rng(1)
    least = objective(found.log_probabilities)
    for _ in range(50):
        other = found.log_probabilities + 0.1 * generator.normal(size=6)
        assert objective(other - logsumexp(other)) >= least - 1e-12


def test_a_base_measure_enters_as_a_factor():
    risks, base = problem(), np.log(np.arange(1.0, 7.0))
    plain, based = gibbs.posterior(risks, 3.0), gibbs.posterior(risks, 3.0, log_base=base)
    expected = plain.probabilities * np.exp(base)
    np.testing.assert_allclose(based.probabilities, expected / expected.sum())
    with pytest.raises(ValueError, match="log_base: must be finite"):
        gibbs.posterior(risks, 3.0, log_base=np.full(6, -np.inf))


@pytest.mark.parametrize("beta", [0.0, -1.0, math.nan, math.inf])
def test_a_bad_temperature_is_refused(beta):
    with pytest.raises(ValueError, match="inverse_temperature = "):
        gibbs.posterior(problem(), beta)


def test_draws_have_the_posterior_frequencies():
    """20000 draws, each share within five standard deviations: fails by chance with probability below 1e-5."""
    found, generator = gibbs.posterior(problem(), 5.0), noise.seeded(0)
    drawn = [noise.categorical(found.log_probabilities, generator=generator) for _ in range(20_000)]
    shares = np.bincount(drawn, minlength=6) / 20_000
    q = found.probabilities
    assert (np.abs(shares - q) < 5 * np.sqrt(q * (1 - q) / 20_000)).all()


def test_differentials_are_finite_differences_of_the_posterior():
    risks, beta, step = problem(), 4.0, 1e-6
    found, p = gibbs.posterior(risks, beta), np.full(9, 1 / 9)
    generator = np.random.default_rng(2)
    for _ in range(5):
        direction = generator.normal(size=9)
        direction -= direction.mean()
        above, below = (log_gibbs(risks.matrix, p + sign * step * direction, beta) for sign in (1, -1))
        expected = gibbs.log_differential(found, risks.matrix) @ direction
        np.testing.assert_allclose((above - below) / (2 * step), expected, atol=1e-7)
        expected = gibbs.differential(found, risks.matrix) @ direction
        np.testing.assert_allclose((np.exp(above) - np.exp(below)) / (2 * step), expected, atol=1e-7)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("workers", [1, 2])
def test_deletions_are_those_of_posteriors_computed_anew(beta, workers):
    risks = problem()
    found = gibbs.posterior(risks, beta)
    naive, distances = [], []
    for x in range(9):
        left = np.delete(risks.matrix, x, axis=1)
        other = log_gibbs(left, np.full(8, 1 / 8), beta)
        naive.append(np.abs(other - found.log_probabilities).max())
        distances.append(np.abs(np.exp(other) - found.probabilities).sum())
    np.testing.assert_allclose(log_ratios.deletions(found, risks, workers=workers), naive, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(log_ratios.deletion_distances(found, risks), distances, rtol=1e-6, atol=1e-9)
    worst = log_ratios.worst_deletion(found, risks, workers=workers)
    assert worst.log_ratio == pytest.approx(max(naive), rel=1e-7)
    assert worst.record == int(np.argmax(naive))
    other = log_gibbs(np.delete(risks.matrix, worst.record, axis=1), np.full(8, 1 / 8), beta)
    at = abs(other[worst.hypothesis] - found.log_probabilities[worst.hypothesis])
    assert at == pytest.approx(worst.log_ratio, rel=1e-7)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_worst_replacement_is_that_of_all_pairs(beta, seed):
    risks = problem(seed, hypotheses=5, records=12)
    found = gibbs.posterior(risks, beta)
    naive = {}
    for old, new in itertools.permutations(range(12), 2):
        replaced = risks.matrix.copy()
        replaced[:, old] = risks.matrix[:, new]
        naive[old, new] = np.abs(log_gibbs(replaced, np.full(12, 1 / 12), beta) - found.log_probabilities).max()
    worst = log_ratios.worst_replacement(found, risks)
    assert worst.log_ratio == pytest.approx(max(naive.values()), rel=1e-7)
    assert naive[worst.record, worst.replacement] == pytest.approx(worst.log_ratio, rel=1e-7)


def margin_problem(seed=0, hypotheses=40, records=30, loss="savage", spread=2.0):
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(records, 2))
    features /= 2 * np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.where(features[:, 0] + 0.1 * generator.normal(size=records) > 0, 1.0, -1.0)
    return MarginRisks(spread * generator.normal(size=(hypotheses, 2)), features, labels, named(loss))


def test_the_worst_move_is_that_of_posteriors_computed_anew():
    risks, beta = margin_problem(), 50.0
    found = gibbs.posterior(risks, beta)
    moves = 0.1 * np.random.default_rng(1).normal(size=(30, 2))
    worst = log_ratios.worst_move(found, risks, risks.moved(moves))
    naive = []
    for x in range(30):
        only = np.zeros((30, 2))
        only[x] = moves[x]
        other = gibbs.posterior(risks.moved(only), beta)
        naive.append(np.abs(other.log_probabilities - found.log_probabilities).max())
    assert worst.log_ratio == pytest.approx(max(naive), rel=1e-8)
    assert worst.record == int(np.argmax(naive))


@pytest.mark.parametrize("beta", [1.0, 100.0, 1e5])
@pytest.mark.parametrize("loss", ["savage", "tangent", "zero_one", "logistic", "squared"])
def test_no_deletion_and_no_replacement_exceeds_the_exponential_mechanism(beta, loss):
    risks = margin_problem(loss=loss)
    found = gibbs.posterior(risks, beta)
    epsilon = Gibbs(inverse_temperature=beta, risk_range=risks.range, records=30).pure_epsilon
    assert log_ratios.worst_deletion(found, risks).log_ratio <= epsilon
    assert log_ratios.worst_replacement(found, risks).log_ratio <= epsilon


def test_cold_posteriors_leave_out_nothing_that_counts():
    """The sum over a few hypotheses is the sum over all, at β = 1e6."""
    generator = np.random.default_rng(5)
    log_q = np.sort(-np.abs(generator.normal(size=2000)) * 1e4)[::-1]
    log_q = log_q - logsumexp(log_q)
    changes = generator.normal(size=(20, 2000)) * 3
    np.testing.assert_allclose(
        log_ratios.log_normalisers(log_q, changes), logsumexp(changes + log_q, axis=1), rtol=1e-13, atol=1e-13
    )


def test_changes_need_the_same_problem_and_two_records():
    found = gibbs.posterior(problem(), 1.0)
    with pytest.raises(ValueError, match="has 6 hypotheses and 5 records; the posterior is of 6 and 9"):
        log_ratios.worst_deletion(found, problem(records=5))
    single = problem(records=1)
    with pytest.raises(ValueError, match="has one record"):
        log_ratios.worst_deletion(gibbs.posterior(single, 1.0), single)


def test_norms_from_total_variation_are_reached_by_pairs_of_records():
    """Extreme points of the measures of mass 0 and norm 1 are (δ_x - δ_x')/2."""
    risks = problem(3)
    found = gibbs.posterior(risks, 7.0)
    to_log, to_l1 = gibbs.log_differential(found, risks.matrix), gibbs.differential(found, risks.matrix)
    pairs = list(itertools.permutations(range(9), 2))
    assert radii.norm_l1_to_log(found, risks) == pytest.approx(
        max(np.abs(to_log[:, a] - to_log[:, b]).max() / 2 for a, b in pairs)
    )
    assert radii.norm_l1_to_l1(found, risks) == pytest.approx(
        max(np.abs(to_l1[:, a] - to_l1[:, b]).sum() / 2 for a, b in pairs)
    )
    generator = np.random.default_rng(0)
    for _ in range(100):
        change = generator.normal(size=9)
        change -= change.mean()
        change /= np.abs(change).sum()
        assert np.abs(to_log @ change).max() <= radii.norm_l1_to_log(found, risks) + 1e-12
        assert np.abs(to_l1 @ change).sum() <= radii.norm_l1_to_l1(found, risks) + 1e-12


def test_norms_from_wasserstein_are_reached_and_never_exceeded():
    risks = problem(4)
    found = gibbs.posterior(risks, 7.0)
    q, beta = found.probabilities, 7.0
    centred = risks.slopes - np.einsum("w,wxd->xd", q, risks.slopes)
    norms, l1 = radii.smooth(found, risks), radii.norm_wasserstein_to_l1(found, risks)
    log = radii.norm_wasserstein_to_log(found, norms)
    assert l1.lower == l1.upper

    def effects(velocity):
        change = -beta * np.einsum("wxd,xd->w", centred, velocity) / 9
        return np.abs(change).max(), np.abs(q * change).sum()

    generator = np.random.default_rng(0)
    for _ in range(200):
        velocity = generator.normal(size=(9, 2))
        velocity /= math.sqrt((velocity**2).sum(axis=1).mean())
        assert effects(velocity)[0] <= log + 1e-12
        assert effects(velocity)[1] <= l1.upper + 1e-12
    worst = centred[int(np.argmax(norms.centred_norms))]
    assert effects(worst / norms.centred_norms.max())[0] == pytest.approx(log)
    best = max(
        effects(v / math.sqrt((v**2).sum(axis=1).mean()))[1]
        for signs in itertools.product((-1, 1), repeat=6)
        for v in [np.einsum("w,wxd->xd", np.array(signs) * q, centred)]
    )
    assert best == pytest.approx(l1.upper)


def test_the_bracket_of_many_hypotheses_holds_the_exact_norm():
    for seed in range(5):
        few = margin_problem(seed, hypotheses=14)
        found = gibbs.posterior(few, 20.0)
        exact = radii.norm_wasserstein_to_l1(found, few)
        many = MarginRisks(np.repeat(few.weights, 2, axis=0), few.features, few.labels, few.loss)
        bracket = radii.norm_wasserstein_to_l1(gibbs.posterior(many, 20.0), many)
        assert bracket.lower <= exact.lower * (1 + 1e-9)
        assert exact.upper <= bracket.upper * (1 + 1e-9)
        assert bracket.lower >= 0.95 * exact.lower


def test_the_tangent_is_the_limit_of_small_changes():
    """Deleting a record: the exact log-ratio over β goes to the tangent's as β/N goes to 0; so does a small move."""
    risks = margin_problem(2)
    found = gibbs.posterior(risks, 1e-3)
    slopes = np.abs(gibbs.log_differential(found, risks.block(0, 30).T) @ (1 / 30 - np.eye(30))) / 29
    assert log_ratios.worst_deletion(found, risks).log_ratio == pytest.approx(slopes.max(), rel=1e-3)
    warm = gibbs.posterior(risks, 5.0)
    norms = radii.smooth(warm, risks)
    moves = 1e-4 * norms.directions / norms.steepest[:, None]
    expected = 1e-4 * 5.0 / 30 * norms.steepest.max()
    assert log_ratios.worst_move(warm, risks, risks.moved(moves)).log_ratio == pytest.approx(expected, rel=1e-3)


def test_theorem_3_3_fails_for_a_real_change_of_real_data():
    """W = {-1, 1}, x = ±½, r = (1 + w x)/2: by symmetry R = 0, so the bound is 0; yet moving both records moves q."""
    even = MatrixRisks(np.array([[0.75, 0.25], [0.25, 0.75]]), slopes=np.array([[[0.5], [0.5]], [[-0.5], [-0.5]]]))
    calm = gibbs.posterior(even, 10.0)
    assert radii.radius_wasserstein_averaged(calm, even) == 0
    moved = gibbs.posterior(MatrixRisks(even.matrix + 0.5 * 0.01 * np.array([[1.0], [-1.0]])), 10.0)
    change = np.abs(moved.probabilities - calm.probabilities).sum()
    assert change == pytest.approx(10.0 * 0.5 * 0.01, rel=1e-2)  # the bound of Theorem 3.3 is 0
    exact = radii.norm_wasserstein_to_l1(calm, even)
    assert exact.lower == pytest.approx(10.0 * 0.5)
    assert (radii.smooth(calm, even).risk_norms == 0.5).all()


def test_composition_adds_and_processing_contracts():
    first, second = problem(6), problem(7)
    one, two = gibbs.posterior(first, 3.0), gibbs.posterior(second, 2.0)
    joint = (gibbs.log_differential(one, first.matrix)[:, None] + gibbs.log_differential(two, second.matrix)).reshape(
        36, 9
    )
    norms = [radii.norm_l1_to_log(found, risks) for found, risks in ((one, first), (two, second))]
    statements = [bounds.TangentBound(norm, "total variation", "log") for norm in norms]
    both = statements[0].with_other(statements[1])
    pairs = itertools.permutations(range(9), 2)
    assert max(np.abs(joint[:, a] - joint[:, b]).max() / 2 for a, b in pairs) <= both.constant + 1e-12
    kernel = np.random.default_rng(0).dirichlet(np.ones(4), size=6).T
    before = gibbs.differential(one, first.matrix)
    after = bounds.processed(kernel, before)
    assert (np.abs(after).sum(axis=0) <= np.abs(before).sum(axis=0) + 1e-12).all()
    with pytest.raises(ValueError, match="every column must be a distribution"):
        bounds.processed(2 * kernel, before)


def test_bounds_are_statements_about_their_norms():
    bound = bounds.gibbs_bound(0.5, 10.0, data="total variation", output="log")
    assert bound.constant == 10.0
    assert bound.at(bounds.deletion_distance(100)) == pytest.approx(0.2)
    assert bounds.move_distance(0.3, 9) == pytest.approx(0.1)
    with pytest.raises(ValueError, match="must be for total variation and log too"):
        bound.with_other(bounds.TangentBound(1.0, "wasserstein", "log"))
    with pytest.raises(ValueError, match="inverse_temperature = 0"):
        bounds.gibbs_bound(0.5, 0, data="total variation", output="log")
