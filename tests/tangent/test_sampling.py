"""Continuous W: potentials, samplers, diagnostics and estimators, against closed forms, grids and known processes."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp

from wassdp.tangent import diagnostics, estimators, gibbs, langevin, radii
from wassdp.tangent.losses import LOSSES, named
from wassdp.tangent.potentials import LinearScores, NetworkScores, Potential
from wassdp.tangent.risks import MarginRisks


def potential(scores=None, loss="savage", beta=30.0, records=60, dimension=2, base_std=3.0, seed=0):
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(records, dimension))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.where(features[:, 0] + 0.3 * generator.normal(size=records) > 0, 1.0, -1.0)
    return Potential(scores or LinearScores(), features, labels, named(loss), beta, base_std)


FAMILIES = [LinearScores(), LinearScores(intercept=True), NetworkScores(hidden=4)]


@pytest.mark.parametrize("scores", FAMILIES)
@pytest.mark.parametrize("loss", [name for name, loss in LOSSES.items() if loss.slope is not None])
def test_gradients_are_finite_differences(scores, loss):
    found = potential(scores, loss, dimension=3)
    chains = np.random.default_rng(1).normal(size=(2, found.parameters))
    value, gradient = found.value_and_gradient(chains)
    np.testing.assert_allclose(value, found.value(chains))
    for place in range(found.parameters):
        step = 1e-6 * np.eye(found.parameters)[place]
        difference = (found.value(chains + step) - found.value(chains - step)) / 2e-6
        np.testing.assert_allclose(gradient[:, place], difference, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("scores", FAMILIES)
def test_gradients_in_the_record_are_finite_differences(scores):
    found = potential(scores, dimension=3)
    chains = np.random.default_rng(1).normal(size=(2, found.parameters))
    gradients = np.concatenate([part for _, part in found.risk_gradients(chains)], axis=1)
    for place in range(3):
        step = 1e-6 * np.eye(3)[place]
        above, below = (
            Potential(scores, found.features + sign * step, found.labels, found.loss, 30.0, 3.0, feature_norm=2.0)
            for sign in (1, -1)
        )
        difference = (above.risks(chains) - below.risks(chains)) / 2e-6
        np.testing.assert_allclose(gradients[:, :, place], difference, atol=1e-7)


def test_a_batch_of_all_records_is_the_whole_gradient_and_batches_are_unbiased():
    found = potential(NetworkScores(hidden=3))
    chains = np.random.default_rng(1).normal(size=(2, found.parameters))
    whole = found.value_and_gradient(chains)[1]
    np.testing.assert_allclose(found.value_and_gradient(chains, np.arange(60))[1], whole)
    parts = np.split(np.random.default_rng(2).permutation(60), 6)
    np.testing.assert_allclose(np.mean([found.value_and_gradient(chains, part)[1] for part in parts], axis=0), whole)


def on_grid(found, half=12.0, points=241):
    """The same posterior on a fine grid: what sampling must find."""
    line = np.linspace(-half, half, points)
    weights = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    risks = MarginRisks(weights, found.features, found.labels, found.loss)
    base = -(weights**2).sum(axis=1) / (2 * found.base_std**2)
    return risks, gibbs.posterior(risks, found.inverse_temperature, log_base=base)


@pytest.mark.parametrize(
    ("loss", "beta"), [("savage", 30.0), ("tangent", 10.0), ("logistic", 200.0), ("squared", 50.0)]
)
def test_mala_estimates_are_within_five_per_cent_of_the_exact_ones(loss, beta):
    """Errors here are about 1 %: each 5 % is at least four standard errors."""
    found = potential(loss=loss, beta=beta)
    generator = np.random.default_rng(0)
    start = langevin.starts(found, 4, generator)
    sample = langevin.mala(found, start, warm_up=1000, draws=4000, generator=generator)
    risks, exact = on_grid(found)
    first, third = estimators.radius_total_variation(found, sample), estimators.radius_wasserstein(found, sample)
    truths = (radii.averaged_risks(exact, risks).max(), radii.radius_wasserstein_averaged(exact, risks))
    for estimate, truth in zip((first, third), truths, strict=True):
        assert estimate.value == pytest.approx(truth, rel=0.05)
        assert abs(estimate.value - truth) < 5 * estimate.error
        assert estimate.error < 0.02 * truth
        assert estimate.converged
        assert estimate.effective > 400
    assert (sample.acceptance > 0.4).all()
    assert (sample.acceptance < 0.75).all()


def test_mala_with_a_jumping_loss_is_exact_too():
    found = potential(loss="zero_one", beta=20.0)
    generator = np.random.default_rng(0)
    sample = langevin.mala(found, langevin.starts(found, 4, generator), warm_up=1000, draws=8000, generator=generator)
    risks, exact = on_grid(found)
    estimate = estimators.radius_total_variation(found, sample)
    assert estimate.value == pytest.approx(radii.averaged_risks(exact, risks).max(), rel=0.05)
    with pytest.raises(ValueError, match="loss: has jumps"):
        estimators.radius_wasserstein(found, sample)


def test_the_norm_of_averaged_gradients_is_not_inflated_by_noise():
    """Independent draws, few beside the dimension: the root of one squared average would be 10 to 20 % too large here.

    Twenty estimates of relative deviation about 6 %: their mean is within 5 % but for one time in a thousand.
    """
    found = potential(loss="logistic", beta=1e-9, records=50, dimension=20, base_std=3.0)
    generator = np.random.default_rng(0)

    def estimate(chains, draws):
        drawn = 3.0 * generator.normal(size=(chains, draws, 20))
        sample = langevin.Draws(drawn, 1.0, np.ones(chains))
        return estimators.radius_wasserstein(found, sample).value

    truth = estimate(10, 5_000)
    assert np.mean([estimate(4, 100) for _ in range(20)]) == pytest.approx(truth, rel=0.05)


def test_the_bias_of_sgld_shows_at_half_its_step():
    """Where chains agree and are wrong: R-hat says nothing, half the step does."""
    found = potential(loss="logistic", beta=200.0)
    risks, exact = on_grid(found)
    truth = radii.radius_wasserstein_averaged(exact, risks)
    estimates = {}
    for step, thin in ((0.6, 2), (0.3, 4), (0.02, 20)):
        generator = np.random.default_rng(0)
        start = langevin.starts(found, 8, generator)
        sample = langevin.sgld(
            found, start, step=step, batch=20, warm_up=500, draws=600, thin=thin, generator=generator
        )
        estimates[step] = estimators.radius_wasserstein(found, sample)
    assert estimates[0.6].converged
    assert estimates[0.6].value > 1.1 * truth
    assert estimators.step_bias(estimates[0.6], estimates[0.3]) > estimators.LARGEST_BIAS
    assert estimates[0.02].value == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("batch", [60, 20])
def test_sgld_is_within_five_per_cent_at_a_small_step(batch):
    found = potential(beta=30.0)
    generator = np.random.default_rng(0)
    start = langevin.starts(found, 8, generator)
    sample = langevin.sgld(found, start, step=0.3, batch=batch, warm_up=1000, draws=2500, thin=2, generator=generator)
    risks, exact = on_grid(found)
    estimate = estimators.radius_total_variation(found, sample)
    assert estimate.value == pytest.approx(radii.averaged_risks(exact, risks).max(), rel=0.05)


def test_noisy_gradient_descent_on_a_quadratic_has_its_closed_form():
    """Squared loss, whole batch: an AR(1) process. Its variance exceeds the Gibbs posterior's by a known factor."""
    beta, rate = 400.0, 0.2
    features, labels = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    found = Potential(LinearScores(), features, labels, named("squared"), beta, base_std=1e6)
    generator = np.random.default_rng(0)
    sample = langevin.sgld(
        found, np.ones((50, 1)), step=2 * rate / beta, batch=2, warm_up=200, draws=4000, precondition=False,
        generator=generator,
    )  # fmt: skip
    # Mean risk (1 - w)²: w ← w - η 2 (w - 1) + √(2η/β) ξ, stationary variance (2η/β) / (1 - (1 - 2η)²).
    expected = 2 * rate / beta / (1 - (1 - 2 * rate) ** 2)
    assert sample.draws.var() == pytest.approx(expected, rel=0.02)
    assert expected > 1 / (2 * beta)  # the posterior's own variance
    assert sample.draws.mean() == pytest.approx(1.0, abs=1e-3)


def test_a_short_warm_up_leaves_the_chains_moving():
    found, generator = potential(), np.random.default_rng(0)
    sample = langevin.mala(found, langevin.starts(found, 4, generator), warm_up=40, draws=200, generator=generator)
    assert (sample.draws.std(axis=1) > 0.1).all()


def test_chains_stuck_in_two_modes_are_told_apart():
    """One unit can be right about either end of the line, not about both: two modes, and no crossing at this β."""
    features = np.array([[1.0], [-1.0], [0.5], [-0.5]])
    labels = np.array([1.0, 1.0, -1.0, -1.0])
    found = Potential(NetworkScores(hidden=1), features, labels, named("savage"), 400.0, 10.0)
    generator = np.random.default_rng(0)
    start = langevin.starts(found, 4, generator)
    sample = langevin.mala(found, start, warm_up=400, draws=1000, generator=generator)
    estimate = estimators.radius_total_variation(found, sample)
    assert estimate.r_hat > 1.1
    assert not estimate.converged


def autoregressive(correlation, chains=4, draws=20_000, seed=0):
    generator = np.random.default_rng(seed)
    noise = generator.normal(size=(chains, draws))
    series = np.empty_like(noise)
    series[:, 0] = noise[:, 0]
    for turn in range(1, draws):
        series[:, turn] = correlation * series[:, turn - 1] + math.sqrt(1 - correlation**2) * noise[:, turn]
    return series


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5, 0.9])
def test_the_effective_sample_size_of_an_autoregression(correlation):
    """n (1 - ρ) / (1 + ρ), at most n log10 n; the estimator's own spread is about 5 % here."""
    found = diagnostics.effective_sample_size(autoregressive(correlation))
    expected = 80_000 * (1 - correlation) / (1 + correlation)
    assert found == pytest.approx(min(expected, 80_000 * math.log10(80_000)), rel=0.15)


def test_r_hat_of_good_and_of_bad_chains():
    """Good chains: below 1.01 with 4 x 1000 independent draws (Vehtari et al. 2021, section 4)."""
    good = autoregressive(0.0, draws=1000)
    assert 0.999 < diagnostics.r_hat(good) < 1.01
    assert diagnostics.r_hat(good + np.arange(4)[:, None]) > 1.3  # other places
    assert diagnostics.r_hat(good * np.array([1, 1, 1, 4])[:, None]) > 1.05  # other spreads: only folding sees it
    drifting = good + np.linspace(-2, 2, 1000)
    assert diagnostics.r_hat(drifting) > 1.3  # all alike, all moving: only splitting sees it
    heavy = np.random.default_rng(0).standard_cauchy(size=(4, 1000))
    assert diagnostics.r_hat(heavy) < 1.02  # no mean, but ranks have
    assert diagnostics.r_hat(np.tile(np.arange(4.0)[:, None], (1, 10))) == math.inf
    assert diagnostics.r_hat(np.ones((4, 10))) == 1.0


def test_r_hat_is_the_formula_read_literally():
    from scipy.stats import norm, rankdata

    series = np.random.default_rng(3).gamma(2.0, size=(3, 10)) + np.arange(3)[:, None]
    halves = [half for chain in series for half in (chain[:5], chain[5:])]

    def plain(values):
        ranks = rankdata(np.concatenate(values))
        scores = norm.ppf((ranks - 0.375) / (30 + 0.25)).reshape(6, 5)
        within = np.mean([np.sum((row - row.mean()) ** 2) / 4 for row in scores])
        between = 5 / 5 * np.sum((scores.mean(axis=1) - scores.mean()) ** 2)
        return math.sqrt((4 / 5 * within + between / 5) / within)

    middle = np.median(series)
    expected = max(plain(halves), plain([np.abs(half - middle) for half in halves]))
    assert diagnostics.r_hat(series) == pytest.approx(expected, rel=1e-12)


def test_standard_errors_cover():
    """A mean of 4 x 500 draws of an AR(1): its error estimate against the spread over 200 repetitions, within 15 %."""
    repeated = [autoregressive(0.6, draws=500, seed=seed) for seed in range(200)]
    spread = np.std([series.mean() for series in repeated])
    stated = np.mean(
        [series.std(ddof=1) / diagnostics.effective_sample_size(series) ** 0.5 for series in repeated[:50]]
    )
    assert stated == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize("series", [np.ones((2, 3)), np.full((2, 8), np.nan)])
def test_diagnostics_refuse_what_they_cannot_judge(series):
    for judge in (diagnostics.r_hat, diagnostics.effective_sample_size):
        with pytest.raises(ValueError, match="series: "):
            judge(series)


def test_bad_arguments_are_refused():
    found, generator = potential(), np.random.default_rng(0)
    start = np.zeros((2, 2))
    with pytest.raises(ValueError, match="warm_up = 3"):
        langevin.mala(found, start, warm_up=3, draws=10, generator=generator)
    with pytest.raises(ValueError, match="batch = 61: must be at most 60 records"):
        langevin.sgld(found, start, step=0.1, batch=61, warm_up=1, draws=10, generator=generator)
    with pytest.raises(ValueError, match="chains = 1"):
        langevin.starts(found, 1, generator)
    with pytest.raises(ValueError, match=r"step = 1000\.0: the chains diverge"):
        langevin.sgld(
            potential(loss="squared", beta=1e4), start, step=1e3, batch=60, warm_up=200, draws=10,
            precondition=False, generator=generator,
        )  # fmt: skip
    with pytest.raises(ValueError, match="base_std = 0"):
        potential(base_std=0)


def test_the_grid_of_the_tests_is_fine_enough():
    found = potential(loss="logistic", beta=200.0)
    coarse, fine = (on_grid(found, points=points)[1] for points in (121, 241))
    assert logsumexp(fine.log_probabilities) == pytest.approx(0, abs=1e-12)
    assert fine.probabilities @ fine.mean_risks == pytest.approx(coarse.probabilities @ coarse.mean_risks, rel=1e-4)
