"""Items of *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021)."""

from __future__ import annotations

from wassdp.claims.item import Item

TITLE = "Differentially Private Sliced Wasserstein Distance"
SECTIONS = (
    "1 Introduction",
    "2 Problem Statement and Background",
    "2.1 Privacy, Gaussian Mechanism and Random Direction Projections",
    "2.2 Differential Privacy (DP)",
    "2.3 Sliced Wasserstein Distance",
    "3 Private and Smoothed Sliced Wasserstein Distance",
    "3.1 Sensitivity of Random Direction Projections",
    "3.2 Metric Properties of DP-SWD",
    "4 DP-Distribution Matching Problems",
    "5 Related Works",
    "5.1 DP Generative Models",
    "5.2 Differential Privacy with Random Projections",
    "6 Numerical Experiments",
    "6.1 Toy Experiment",
    "6.2 Domain Adaptation",
    "6.3 Generative Models",
    "7 Conclusion",
    "8 Appendix",
    "8.1 Lemma 1 and its proof",
    "8.2 Lemma 2 and its proof",
    "8.3 Proof of the Central Limit Theorem based bound",
    "8.4 Proof of Property 2",
    "8.5 Experimental set-up",
)

_TAILS = "wassdp.accounting.formulas.sliced_tails"
_NORM = "wassdp.accounting.formulas.projected_norm:law"
_BERNSTEIN = "wassdp.accounting.accountants.published.swd_bernstein:SWDBernsteinAccountant"
_CLT = "wassdp.accounting.accountants.published.swd_clt:SWDCLTAccountant"
_EVENT = "wassdp.accounting.events.sliced_projections:SlicedProjections"
_SMOOTHED = "wassdp.distances.smoothed:population"
_QUOTED = "another paper's definition or remark, quoted"
_DIGITS = ("adaptation-mnist-usps", "adaptation-usps-mnist")
_BUDGETS = ("adaptation-budget-usps-mnist", "adaptation-budget-mnist-usps")
_READINGS = ("generation-readings-mnist", "generation-readings-fashion-mnist")
_TENTH = ("generation-readings-tenth-mnist", "generation-readings-tenth-fashion-mnist")

ITEMS = (
    Item(
        name="Definition 1",
        kind="definition",
        title="neighbours: replace one",
        code=("wassdp.accounting.guarantee:Guarantee",),
        missing=_QUOTED,
    ),
    Item(
        name="Definition 2",
        kind="definition",
        title="(ε, δ)-DP",
        code=("wassdp.accounting.guarantee:Guarantee",),
        missing=_QUOTED,
    ),
    Item(name="Remark 1", kind="remark", title="distributions of outputs", missing=_QUOTED),
    Item(
        name="Definition 3",
        kind="definition",
        title="Rényi DP",
        code=("wassdp.accounting.accountants.upper.rdp:RDPAccountant",),
        missing=_QUOTED,
    ),
    Item(
        name="Proposition 1",
        kind="proposition",
        title="RDP to DP",
        code=("wassdp.accounting.accountants.published.renyi:RenyiAccountant",),
    ),
    Item(
        name="Remark 2",
        kind="remark",
        title="the Gaussian mechanism",
        code=("wassdp.accounting.events.gaussian:Gaussian",),
    ),
    Item(
        name="Algorithm 1",
        kind="algorithm",
        title="private and smoothed sliced distance",
        code=("wassdp.mechanisms.dpswd:DPSWD",),
        experiments=("toy-gaussians",),
    ),
    Item(
        name="Lemma 1",
        kind="lemma",
        title="a projected coordinate is Beta",
        code=(_NORM,),
        experiments=("projected-coordinate",),
    ),
    Item(
        name="Lemma 2",
        kind="lemma",
        title="sensitivity by Bernstein's inequality",
        code=(f"{_TAILS}:bernstein",),
        experiments=("projected-sensitivity",),
    ),
    Item(
        name="CLT bound",
        kind="equation",
        title="sensitivity by the central limit theorem",
        code=(f"{_TAILS}:central_limit",),
        experiments=("projected-sensitivity",),
    ),
    Item(
        name="Proposition 2",
        kind="proposition",
        title="Rényi budget of the release",
        code=(_BERNSTEIN, _CLT, _EVENT),
        experiments=("printed-noise", "printed-noise-orthogonal"),
    ),
    Item(name="Section 3.1, post-processing", kind="sentence", title="the distance is post-processing"),
    Item(
        name="Section 3.1, subsampling",
        kind="sentence",
        title="what clipped gradients gain from subsampling",
        code=("wassdp.accounting.events.sampled_without_replacement:SampledWithoutReplacement",),
    ),
    Item(name="Property 1", kind="property", title="identity", code=(_SMOOTHED,), experiments=("toy-gaussians",)),
    Item(
        name="Property 2",
        kind="property",
        title="symmetry and triangle inequality",
        code=(_SMOOTHED,),
        experiments=("toy-gaussians",),
    ),
    Item(
        name="Algorithm 2",
        kind="algorithm",
        title="domain adaptation",
        code=(
            "wassdp.adaptation.methods.published_dp_swd:PublishedDPSWDMethod",
            "wassdp.adaptation.methods.dp_swd:DPSWDMethod",
        ),
        experiments=_DIGITS,
    ),
    Item(
        name="Figure 1",
        kind="figure",
        title="density of the squared sensitivity",
        code=("wassdp.experiments.sliced_sensitivity:run",),
        experiments=("projected-sensitivity",),
    ),
    Item(
        name="Figure 2",
        kind="figure",
        title="distance of two Gaussians",
        code=("wassdp.experiments.smoothed_distance:run",),
        experiments=("toy-gaussians",),
    ),
    Item(
        name="Section 5.1",
        kind="sentence",
        title="sensitivity and number of samples",
        code=("wassdp.mechanisms.dpswd:DPSWD",),
    ),
    Item(
        name="Figure 3",
        kind="figure",
        title="target accuracy over ε",
        code=("wassdp.experiments.adaptation:run",),
        experiments=_BUDGETS,
        missing="VisDA and Office-31: no data here",
    ),
    Item(
        name="Table 1",
        kind="table",
        title="target accuracies",
        code=("wassdp.experiments.adaptation:run", "wassdp.claims.printed.dp_sliced_wasserstein_table_1"),
        experiments=(*_DIGITS, "adaptation-office-caltech10", "adaptation-office-caltech10-surf"),
        missing="VisDA and Office-31: no data here; Office-Caltech10 in place of the latter",
    ),
    Item(
        name="Table 2",
        kind="table",
        title="accuracies of classifiers trained on generated digits",
        code=("wassdp.experiments.generation:run", "wassdp.claims.printed.dp_sliced_wasserstein_table_2"),
        experiments=(*_READINGS, *_TENTH, "generation-exact-mnist", "generation-exact-fashion-mnist"),
        missing="GS-WGAN and DP-CGAN are not trained here",
    ),
    Item(
        name="Figure 4",
        kind="figure",
        title="generated digits",
        code=("wassdp.experiments.generation:run",),
        experiments=(_READINGS[0], _TENTH[0]),
    ),
    Item(
        name="Figure 5",
        kind="figure",
        title="generated clothes",
        code=("wassdp.experiments.generation:run",),
        experiments=(_READINGS[1], _TENTH[1]),
    ),
    Item(
        name="Figure 6",
        kind="figure",
        title="generated faces, FID",
        code=("wassdp.claims.printed.dp_sliced_wasserstein_figure_6",),
        missing="CelebA: no data here; the printed FIDs contradict each other",
    ),
    Item(name="Remark 3", kind="remark", title="moments of the Beta distribution", code=(_NORM,)),
    Item(name="Remark 4", kind="remark", title="vectors that are not of unit length", code=(_NORM,)),
    Item(
        name="Figure 7",
        kind="figure",
        title="histogram of a projected coordinate",
        code=("wassdp.experiments.sliced_sensitivity:run",),
        experiments=("projected-coordinate",),
    ),
    Item(
        name="Table 3",
        kind="table",
        title="generator for digits",
        code=("wassdp.generation.generators:Upsampling",),
    ),
    Item(
        name="Table 4",
        kind="table",
        title="noise for ε = 10",
        code=("wassdp.experiments.sliced_noise:run", "wassdp.claims.printed.dp_sliced_wasserstein_table_4"),
        experiments=("printed-noise", "printed-noise-orthogonal"),
    ),
    Item(name="Table 5", kind="table", title="generator for faces", missing="CelebA: no data here"),
)
