"""What was found in the set *attacks*: how close attacks come to what is proven."""

from __future__ import annotations

from wassdp.claims.selected import Below, Finding, Picks

_of = Picks("attacks")
_TRAININGS = {
    "gradients": (
        "generation-mnist-attacked",
        "DP-SW gradients, public labels, averages of 2×2, norm 0.707, low 8×8, 15 gradients in 5 points, "
        "canaries 1000, ε = 10",
    ),
    "rows": (
        "generation-mnist-attacked",
        "DP-SWD, public labels, averages of 2×2, norm 0.707, orthogonal, low 12×12, 500×1 rows, canaries 1000, ε = 10",
    ),
    "merf": ("generation-mnist-attacked", "DP-MERF, canaries 1000, ε = 10"),
    "dann": ("adaptation-mnist-usps-attacked", "DP-DANN, canaries 1000, ε = 10"),
    "adapted": ("adaptation-mnist-usps-attacked", "DP-SWD, accounted in full, canaries 1000, ε = 10"),
    "gradient": ("adaptation-mnist-usps-attacked", "Wasserstein gradient, private encoder, canaries 1000, ε = 10"),
}
"""Trainings with canaries that are no classifier's: experiment and setting."""

FINDINGS = (
    Finding(
        text=(
            "One training of MNIST at a proven {{ proven }}, with 40,000 canaries among its records: {{ family }} "
            "is measured by a family, {{ free }} assuming nothing, at {{ accuracy }} % on the test set, against "
            "{{ plain }} % without canaries."
        ),
        picks={
            "proven": _of(
                "scattering-mnist-attacked", "linear on scattering features, canaries 40000, ε = 4", "epsilon/upper/pld"
            ),
            "family": _of(
                "scattering-mnist-attacked",
                "linear on scattering features, canaries 40000, ε = 4",
                "epsilon/lower/one_run_family",
            ),
            "free": _of(
                "scattering-mnist-attacked",
                "linear on scattering features, canaries 40000, ε = 4",
                "epsilon/lower/one_run",
            ),
            "accuracy": _of(
                "scattering-mnist-attacked", "linear on scattering features, canaries 40000, ε = 4", "accuracy"
            ),
            "plain": _of("scattering-mnist-attacked", "linear on scattering features, ε = 4", "accuracy"),
        },
        says=(Below(low="free", high="family"), Below(low="family", high="proven")),
    ),
    Finding(
        text=(
            "1,000 canaries among the records of one training each, all at a proven {{ proven }} but for rounding; "
            "first by a family, then assuming nothing. Generators of MNIST: {{ merf_family }} and {{ merf_free }} for "
            "DP-MERF, {{ gradients_family }} and {{ gradients_free }} for output gradients, {{ rows_family }} and "
            "{{ rows_free }} for DP-SWD, whose batches hide whose row is whose. From MNIST to USPS: {{ dann_family }} "
            "and {{ dann_free }} for DP-DANN, {{ adapted_family }} and {{ adapted_free }} for DP-SWD, "
            "{{ gradient_family }} and {{ gradient_free }} for the gradient, whose account allows for more than any "
            "record is known to move it."
        ),
        picks={
            "proven": _of(*_TRAININGS["gradients"], "epsilon/upper/pld"),
            **{
                f"{name}_{kind}": _of(*training, f"epsilon/lower/{attack}")
                for name, training in _TRAININGS.items()
                for kind, attack in (("family", "one_run_family"), ("free", "one_run"))
            },
        },
        says=(
            *(Below(low=f"{name}_family", high="proven") for name in _TRAININGS),
            *(Below(low=f"{name}_free", high=f"{name}_family") for name in ("merf", "gradients", "rows", "dann")),
            *(Below(low=f"{name}_family", high="merf_family") for name in ("gradients", "rows")),
            *(Below(low=f"{name}_family", high="dann_family") for name in ("adapted", "gradient")),
        ),
    ),
    Finding(
        text=(
            "Final models alone, 10,000 in either world at a proven {{ proven }}: {{ family }} by a family, {{ "
            "free }} assuming nothing; from 1,000, {{ few_family }} and {{ few }}."
        ),
        picks={
            "proven": _of("final-model-mnist", "10,000 final models a world, ε = 10", "epsilon/upper/pld"),
            "family": _of(
                "final-model-mnist", "10,000 final models a world, ε = 10", "epsilon/lower/final_model_family"
            ),
            "free": _of("final-model-mnist", "10,000 final models a world, ε = 10", "epsilon/lower/final_model"),
            "few_family": _of(
                "final-model-mnist", "1,000 final models a world, ε = 10", "epsilon/lower/final_model_family"
            ),
            "few": _of("final-model-mnist", "1,000 final models a world, ε = 10", "epsilon/lower/final_model"),
        },
        says=(
            Below(low="few", high="free"),
            Below(low="few_family", high="family"),
            Below(low="family", high="proven"),
        ),
    ),
    Finding(
        text=(
            "Membership inference guesses right in {{ private }} of all cases at the smaller budget, where P(A) "
            "allows {{ allowed }}, in {{ more }} at the larger, where it allows {{ more_allowed }}, and in {{ "
            "open }} without privacy."
        ),
        picks={
            "private": _of("membership-mnist", "linear on scattering features, ε = 0.76", "success_loss"),
            "allowed": _of("membership-mnist", "linear on scattering features, ε = 0.76", "success_allowed"),
            "more": _of("membership-mnist", "linear on scattering features, ε = 2.9", "success_loss"),
            "more_allowed": _of("membership-mnist", "linear on scattering features, ε = 2.9", "success_allowed"),
            "open": _of("membership-mnist", "linear on scattering features, no privacy", "success_lira"),
        },
        says=(Below(low="private", high="allowed"), Below(low="more", high="more_allowed")),
    ),
    Finding(
        text=(
            "Budgets contradicted without any assumption: Table 2 of *Wasserstein Differential Privacy*, where "
            "trainings by its authors' own step with the noise of MNIST's {{ mnist }} have at least {{ mnist_found }}, "
            "of CIFAR-10's {{ cifar }} at least {{ cifar_found }}; a claim of {{ backpropagation }} at least "
            "{{ backpropagation_found }}; {{ count }} on small data at least {{ count_found }}, where the loop divides "
            "by its own count of records, and {{ shuffled_found }} where it shuffles."
        ),
        picks={
            "mnist": _of("budgets-attacked", "wasserstein dp table 2 mnist", "claimed"),
            "mnist_found": _of("budgets-attacked", "wasserstein dp table 2 mnist", "lower/measured"),
            "cifar": _of("budgets-attacked", "wasserstein dp table 2 cifar10", "claimed"),
            "cifar_found": _of("budgets-attacked", "wasserstein dp table 2 cifar10", "lower/measured"),
            "backpropagation": _of("budgets-attacked", "backpropagation clipping", "claimed"),
            "backpropagation_found": _of("budgets-attacked", "backpropagation clipping", "lower/measured"),
            "count": _of("budgets-attacked", "small data own count", "claimed"),
            "count_found": _of("budgets-attacked", "small data own count", "lower/measured"),
            "shuffled_found": _of("budgets-attacked", "small data shuffled", "lower/measured"),
        },
        says=(
            *(Below(low=name, high=f"{name}_found") for name in ("mnist", "cifar", "backpropagation", "count")),
            Below(low="count", high="shuffled_found"),
        ),
    ),
)
