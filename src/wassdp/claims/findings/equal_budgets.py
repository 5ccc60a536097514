"""What was found in the set *equal-budgets*: features decide, sliced distances do not."""

from __future__ import annotations

from wassdp.claims.selected import Finding, NotAbove, Pick, Picks

_of = Picks("equal-budgets")
BUDGETS = {"one": 1, "three": 3, "ten": 10}
GRADIENTS = (
    "DP-SW gradients, labels by outer product, averages of 2×2, norm 0.707, low 8×8, 8 gradients in 50 points, ε = 1"
)
ROWS = "DP-SWD, public labels, averages of 2×2, norm 0.707, orthogonal, low 12×12, 500×1 rows, ε = 1"


def _gradient_and_noise(experiment: str) -> dict[str, Pick]:
    """Accuracies and proven budgets of the private gradient, and accuracies of its noise alone."""
    gradient = "Wasserstein gradient, private encoder"
    proven = zip(("first", "second", "last"), BUDGETS.values(), strict=True)
    return (
        {name: _of(experiment, f"{gradient}, ε = {epsilon}", "epsilon/upper/pld") for name, epsilon in proven}
        | {name: _of(experiment, f"{gradient}, ε = {epsilon}", "accuracy") for name, epsilon in BUDGETS.items()}
        | {
            f"noise_{name}": _of(experiment, f"{gradient}, noise alone, that of ε = {epsilon}", "accuracy")
            for name, epsilon in BUDGETS.items()
        }
    )


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
            "Generated MNIST at a proven {{ proven }}, {{ seeds }}: {{ gradients }} % downstream by the sliced "
            "distance's output gradients with private labels, {{ merf }} % by DP-MERF, {{ rows }} % by DP-SWD "
            "with public labels."
        ),
        picks={
            "proven": _of("generation-mnist", GRADIENTS, "epsilon/upper/pld"),
            "gradients": _of("generation-mnist", GRADIENTS, "accuracy_mlp"),
            "merf": _of("generation-mnist", "DP-MERF, ε = 1", "accuracy_mlp"),
            "rows": _of("generation-mnist", ROWS, "accuracy_mlp"),
        },
        seeds={"seeds": ()},
    ),
    Finding(
        text=(
            "Adaptation from USPS to MNIST, {{ seeds }}: the private Wasserstein gradient gives {{ one }}, {{ three }} "
            "and {{ ten }} % at a proven {{ first }}, {{ second }} and {{ last }}, its noise alone {{ noise_one }}, "
            "{{ noise_three }} and {{ noise_ten }} %: it is above its noise by no more than {{ seeds }} can tell."
        ),
        picks=_gradient_and_noise("adaptation-gradient-usps-mnist"),
        seeds={"seeds": ()},
        says=tuple(NotAbove(first=name, second=f"noise_{name}") for name in BUDGETS),
    ),
    Finding(
        text=(
            "Adaptation from MNIST to USPS, {{ seeds }}: the source alone gives {{ source }} %, the private "
            "Wasserstein gradient {{ one }}, {{ three }} and {{ ten }} % at a proven {{ first }}, {{ second }} and "
            "{{ last }}, its noise alone {{ noise_one }}, {{ noise_three }} and {{ noise_ten }} %, DP-SWD in full "
            "account {{ swd_one }}, {{ swd_three }} and {{ swd_ten }} %, DP-DANN {{ dann_one }}, {{ dann_three }} and "
            "{{ dann_ten }} %. None is above the source alone, nor the gradient above its noise, by more than "
            "{{ seeds }} can tell."
        ),
        picks=_gradient_and_noise("adaptation-gradient-mnist-usps")
        | {"source": _of("adaptation-gradient-mnist-usps", "source only, dropout in 1 epoch", "accuracy")}
        | {
            f"{name}_{budget}": _of("adaptation-gradient-mnist-usps", f"{method}, ε = {epsilon}", "accuracy")
            for name, method in (("swd", "DP-SWD, accounted in full"), ("dann", "DP-DANN"))
            for budget, epsilon in BUDGETS.items()
        },
        seeds={"seeds": ()},
        says=(
            *(NotAbove(first=name, second=f"noise_{name}") for name in BUDGETS),
            *(
                NotAbove(first=f"{method}{name}", second="source")
                for method in ("", "noise_", "swd_", "dann_")
                for name in BUDGETS
            ),
        ),
    ),
)
