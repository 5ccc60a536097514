"""What was found in the set *wasserstein-dp*: a distance is no bound."""

from __future__ import annotations

from wassdp.claims.selected import Below, Finding, Picks

_of = Picks("wasserstein-dp")
FINDINGS = (
    Finding(
        text=(
            "Table 2 as published, at δ = 1e-5: for CIFAR-10 the paper's formula gives {{ claimed }}, {{ proven }} is "
            "proven for the same run, and the noise of its steps alone shows {{ attacked }} at least; for MNIST and "
            "Fashion-MNIST the formula gives {{ mnist }} where {{ mnist_proven }} is proven."
        ),
        picks={
            "claimed": _of("published-table-2", "cifar10, model_b, σ = 0.0005", "epsilon/published/wasserstein"),
            "proven": _of("published-table-2", "cifar10, model_b, σ = 0.0005", "epsilon/upper/pld"),
            "attacked": _of("published-table-2", "cifar10, model_b, σ = 0.0005", "epsilon/lower/noise_scale_family"),
            "mnist": _of("published-table-2", "model_a, σ = 0.01", "epsilon/published/wasserstein"),
            "mnist_proven": _of("published-table-2", "model_a, σ = 0.01", "epsilon/upper/pld"),
        },
        says=(
            Below(low="claimed", high="attacked"),
            Below(low="attacked", high="proven"),
            Below(low="mnist", high="mnist_proven"),
        ),
    ),
    Finding(
        text=(
            "Figures 2 and 4: with a clip norm that is a quantile of private norms no finite ε holds; with that "
            "of the norm's law, a public constant, {{ proven }} does for the clipped steps, where the Wasserstein "
            "accountant gives {{ claimed }}."
        ),
        picks={
            "proven": _of("composition", "clipped, C the 0.5 quantile of the norm's law", "epsilon/upper/pld"),
            "claimed": _of(
                "composition", "clipped, C the 0.5 quantile of the norm's law", "epsilon/published/wasserstein"
            ),
        },
    ),
    Finding(
        text=(
            "The single order at which the paper compares makes its competitors large: at order 1 the moments "
            "accountant gives {{ moments }} and the Bayesian one {{ bayesian }}, below the Wasserstein "
            "accountant's {{ claimed }}."
        ),
        picks={
            "moments": _of(
                "composition", "clipped, C the 0.5 quantile of the batch's norms", "epsilon/published/moments-order-1"
            ),
            "bayesian": _of(
                "composition", "clipped, C the 0.5 quantile of the batch's norms", "epsilon/published/bayesian-order-1"
            ),
            "claimed": _of(
                "composition", "clipped, C the 0.5 quantile of the batch's norms", "epsilon/published/wasserstein"
            ),
        },
        says=(Below(low="moments", high="claimed"), Below(low="bayesian", high="claimed")),
    ),
    Finding(
        text=(
            "Epochs to 96 %: after all its epochs the noise of WDP gives {{ wdp }} %, that of BDP {{ bdp }} %, "
            "that of DP {{ dp }} %, no noise {{ open }} %."
        ),
        picks={
            "wdp": _of("published-epochs", "model_a, σ = 0.01", "accuracy"),
            "bdp": _of("published-epochs", "model_a, σ = 0.1", "accuracy"),
            "dp": _of("published-epochs", "model_a, σ = 3.1", "accuracy"),
            "open": _of("published-epochs", "model_a, no privacy", "accuracy"),
        },
    ),
    Finding(
        text=(
            "DP-SGD with Poisson samples and clipped examples reaches {{ accuracy }} % on MNIST at a proven {{ "
            "proven }}, for which the moments accountant states {{ moments }} and an attack on the noise shows {{ "
            "attacked }}."
        ),
        picks={
            "accuracy": _of("dp-sgd-mnist", "cnn_small, ε = 2.2", "accuracy"),
            "proven": _of("dp-sgd-mnist", "cnn_small, ε = 2.2", "epsilon/upper/pld"),
            "moments": _of("dp-sgd-mnist", "cnn_small, ε = 2.2", "epsilon/published/moments"),
            "attacked": _of("dp-sgd-mnist", "cnn_small, ε = 2.2", "epsilon/lower/noise_scale_family"),
        },
        says=(Below(low="attacked", high="proven"),),
    ),
)
