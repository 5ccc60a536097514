"""What was found in the set *equal-budgets*: features decide, sliced distances do not."""

from __future__ import annotations

from wassdp.claims.selected import Finding, NotAbove, Pick, Shown


def _of(experiment: str, setting: str, column: str) -> Pick:
    return Pick(runs=Shown(set="equal-budgets", experiment=experiment, setting=setting), column=column)


GRADIENTS = (
    "DP-SW gradients, labels by outer product, averages of 2×2, norm 0.707, low 8×8, 8 gradients in 50 points, ε = 1"
)
ROWS = "DP-SWD, public labels, averages of 2×2, norm 0.707, orthogonal, low 12×12, 500×1 rows, ε = 1"

FINDINGS = (
    Finding(
        text=(
            "MNIST: {{ accuracy }} % at a proven {{ proven }} on scattering features of deskewed digits; {{ plain "
            "}} % at {{ plain_proven }} without deskewing."
        ),
        picks={
            "accuracy": _of("deskewed-mnist-least", "linear on scattering features, ε = 0.1", "accuracy"),
            "proven": _of("deskewed-mnist-least", "linear on scattering features, ε = 0.1", "epsilon/upper/pld"),
            "plain": _of("scattering-mnist", "linear on scattering features, ε = 0.25", "accuracy"),
            "plain_proven": _of("scattering-mnist", "linear on scattering features, ε = 0.25", "epsilon/upper/pld"),
        },
    ),
    Finding(
        text=(
            "Fashion-MNIST: {{ accuracy }} % at a proven {{ proven }}; CIFAR-10, on patches of two public "
            "photographs: {{ cifar }} % at a proven {{ cifar_proven }}."
        ),
        picks={
            "accuracy": _of("damped-fashion-mnist", "linear on scattering features, ε = 4", "accuracy"),
            "proven": _of("damped-fashion-mnist", "linear on scattering features, ε = 4", "epsilon/upper/pld"),
            "cifar": _of("patches-cifar10", "linear on patches features, ε = 5", "accuracy"),
            "cifar_proven": _of("patches-cifar10", "linear on patches features, ε = 5", "epsilon/upper/pld"),
        },
    ),
    Finding(
        text=(
            "Generated MNIST at a proven {{ proven }}, three seeds: {{ gradients }} % downstream by the sliced "
            "distance's output gradients with private labels, {{ merf }} % by DP-MERF, {{ rows }} % by DP-SWD "
            "with public labels."
        ),
        picks={
            "proven": _of("generation-mnist", GRADIENTS, "epsilon/upper/pld"),
            "gradients": _of("generation-mnist", GRADIENTS, "accuracy_mlp"),
            "merf": _of("generation-mnist", "DP-MERF, ε = 1", "accuracy_mlp"),
            "rows": _of("generation-mnist", ROWS, "accuracy_mlp"),
        },
    ),
    Finding(
        text=(
            "Adaptation from USPS to MNIST: the private Wasserstein gradient gives {{ one }}, {{ three }} and "
            "{{ ten }} % at a proven {{ first }}, {{ second }} and {{ last }}, its noise alone {{ noise_one }}, "
            "{{ noise_three }} and {{ noise_ten }} %: it is no better than its noise."
        ),
        picks={
            name: _of(
                "adaptation-gradient-usps-mnist",
                f"Wasserstein gradient, private encoder, ε = {budget}",
                "epsilon/upper/pld",
            )
            for name, budget in (("first", 1), ("second", 3), ("last", 10))
        }
        | {
            "one": _of("adaptation-gradient-usps-mnist", "Wasserstein gradient, private encoder, ε = 1", "accuracy"),
            "three": _of("adaptation-gradient-usps-mnist", "Wasserstein gradient, private encoder, ε = 3", "accuracy"),
            "ten": _of("adaptation-gradient-usps-mnist", "Wasserstein gradient, private encoder, ε = 10", "accuracy"),
            "noise_one": _of(
                "adaptation-gradient-usps-mnist",
                "Wasserstein gradient, private encoder, noise alone, that of ε = 1",
                "accuracy",
            ),
            "noise_three": _of(
                "adaptation-gradient-usps-mnist",
                "Wasserstein gradient, private encoder, noise alone, that of ε = 3",
                "accuracy",
            ),
            "noise_ten": _of(
                "adaptation-gradient-usps-mnist",
                "Wasserstein gradient, private encoder, noise alone, that of ε = 10",
                "accuracy",
            ),
        },
        says=tuple(NotAbove(first=name, second=f"noise_{name}") for name in ("one", "three", "ten")),
    ),
)
