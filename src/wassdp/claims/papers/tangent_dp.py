"""Items of *Tangent Differential Privacy* (Ying 2025)."""

from __future__ import annotations

from wassdp.claims.item import Item

TITLE = "Tangent Differential Privacy"
SECTIONS = (
    "1 Introduction",
    "2 Tangent differential privacy",
    "3 Risk minimization",
    "3.1 Total variation distance on P(X)",
    "3.2 Wasserstein distance on P(X)",
    "4 Discussion",
)

_BOUNDS, _GIBBS, _RADII = "wassdp.tangent.bounds", "wassdp.tangent.gibbs", "wassdp.tangent.radii"
_BOUND = f"{_BOUNDS}:TangentBound"
_SAMPLED = ("gibbs-sampling", "gibbs-sampling-sgld")

ITEMS = (
    Item(
        name="Example 2.1",
        kind="equation",
        title="total variation gives the L¹ norm",
        code=(f"{_BOUNDS}:deletion_distance",),
    ),
    Item(
        name="Example 2.2",
        kind="equation",
        title="the Wasserstein-2 distance gives the Ḣ⁻¹(p) norm",
        code=(f"{_BOUNDS}:move_distance",),
    ),
    Item(name="Definition 2.1", kind="definition", title="Lipschitz at p", code=(_BOUND,)),
    Item(
        name="Definition 2.2",
        kind="definition",
        title="tangent differential privacy at p",
        code=(_BOUND,),
        experiments=("gibbs-deletion",),
    ),
    Item(name="Remark 2.1(a)", kind="remark", title="no number of records", code=(_BOUND,)),
    Item(
        name="Remark 2.1(b)",
        kind="remark",
        title="different distances, different privacy",
        code=(f"{_BOUNDS}:deletion_distance", f"{_BOUNDS}:move_distance"),
        missing="no statement that a computation could contradict",
    ),
    Item(name="Remark 2.1(c)", kind="remark", title="post-processing", code=(f"{_BOUNDS}:processed",)),
    Item(name="Remark 2.1(d)", kind="remark", title="composition", code=(f"{_BOUNDS}:TangentBound",)),
    Item(
        name="Equation (3.1)",
        kind="equation",
        title="entropic regularisation gives the Gibbs posterior",
        code=(f"{_GIBBS}:posterior", "wassdp.accounting.events.gibbs:Gibbs"),
        experiments=("gibbs-accuracy", "gibbs-accuracy-mala"),
    ),
    Item(
        name="Remark 3.1",
        kind="remark",
        title="sampling by Langevin dynamics, noisy SGD",
        code=("wassdp.tangent.langevin:mala", "wassdp.tangent.langevin:sgld"),
        experiments=(*_SAMPLED, "gibbs-noisy-sgd"),
        missing="no statement that a computation could contradict; how far chains are from q is measured",
    ),
    Item(
        name="Section 3, differentials",
        kind="equation",
        title="differentials in matrix form",
        code=(f"{_GIBBS}:differential", f"{_GIBBS}:log_differential"),
    ),
    Item(
        name="Theorem 3.1",
        kind="theorem",
        title="total variation to L¹",
        code=(f"{_BOUNDS}:gibbs_bound", f"{_RADII}:norm_l1_to_l1"),
        experiments=("tangent-bounds",),
    ),
    Item(name="Remark 3.2(a)", kind="remark", title="small R or small β", missing="is Theorem 3.1"),
    Item(name="Remark 3.2(b)", kind="remark", title="R from the largest risk", code=(f"{_RADII}:largest_risk",)),
    Item(
        name="Remark 3.2(c)",
        kind="remark",
        title="R estimated from draws",
        code=("wassdp.tangent.estimators:radius_total_variation",),
        experiments=_SAMPLED,
    ),
    Item(
        name="Theorem 3.2",
        kind="theorem",
        title="total variation to log, L^∞",
        code=(f"{_BOUNDS}:gibbs_bound", f"{_RADII}:norm_l1_to_log"),
        experiments=("tangent-bounds", "gibbs-deletion"),
    ),
    Item(
        name="Remark 3.3",
        kind="remark",
        title="bounded losses",
        code=("wassdp.tangent.losses:MarginLoss",),
        experiments=("tangent-bounds",),
    ),
    Item(
        name="Theorem 3.3",
        kind="theorem",
        title="Wasserstein to L¹",
        code=(f"{_BOUNDS}:gibbs_bound", f"{_RADII}:radius_wasserstein_averaged", f"{_RADII}:norm_wasserstein_to_l1"),
        experiments=("tangent-bounds",),
    ),
    Item(
        name="Remark 3.4(a)",
        kind="remark",
        title="R from the largest norm of a risk",
        code=(f"{_RADII}:smooth", f"{_RADII}:radius_wasserstein_averaged"),
    ),
    Item(
        name="Remark 3.4(b)",
        kind="remark",
        title="R estimated from draws",
        code=("wassdp.tangent.estimators:radius_wasserstein",),
        experiments=_SAMPLED,
    ),
    Item(
        name="Theorem 3.4",
        kind="theorem",
        title="Wasserstein to log, L^∞",
        code=(f"{_BOUNDS}:gibbs_bound", f"{_RADII}:norm_wasserstein_to_log"),
        experiments=("tangent-bounds", "gibbs-deletion"),
    ),
    Item(name="Remark 3.5", kind="remark", title="R from the steepest slope", code=(f"{_RADII}:smooth",)),
)
