"""Items of *Wasserstein Differential Privacy* (Yang, Qi and Zhou 2024), appendix included."""

from __future__ import annotations

from wassdp.claims.item import Item

TITLE = "Wasserstein Differential Privacy"
SECTIONS = (
    "Abstract",
    "Introduction",
    "Related Work",
    "Wasserstein Differential Privacy",
    "Properties of WDP",
    "Implementation in Deep Learning",
    "Advanced Composition",
    "Privacy Loss and Absolute Moment",
    "Wasserstein Accountant in Deep Learning",
    "Experiments",
    "Basic Mechanisms",
    "Composition",
    "Deep Learning",
    "Effect of β and δ",
    "Discussion",
    "Relations to Other DP Frameworks",
    "Advantages from Metric Property",
    "Limitations",
    "Additional Specifications",
    "Conclusion",
    "Appendix A Proof of Propositions and Theorems",
    "Appendix B Experiments",
    "Appendix C Several Basic Concepts in Differential Privacy",
)

_MECHANISMS = "wassdp.accounting.formulas.mechanisms"
_CONVERSIONS = "wassdp.accounting.formulas.wasserstein_conversions"
_BAYESIAN = "wassdp.accounting.accountants.published.bayesian:BayesianAccountant"
_ACCOUNTANT = "wassdp.accounting.accountants.published.wasserstein:WassersteinAccountant"
_TEXT = "wassdp.accounting.accountants.published.wasserstein_text:WassersteinTextAccountant"
_EXACT = f"{_MECHANISMS}:exact_wasserstein"
_ONE_D = "wassdp.distances.one_d:wasserstein"
_DUAL = ("wassdp.distances.kantorovich:transport", "wassdp.distances.kantorovich:potential")
_GENERAL = "wassdp.accounting.formulas.generalised_wasserstein"
_SAMPLED = "wassdp.accounting.formulas.sampled_wasserstein"
_BASIC, _STEPS = ("basic-mechanisms",), ("composition",)

ITEMS = (
    Item(
        name="Abstract",
        kind="sentence",
        title="budgets less influenced by the order",
        code=(f"{_MECHANISMS}:printed_wasserstein", f"{_MECHANISMS}:printed_renyi"),
        experiments=_BASIC,
    ),
    Item(
        name="Definition 1",
        kind="definition",
        title="Wasserstein distance",
        missing="a definition: its properties are Propositions 1 to 4",
        code=(_ONE_D,),
    ),
    Item(name="Definition 2", kind="definition", title="Kantorovich-Rubinstein distance", code=_DUAL),
    Item(name="Definition 3", kind="definition", title="(μ, ε)-WDP", code=(_EXACT,), experiments=_BASIC),
    Item(name="Definition 4", kind="definition", title="Kantorovich differential privacy", code=_DUAL),
    Item(name="Proposition 1", kind="proposition", title="symmetry", code=(_ONE_D,)),
    Item(name="Proposition 2", kind="proposition", title="triangle inequality", code=(_ONE_D,)),
    Item(name="Proposition 3", kind="proposition", title="non-negativity", code=(_ONE_D,)),
    Item(name="Proposition 4", kind="proposition", title="monotone in the order", code=(_ONE_D,)),
    Item(name="Proposition 5", kind="proposition", title="parallel composition"),
    Item(name="Proposition 6", kind="proposition", title="sequential composition"),
    Item(
        name="Proposition 7",
        kind="proposition",
        title="Laplace mechanism",
        code=(f"{_MECHANISMS}:printed_wasserstein",),
        experiments=_BASIC,
    ),
    Item(
        name="Proposition 8",
        kind="proposition",
        title="Gaussian mechanism",
        code=(f"{_MECHANISMS}:printed_wasserstein",),
        experiments=_BASIC,
    ),
    Item(name="Proposition 9", kind="proposition", title="DP to WDP", code=(f"{_CONVERSIONS}:from_pure",)),
    Item(name="Proposition 10", kind="proposition", title="RDP to WDP", code=(f"{_CONVERSIONS}:from_renyi",)),
    Item(
        name="Proposition 11",
        kind="proposition",
        title="WDP to RDP and DP",
        code=(f"{_CONVERSIONS}:to_renyi", f"{_CONVERSIONS}:to_pure"),
    ),
    Item(name="Proposition 12", kind="proposition", title="post-processing"),
    Item(name="Proposition 13", kind="proposition", title="group privacy"),
    Item(
        name="Definition 5",
        kind="definition",
        title="generalised (μ, ε)-WDP",
        code=(f"{_GENERAL}:failure_probability", f"{_GENERAL}:budget"),
    ),
    Item(
        name="Theorem 1",
        kind="theorem",
        title="advanced composition",
        code=(f"{_GENERAL}:printed_tail", f"{_GENERAL}:chernoff_tail"),
    ),
    Item(
        name="Theorem 2",
        kind="theorem",
        title="one subsampled step",
        code=(_ACCOUNTANT, _TEXT, f"{_SAMPLED}:exact_loss"),
        experiments=_STEPS,
    ),
    Item(
        name="Lemma 1",
        kind="lemma",
        title="absolute moments of a Gaussian",
        code=("wassdp.accounting.formulas.absolute_moment:log_absolute_moment",),
    ),
    Item(
        name="Theorem 3",
        kind="theorem",
        title="tail bound",
        code=(_ACCOUNTANT,),
        experiments=("tail-bound", "composition"),
    ),
    Item(
        name="Corollary 1",
        kind="corollary",
        title="ε from δ",
        code=(_ACCOUNTANT,),
        experiments=("tail-bound", "composition"),
    ),
    Item(
        name="Table 1",
        kind="table",
        title="budgets of basic mechanisms",
        code=(f"{_MECHANISMS}:printed_pure", f"{_MECHANISMS}:printed_renyi", f"{_MECHANISMS}:printed_wasserstein"),
        experiments=_BASIC,
    ),
    Item(
        name="Figure 1",
        kind="figure",
        title="budgets over the order",
        code=("wassdp.experiments.mechanism_orders:run",),
        experiments=_BASIC,
    ),
    Item(
        name="Basic Mechanisms",
        kind="sentence",
        title="what the order does to the budgets of WDP and of RDP",
        code=(f"{_MECHANISMS}:printed_wasserstein", f"{_MECHANISMS}:printed_renyi"),
        experiments=_BASIC,
    ),
    Item(
        name="Composition",
        kind="sentence",
        title="curves of the three accountants change alike",
        code=("wassdp.experiments.synthetic_gradients:run",),
        experiments=_STEPS,
    ),
    Item(
        name="Figure 2",
        kind="figure",
        title="composition of synthetic gradients, not clipped",
        code=("wassdp.experiments.synthetic_gradients:run",),
        experiments=_STEPS,
    ),
    Item(
        name="Figure 3",
        kind="figure",
        title="β and δ of the tail bound",
        code=("wassdp.experiments.tail_bound:run",),
        experiments=("tail-bound",),
    ),
    Item(
        name="Figure 4",
        kind="figure",
        title="composition of synthetic gradients, clipped",
        code=("wassdp.experiments.synthetic_gradients:run",),
        experiments=_STEPS,
    ),
    Item(
        name="Table 2",
        kind="table",
        title="deep learning: accuracies, budgets, P(A)",
        code=("wassdp.experiments.published_classification:run", "wassdp.claims.printed.wasserstein_dp_table_2"),
        experiments=("published-table-2",),
        missing="the row on SVHN: no data here",
    ),
    Item(
        name="96 % after 16 epochs",
        kind="sentence",
        title="MNIST to 96 % after 16, 50 and 100 epochs",
        code=("wassdp.experiments.published_classification:run", "wassdp.claims.printed.wasserstein_dp_epochs"),
        experiments=("published-epochs",),
    ),
    Item(
        name="Deep Learning",
        kind="sentence",
        title="advantages of the Wasserstein accountant",
        experiments=("published-table-2", "published-epochs"),
    ),
    Item(
        name="Discussion",
        kind="sentence",
        title="losses that are no metrics, other distances, comparability, attacks",
        code=("wassdp.accounting.formulas.attack_success:attack_success", "wassdp.experiments.membership:run"),
        experiments=("membership-mnist",),
    ),
    Item(
        name="Limitations",
        kind="sentence",
        title="smaller budgets with very little data",
        code=(f"{_MECHANISMS}:printed_wasserstein", "wassdp.claims.printed.wasserstein_dp_table_2"),
        experiments=("published-table-2",),
    ),
    *(
        Item(
            name=f"Definition {number}",
            kind="definition",
            title=title,
            code=code,
            missing="another paper's definition, quoted: no statement of this one",
        )
        for number, title, code in (
            (6, "differential privacy", ("wassdp.accounting.guarantee:Guarantee",)),
            (7, "privacy loss", ("wassdp.accounting.numerics",)),
            (8, "sensitivity", ("wassdp.accounting.events.gaussian:Gaussian",)),
            (9, "Rényi differential privacy", ("wassdp.accounting.accountants.upper.rdp:RDPAccountant",)),
            (
                10,
                "strong Bayesian differential privacy",
                (_BAYESIAN,),
            ),
            (
                11,
                "Bayesian differential privacy",
                (_BAYESIAN,),
            ),
        )
    ),
)
