"""Claims about generated images: settings are compared by their means over seeds, however many there are."""

import math

import pytest

from wassdp.claims.generated_images import beside_merf, beside_no_noise, proven_or_published


def run(
    label: str, distance: float, *, method: str = "", privacy: str = "ε = 10", seed: int = 0, steps: int = 100
) -> dict[str, str]:
    return {
        "name": label,
        "label": label,
        "method": method,
        "privacy": privacy,
        "seed": str(seed),
        "steps": str(steps),
        "frechet_scattering": str(distance),
    }


def rows(*runs: dict[str, str], readings: tuple[dict[str, str], ...] = ()) -> dict[str, list[dict[str, str]]]:
    (_, budgets), (_, whole), (_, tenth) = proven_or_published("mnist")
    return {budgets: list(runs), whole: [], tenth: list(readings)}


def test_settings_are_beside_dp_merf_by_their_means():
    others = [run("DP-MERF, ε = 1", 9), run("DP-SWD, cosines, ε = 1", 9), run("SWD, cosines, no privacy", 9)]
    merf = [run("DP-MERF, ε = 10", 2), run("DP-MERF, ε = 10", 4)]
    proven = [run("DP-SWD, cosines, ε = 10", 1), run("DP-SWD, cosines, ε = 10", 6)]
    published = run("DP-SWD, σ = 2.94", 5)
    found = beside_merf("mnist")(rows(*others, *merf, *proven, readings=(published,)))
    assert [(entry.printed, entry.found) for entry in found] == [(3, 3.5), (3, 5)]
    assert found[0].name == "DP-SWD, cosines, ε = 10, 100 steps: Fréchet distance against DP-MERF's"


def plain(value: float, *, seed: int = 0, steps: int = 100) -> dict[str, str]:
    return run("SWD, a", value, method="SWD, a", privacy="no privacy", seed=seed, steps=steps)


def noisy(value: float, *, seed: int = 0, steps: int = 100) -> dict[str, str]:
    return run("DP-SWD, a, σ = 1", value, method="DP-SWD, a", privacy="σ = 1", seed=seed, steps=steps)


COMPARE = beside_no_noise("mnist", "frechet_scattering", "at most", share=0.5)
MERF = (
    run("DP-MERF, ε = 10", 7, method="DP-MERF"),
    run("MERF", 8, method="MERF", privacy="no privacy"),
)


def test_every_setting_is_beside_its_reading_without_noise_both_by_their_means():
    tenth = rows(readings=(plain(2), plain(6, seed=1), noisy(3), noisy(5, seed=1), *MERF))
    (entry,) = COMPARE(tenth)
    assert (entry.printed, entry.found) == (2, 4)
    assert entry.name == "DP-SWD, a, σ = 1, 100 steps, 2 seeds: frechet_scattering against 0.5 of SWD's, 2 seeds"


def test_a_reading_that_was_not_run_for_as_many_steps_is_named_as_such():
    """A run of all steps is beside a tenth of them as long as its reading was not run without noise for as many."""
    tenth = rows(readings=(plain(2), plain(6, seed=1)))
    _, (_, whole), _ = proven_or_published("mnist")
    (entry,) = COMPARE(tenth | {whole: [noisy(3, steps=1000)]})
    assert entry.printed == 2
    assert entry.name.startswith("DP-SWD, a, σ = 1, 1,000 steps, 1 seed: ")
    assert entry.name.endswith(" against 0.5 of SWD's after 100 steps only, 2 seeds")
    (entry,) = COMPARE(tenth | {whole: [noisy(3, steps=1000), plain(10, steps=1000)]})
    assert entry.printed == 5
    assert entry.name.endswith(" against 0.5 of SWD's, 1 seed")


def test_what_the_seeds_alone_may_make_of_it_is_permitted_where_they_are_the_same():
    own = [noisy(3), noisy(5, seed=1)]
    (entry,) = COMPARE(rows(readings=(plain(2), plain(6, seed=1), *own)))
    assert entry.spread == 0  # half of what is without noise goes up from seed to seed as what has it does
    (entry,) = COMPARE(rows(readings=(plain(2), plain(8, seed=1), *own)))
    # Differences are 2 and 1; Student's quantile for one degree of freedom is that of a Cauchy law.
    assert entry.spread == pytest.approx(math.tan(0.475 * math.pi) * 0.5)
    assert entry.agrees()
    assert entry.unsure
    for readings in ((plain(2), plain(8, seed=2), *own), (plain(2), *own), (plain(2), noisy(3))):
        (entry,) = COMPARE(rows(readings=readings))
        assert entry.spread == 0
