"""Items of *Differentially Private Wasserstein Gradients*, appendix included."""

from __future__ import annotations

from wassdp.claims.item import Item

TITLE = "Differentially Private Wasserstein Gradients"
SECTIONS = (
    "1 Introduction",
    "1.1 Contributions",
    "1.2 Related Work",
    "2 Differential Privacy",
    "3 Wasserstein Gradients and Applications",
    "4 A Private Surrogate for Wasserstein Gradients",
    "5 A Framework for Deep Learning",
    "5.1 Inner-Clipping of the Gradients",
    "5.2 Amplification by Subsampling",
    "5.3 Privacy Accountanting",
    "6 Bias Mitigation with privacy guarantee",
    "7 Numerical Illustrations",
    "8 Conclusion",
    "A Proofs",
    "A.1 Proofs of Section 3",
    "A.2 Proofs of Section 4",
    "A.3 Extension to the sliced Wasserstein distance",
    "A.4 Other Proofs",
    "B Additional details on the fairness experiments",
    "B.1 Classification",
    "B.2 Regression",
    "B.3 Representation learning",
    "C Additional Experiments",
    "D Counterexample for general cost functions",
)

_CLIPPED = "wassdp.mechanisms.clipped_wasserstein:ClippedWassersteinGradient"
_OBJECTIVE = "wassdp.mechanisms.wasserstein_objective"
_STEP = "wassdp.accounting.events.wasserstein_gradient_step:WassersteinGradientStep"
_LEARNING = "wassdp.experiments.fair_learning:run"
_QUOTED = "another paper's definition, quoted"
_SEARCH = ("gradient-sensitivity", "gradient-sensitivity-unequal")


def _figures(numbers: tuple[int, ...], title: str, experiment: str) -> tuple[Item, ...]:
    return tuple(
        Item(name=f"Figure {number}", kind="figure", title=title, code=(_LEARNING,), experiments=(experiment,))
        for number in numbers
    )


ITEMS = (
    Item(
        name="Section 1.1",
        kind="sentence",
        title="how tight the analysis is",
        code=("wassdp.experiments.gradient_sensitivity:run",),
        experiments=_SEARCH,
    ),
    Item(
        name="Definition 2.1",
        kind="definition",
        title="neighbours: replace one inside its class",
        code=("wassdp.accounting.guarantee:Guarantee",),
        missing="no statement: a relation, which every budget names",
    ),
    Item(name="Definition 2.2", kind="definition", title="(ε, δ)-DP", missing=_QUOTED),
    Item(
        name="Lemma 2.3",
        kind="lemma",
        title="privacy of the Gaussian mechanism",
        code=("wassdp.accounting.events.gaussian:Gaussian",),
    ),
    Item(
        name="Proposition 3.1",
        kind="proposition",
        title="closed form of W₂² on the line",
        code=("wassdp.distances.one_d:wasserstein",),
    ),
    Item(
        name="Proposition 3.2",
        kind="proposition",
        title="its gradient",
        code=(_CLIPPED,),
    ),
    Item(
        name="Section 3, equal outputs",
        kind="sentence",
        title="gradients where the rank permutation is not unique",
        code=("wassdp.distances.sorting:sort",),
    ),
    Item(
        name="Theorem 4.1",
        kind="theorem",
        title="sensitivity of the gradient",
        code=(_CLIPPED, _STEP),
        experiments=_SEARCH,
    ),
    Item(name="Remark 4.2", kind="remark", title="extension to sliced distances", missing="is Theorem A.1"),
    Item(
        name="Remark 4.3",
        kind="remark",
        title="what DP-SWD does not cover",
        code=("wassdp.adaptation.methods.published_dp_swd:PublishedDPSWDMethod",),
        experiments=("adaptation-gradient-usps-mnist", "adaptation-gradient-mnist-usps"),
    ),
    Item(
        name="Lemma 5.1",
        kind="lemma",
        title="amplification by subsampling inside classes",
        code=("wassdp.accounting.events.sampled_without_replacement:SampledWithoutReplacement",),
    ),
    Item(
        name="Algorithm 1",
        kind="algorithm",
        title="noisy gradients of batches",
        code=(_CLIPPED, _STEP),
        experiments=("fair-classification",),
    ),
    Item(
        name="Remark 5.2",
        kind="remark",
        title="clipping a Jacobian by rows",
        code=(_CLIPPED,),
        missing="is Remark A.2",
    ),
    Item(
        name="Section 5.3",
        kind="sentence",
        title="accounting by the limit of Gaussian DP",
        code=(
            "wassdp.accounting.accountants.published.gdp_uniform:GDPUniformAccountant",
            "wassdp.accounting.accountants.published.gdp:GDPAccountant",
        ),
        experiments=("fair-classification",),
    ),
    Item(
        name="Theorem 6.1",
        kind="theorem",
        title="sensitivity of penalised losses",
        code=(f"{_OBJECTIVE}:statistical_parity", f"{_OBJECTIVE}:equality_of_odds"),
        experiments=("fair-classification", "fair-odds"),
    ),
    Item(
        name="Remark 6.2",
        kind="remark",
        title="class sizes are known",
        code=(_STEP,),
        missing="no statement that a computation could contradict",
    ),
    *_figures((1, 5, 6), "classification under statistical parity", "fair-classification"),
    *_figures((2, 7, 8), "classification under equality of odds", "fair-odds"),
    *_figures((3, 11, 12), "representations under statistical parity", "fair-representation"),
    *_figures((9, 10), "regression under statistical parity", "fair-regression"),
    Item(
        name="Figure 4",
        kind="figure",
        title="training losses",
        code=(_LEARNING,),
        experiments=("fair-classification", "fair-odds", "fair-representation"),
    ),
    Item(
        name="Section 7",
        kind="sentence",
        title="what penalty and privacy do to bias and loss",
        code=(_LEARNING,),
        experiments=("fair-classification", "fair-odds", "fair-adult-sex", "fair-german-credit"),
    ),
    Item(
        name="Theorem A.1",
        kind="theorem",
        title="sensitivity of the sliced gradient",
        code=(_CLIPPED, _STEP),
        experiments=(*_SEARCH, "output-gradient-sensitivity"),
    ),
    Item(name="Remark A.2", kind="remark", title="clipping a Jacobian's spectrum", code=(_CLIPPED,)),
    Item(
        name="Appendix B",
        kind="appendix",
        title="sizes of the classes of the synthetic data",
        code=("wassdp.data.sets.biased:sample",),
    ),
    Item(
        name="Appendix B.2",
        kind="appendix",
        title="law of the response given the attribute",
        code=("wassdp.data.sets.biased:sample",),
    ),
    Item(
        name="Figure 13",
        kind="figure",
        title="generation of a circle",
        code=("wassdp.experiments.circle_matching:run",),
        experiments=("circle",),
    ),
    Item(name="Appendix D", kind="appendix", title="the gradient of W_p jumps"),
)
