"""What was found in the set *dp-wasserstein-gradients*: two forms of a limit, and a tighter sensitivity."""

from __future__ import annotations

from wassdp.claims.selected import Below, Finding, Picks

_of = Picks("dp-wasserstein-gradients")
PLAIN = "α = 0, statistical parity, ε = 10 by gdp, published bound"
"""Without the penalty the paper's sensitivity is the smallest there is."""
FAIR = "α = 0.75, statistical parity, ε = 10 by gdp, published bound"

FINDINGS = (
    Finding(
        text=(
            "The Gaussian limit for Poisson samples, Opacus's default, falls short: where it gives {{ claimed }} "
            "without the penalty, {{ attacked }} is measured by a family and {{ proven }} proven. The one for batches "
            "of a fixed size, which the section that the paper refers to has, is enough there: {{ uniform }}. Which "
            "one was run is not known. With the penalty, {{ own }} is proven under the paper's own sensitivity and "
            "{{ tight }}, for the same runs, under the smaller one, which is proven too."
        ),
        picks={
            "claimed": _of("fair-classification", PLAIN, "epsilon/published/gdp"),
            "attacked": _of("fair-classification", PLAIN, "epsilon/lower/noise_scale_family"),
            "proven": _of("fair-classification", PLAIN, "epsilon/upper/pld"),
            "uniform": _of("fair-classification", PLAIN, "epsilon/published/gdp_uniform"),
            "own": _of("fair-classification", FAIR, "epsilon/upper/pld_published_sensitivity"),
            "tight": _of("fair-classification", FAIR, "epsilon/upper/pld"),
        },
        says=(
            Below(low="claimed", high="attacked"),
            Below(low="attacked", high="proven"),
            Below(low="proven", high="uniform"),
            Below(low="tight", high="own"),
        ),
    ),
    Finding(
        text=(
            "Under this project's tighter sensitivity a proven {{ proven }} leaves {{ accuracy }} % and a "
            "disparate impact of {{ impact }}, against {{ published }} % and {{ published_impact }} at a "
            "Poisson limit of {{ one }} under the published one, of whose runs {{ own }} is proven."
        ),
        picks={
            "proven": _of("fair-classification-tight", "α = 0.75, statistical parity, ε = 1", "epsilon/upper/pld"),
            "accuracy": _of("fair-classification-tight", "α = 0.75, statistical parity, ε = 1", "accuracy"),
            "impact": _of("fair-classification-tight", "α = 0.75, statistical parity, ε = 1", "disparate_impact"),
            "published": _of(
                "fair-classification", "α = 0.75, statistical parity, ε = 1 by gdp, published bound", "accuracy"
            ),
            "published_impact": _of(
                "fair-classification", "α = 0.75, statistical parity, ε = 1 by gdp, published bound", "disparate_impact"
            ),
            "one": _of(
                "fair-classification",
                "α = 0.75, statistical parity, ε = 1 by gdp, published bound",
                "epsilon/published/gdp",
            ),
            "own": _of(
                "fair-classification",
                "α = 0.75, statistical parity, ε = 1 by gdp, published bound",
                "epsilon/upper/pld",
            ),
        },
    ),
    Finding(
        text=(
            "Adult, by sex: without the penalty {{ plain }} % and a disparate impact of {{ plain_impact }}; with "
            "it, at a proven {{ proven }}, {{ fair }} % and {{ fair_impact }}; without noise, {{ open }} % and {{ "
            "open_impact }}."
        ),
        picks={
            "plain": _of("fair-adult-sex", "α = 0, statistical parity, no noise", "accuracy"),
            "plain_impact": _of("fair-adult-sex", "α = 0, statistical parity, no noise", "disparate_impact"),
            "proven": _of("fair-adult-sex", "α = 0.75, statistical parity, ε = 3", "epsilon/upper/pld"),
            "fair": _of("fair-adult-sex", "α = 0.75, statistical parity, ε = 3", "accuracy"),
            "fair_impact": _of("fair-adult-sex", "α = 0.75, statistical parity, ε = 3", "disparate_impact"),
            "open": _of("fair-adult-sex", "α = 0.75, statistical parity, no noise", "accuracy"),
            "open_impact": _of("fair-adult-sex", "α = 0.75, statistical parity, no noise", "disparate_impact"),
        },
    ),
)
