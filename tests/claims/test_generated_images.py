"""Claims about generated images: settings are compared by their means over seeds, however many there are."""

from wassdp.claims.generated_images import beside_merf, beside_no_noise, proven_or_published


def run(label: str, distance: float, *, method: str = "", privacy: str = "ε = 10") -> dict[str, str]:
    return {
        "name": label,
        "label": label,
        "method": method,
        "privacy": privacy,
        "steps": "100",
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


def test_every_run_is_beside_the_mean_of_its_reading_without_noise():
    plain = [run("SWD, a", value, method="SWD, a", privacy="no privacy") for value in (2, 6)]
    noisy = [run("DP-SWD, a, σ = 1", value, method="DP-SWD, a", privacy="σ = 1") for value in (3, 5)]
    merf = [run("DP-MERF, ε = 10", 7, method="DP-MERF"), run("MERF", 8, method="MERF", privacy="no privacy")]
    tenth = rows(readings=(*plain, *noisy, *merf))
    compare = beside_no_noise("mnist", "frechet_scattering", "at most", share=0.5)
    assert [(entry.printed, entry.found) for entry in compare(tenth)] == [(2, 3), (2, 5)]
    # A run of all steps is beside a tenth of them as long as its reading was not run without noise for as many.
    _, (_, whole), _ = proven_or_published("mnist")
    assert [entry.printed for entry in compare(tenth | {whole: noisy[:1]})] == [2, 2, 2]
    free = run("SWD, a", 10, method="SWD, a", privacy="no privacy")
    assert [entry.printed for entry in compare(tenth | {whole: [*noisy[:1], free]})] == [5, 2, 2]
