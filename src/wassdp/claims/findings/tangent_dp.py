"""What was found in the set *tangent-dp*: the theorems hold but for one, and the bound is twice what is needed."""

from __future__ import annotations

from wassdp.claims.selected import Below, Finding, NotAbove, Picks

_of = Picks("tangent-dp")
ROUNDING = 1 + 1e-9
"""A ratio to a bound that holds is at most 1, but for rounding."""

FINDINGS = (
    Finding(
        text=(
            "Of one exact draw for which Theorem 3.2 gives {{ claimed }}, {{ proven }} is proven: the bound "
            "holds, and is twice what is needed."
        ),
        picks={
            "claimed": _of("gibbs-accuracy", "digits, Savage loss, exact draw, ε = 1", "epsilon/published/tangent"),
            "proven": _of("gibbs-accuracy", "digits, Savage loss, exact draw, ε = 1", "epsilon/upper/pld"),
        },
        says=(
            Below(low="proven", high="claimed", times=1.99),
            Below(low="claimed", high="proven", times=1 / 2.01),
        ),
    ),
    Finding(
        text=(
            "Put to the test in {{ tried }} cases each, Theorems 3.1, 3.2 and 3.4 hold, the largest found being "
            "{{ first }}, {{ second }} and {{ fourth }} of the bound."
        ),
        picks={
            "tried": _of("tangent-claims", "tangent-theorem-3-1", "claim_tried"),
            "first": _of("tangent-claims", "tangent-theorem-3-1", "claim_ratio"),
            "second": _of("tangent-claims", "tangent-theorem-3-2", "claim_ratio"),
            "fourth": _of("tangent-claims", "tangent-theorem-3-4", "claim_ratio"),
        },
        says=tuple(Below(low=name, high=ROUNDING) for name in ("first", "second", "fourth")),
    ),
    Finding(
        text=(
            "Theorem 3.3 does not: cases exceed its bound {{ third }} times and more. Repaired, it holds, with {{ "
            "repaired }} of the bound reached."
        ),
        picks={
            "third": _of("tangent-claims", "tangent-theorem-3-3", "claim_ratio"),
            "repaired": _of("tangent-claims", "tangent-theorem-3-3-repaired", "claim_ratio"),
        },
        says=(Below(low=1, high="third"), Below(low="repaired", high=ROUNDING)),
    ),
    Finding(
        text=(
            "On digits a draw with the Savage loss costs a proven {{ proven }} for {{ accuracy }} %, and {{ large "
            "}} for {{ large_accuracy }} %: more budget buys nothing here."
        ),
        picks={
            "proven": _of("gibbs-accuracy", "digits, Savage loss, exact draw, ε = 1", "epsilon/upper/pld"),
            "accuracy": _of("gibbs-accuracy", "digits, Savage loss, exact draw, ε = 1", "accuracy"),
            "large": _of("gibbs-accuracy", "digits, Savage loss, exact draw, ε = 10", "epsilon/upper/pld"),
            "large_accuracy": _of("gibbs-accuracy", "digits, Savage loss, exact draw, ε = 10", "accuracy"),
        },
        says=(NotAbove(first="large_accuracy", second="accuracy"), Below(low="proven", high="large")),
    ),
)
