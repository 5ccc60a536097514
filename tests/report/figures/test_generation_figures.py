"""Figures and table of generation, drawn from runs of the experiment itself."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from wassdp import claims, labels
from wassdp.accounting import accountant
from wassdp.experiment import Context
from wassdp.experiments import generation
from wassdp.report import frames, short_labels, style, table_files
from wassdp.report import generation as _generation
from wassdp.report.figures import generated_samples, generation_accuracy, generation_noise
from wassdp.report.tables import generation as table

NOTHING = pd.DataFrame(columns=["run", "metric", "axis", "position", "value"])
EVALUATION = {"samples": 50, "logistic_iterations": 5, "mlp_iterations": 2, "frechet": 10, "sheet_rows": 2}
SMALL: dict[str, Any] = {"dataset": "digits", "epochs": 1, "steps_per_epoch": 1, "batch": 10, "evaluation": EVALUATION}
GRADIENT = {"name": "output_gradient", "labels": "per_class", "bases": 2, "points": 5, "smooth": 2}
SLICED = {"name": "sliced", "labels": "per_class", "batch": 5, "projections": 8}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """Two seeds of DP-SWD at one noise, DP-MERF, gradients, and SWD without privacy."""
    settings: list[tuple[dict[str, Any], dict[str, Any] | None, int, float]] = [
        (SLICED, {"noise": 1.0, "delta": 1e-4}, 0, 2.0),
        (SLICED, {"noise": 1.0, "delta": 1e-4}, 1, 2.0),
        ({"name": "mean_embedding", "features": 20}, {"noise": 4.0, "delta": 1e-4}, 0, 1.0),
        (GRADIENT, {"noise": 4.0, "delta": 1e-4}, 0, 1.5),
        (SLICED | {"labels": "joint", "rows": "raw", "reuse": None, "batch": None}, None, 0, math.nan),
    ]
    rows = []
    for place, (method, privacy, seed, epsilon) in enumerate(settings):
        chosen = generation.Parameters.model_validate(SMALL | {"method": method, "privacy": privacy})
        context = Context(folder=tmp_path_factory.mktemp("run"), code="a")
        found = generation.run(chosen, seed=seed, context=context)
        (label,) = labels.labels("trial", [chosen])
        row = {"run": f"{place:012x}", "seed": seed, "label": label.text, "method": label.method}
        row |= {f"parameters.{key}": value for key, value in labels.flat(chosen.model_dump(mode="json")).items()}
        row |= found.metrics | {"delta": found.delta, "epsilon/upper/pld": epsilon}
        if found.event is not None:
            proven = accountant.load("pld").epsilon(found.event, 1e-4)
            row |= {f"{fact}/upper/pld": getattr(proven, fact) for fact in ("delta", "adjacency", "sampling")}
        rows.append(row | {f"picture/{name}": text for name, text in found.pictures.items()})
    return pd.DataFrame(rows)


def test_methods_and_relations_have_names(runs: pd.DataFrame) -> None:
    named = _generation.named(runs, "upper/pld")
    assert named["method"].tolist() == [
        "DP-SWD, public labels, 5 rows",
        "DP-SWD, public labels, 5 rows",
        "DP-MERF",
        "DP-SW gradients, public labels, low 2×2, 2 gradients in 5 points",
        "SWD, joint labels, raw rows, all rows, released once",
    ]
    assert named["relation"].tolist() == [
        "replace one record inside its class, batches without replacement",
        "replace one record inside its class, batches without replacement",
        "replace one record, all records",
        "replace one record inside its class, all records",
        "",
    ]
    assert named["setting"].nunique() == 4
    batches = _generation.named(runs.assign(**{"parameters.method.batch": 5}), "upper/pld")
    assert batches["relation"][3] == "replace one record inside its class, batches without replacement"
    with pytest.raises(ValueError, match="a private run has no epsilon/upper/rdp"):
        _generation.named(runs.assign(**{"epsilon/upper/rdp": math.nan}), "upper/rdp")


def test_a_method_without_privacy_has_the_colour_of_the_same_method_with_it(runs: pd.DataFrame) -> None:
    twin = runs.iloc[[0]].assign(run="f" * 12, delta=math.nan)
    twin[[name for name in twin if name.startswith("parameters.privacy")]] = math.nan
    figure, data = generation_accuracy.GenerationAccuracy(published=False).draw(pd.concat([runs, twin]), NOTHING)
    (axis,) = figure.axes
    dashed = {
        line.get_color() for line in axis.lines if len(set(line.get_ydata())) == 1 and line.get_linestyle() == "--"
    }
    shown = {text.get_text().replace("\n", " "): line.get_color() for line, text in _legend(figure)}
    assert dashed == {shown["DP-SWD"], shown["SWD"]}
    assert len(dashed) == 2
    assert "in its colour: without privacy" in shown
    assert not any(label.startswith("SWD, public labels") for label in shown)
    assert len(data) == 5


def test_a_method_has_the_same_colour_in_both_figures(runs: pd.DataFrame) -> None:
    accuracy, _ = generation_accuracy.GenerationAccuracy(published=False).draw(runs, NOTHING)
    noise, _ = generation_noise.GenerationNoise().draw(runs, NOTHING)
    there, here = ({text.get_text(): line.get_color() for line, text in _legend(page)} for page in (accuracy, noise))
    shared = {"DP-SWD", "DP-SW gradients"}  # DP-MERF, first in the order of names, releases no rows
    assert {name: here[name] for name in shared} == {name: there[name] for name in shared}
    assert len({here[name] for name in shared}) == 2
    assert style.CYCLE[0] not in {here[name] for name in shared}


def test_each_relation_is_said_once_over_its_lines(runs: pd.DataFrame) -> None:
    figure, data = generation_accuracy.GenerationAccuracy(published=False).draw(runs, NOTHING)
    assert [text.get_text().replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ") for _, text in _legend(figure)] == [
        "replace one record, all records:",
        "DP-MERF",
        "replace one record inside its class, all records:",
        "DP-SW gradients",
        "replace one record inside its class, batches without replacement:",
        "DP-SWD",
        "without privacy:",
        "SWD",
    ]
    assert "DP-SWD, public labels, 5 rows (replace one record inside its class, batches without replacement)" in set(
        data["line"]
    )
    assert all(text.get_text().count("\n") < 2 for _, text in _legend(figure))


def test_short_names_tell_apart_whatever_their_parts() -> None:
    names = [
        "SWD",
        "SWD, a",
        "SWD, a, b",
        "SWD, c, b",
        "DP-SWD, a, b",
        *(f"X, p{n % 2}, q{n // 2}, z" for n in range(4)),
    ]
    shown = short_labels.short(names)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert shown["DP-SWD, a, b"] == "DP-SWD"
    assert shown["X, p1, q0, z"] == "X, p1, q0"


def test_a_short_name_keeps_a_parenthesis_whole() -> None:
    names = [f"DANN, amazon to dslr (office_caltech10, {features}), ε = 1" for features in ("surf", "decaf")]
    assert list(short_labels.short(names).values()) == [
        "DANN, amazon to dslr (office_caltech10, surf)",
        "DANN, amazon to dslr (office_caltech10, decaf)",
    ]


def test_a_method_called_as_a_printed_one_keeps_its_own_entry(runs: pd.DataFrame) -> None:
    alike = runs["method"].where(runs["delta"].notna(), "SWD")
    figure, _ = generation_accuracy.GenerationAccuracy().draw(
        runs.assign(**{"method": alike, "parameters.dataset": "mnist"}), NOTHING
    )
    ours, printed = (line for line, text in _legend(figure) if text.get_text() == "SWD")
    assert ours.get_color() != printed.get_color() == style.GREY


def _legend(figure: Figure) -> list[tuple[Line2D, Text]]:
    legend = figure.legends[0]
    return list(zip(legend.get_lines(), legend.get_texts(), strict=True))


def test_names_survive_a_csv_file(runs: pd.DataFrame, tmp_path: Path) -> None:
    runs.to_csv(tmp_path / "runs.csv", index=False)
    again = pd.read_csv(tmp_path / "runs.csv")
    for column in ("method", "relation", "setting"):
        assert _generation.named(again, "upper/pld")[column].tolist() == (
            _generation.named(runs, "upper/pld")[column].tolist()
        )


def test_views_draws_and_directions_are_told_apart() -> None:
    method: dict[str, Any] = {"name": "sliced", "labels": "outer", "directions": "orthogonal", "draws": 500, "batch": 1}

    def described(**more: Any) -> str:
        chosen = SMALL | {"method": method | more, "privacy": {"epsilon": 1, "delta": 1e-5}}
        return generation.Parameters.model_validate(chosen).describe().method

    assert described(view={"name": "cosine", "side": 10}) == (
        "DP-SWD, labels by outer product, 10×10 cosines, orthogonal, 500×1 rows"
    )
    assert described(view={"name": "pooled", "factor": 4}, rows="orthant", smooth=10) == (
        "DP-SWD, labels by outer product, averages of 4×4, norm 0.707, orthogonal, low 10×10, 500×1 rows"
    )
    assert frames.relation("zero-out", "poisson") == "zero out one record, Poisson sampling"


def test_the_printed_table_is_complete() -> None:
    said = _generation.printed().set_index(["dataset", "method"])
    assert len(said) == 12
    assert said.loc[("mnist", "DP-SWD-b"), ["mlp", "logistic", "epsilon"]].tolist() == [76, 77, 10]
    assert math.isnan(said.loc[("fashion_mnist", "SWD"), "epsilon"])
    assert len(claims.load(_generation.CLAIM)) == 2 * (1 + 12)


def test_the_table_sets_claims_beside_proofs(runs: pd.DataFrame, tmp_path: Path) -> None:
    both = runs.assign(**{"epsilon/published/swd_bernstein": [10.0, 10.0, math.nan, math.nan, math.nan]})
    mnist = both.assign(**{"parameters.dataset": "mnist"})
    found = table.GenerationTable().build(mnist, NOTHING).set_index("method")
    assert found.loc["printed: DP-SWD-b", ["MLP (%)", "ε printed"]].tolist() == [76, 10]
    ours = found.loc["DP-SWD, public labels, 5 rows"]
    assert ours[["ε, Proposition 2", "ε proven", "seeds"]].tolist() == [10, 2, 2]
    assert ours["MLP (%)"] == pytest.approx(100 * runs["accuracy_mlp"][:2].mean())
    assert math.isnan(found.loc["SWD, joint labels, raw rows, all rows, released once", "ε proven"])
    table_files.write(found.reset_index(), tmp_path / "table")
    # A dataset that the paper does not have keeps its own rows only.
    assert len(table.GenerationTable().build(both, NOTHING)) == 4
    signals = found["spread of rows over noise"]
    assert signals["DP-SW gradients, public labels, low 2×2, 2 gradients in 5 points"] > 3 * signals[ours.name]
    with pytest.raises(ValueError, match="must be an upper bound"):
        table.GenerationTable(proved="published/swd_bernstein").build(both, NOTHING)


def test_one_table_shows_distances_from_one_set_of_test_images(runs: pd.DataFrame) -> None:
    new = ["Fréchet distance to sampled test images", "… of other test images"]
    old = ["Fréchet distance to the first test images"]
    bare = runs.drop(columns=[name for name in runs if name.startswith("frechet_")])
    assert len(bare.columns) == len(runs.columns) - 3

    def shown(**columns: list[float]) -> list[str]:
        found = table.GenerationTable().build(bare.assign(**columns), NOTHING)
        return [name for name in found if name in new or "Fréchet" in name]

    # Files hold the new metric, the old one, or neither: one table never sets the two side by side.
    first, none = [1.0, 2.0, 3.0, 4.0, 5.0], [math.nan] * 5
    assert shown(frechet_sampled=first, frechet_sampled_floor=first) == new
    assert shown(frechet_scattering=first) == old
    assert shown(frechet_scattering=first, frechet_sampled=none) == old
    assert shown(frechet_scattering=first, frechet_sampled=first, frechet_sampled_floor=first) == new
    older, newer = [1.0, 2.0, *none[:3]], [*none[:2], 3.0, 4.0, math.nan]
    assert shown(frechet_scattering=older, frechet_sampled=newer, frechet_sampled_floor=newer) == []
    assert shown(frechet_scattering=older, frechet_sampled=none) == old
    assert shown() == []
    for words in ("fixed public sample of test images", "at the beginning of the test file"):
        assert words in " ".join(table.GenerationTable.caption.split())


def test_samples_have_a_panel_per_setting_those_without_privacy_first(runs: pd.DataFrame, tmp_path: Path) -> None:
    figure, data = generated_samples.GeneratedSamples(columns=2).draw(runs, NOTHING)
    titles = [axis.get_title() for axis in figure.axes]
    assert len([title for title in titles if title]) == len(data) == 4
    # A column for runs without privacy, one for the others, which none of these methods has both of.
    assert "no privacy" in titles[0]
    assert [bool(title) for title in titles[:8:2]] == [True, False, False, False]
    assert "2.00" in titles[7]
    assert data["seed"].tolist() == [0, 0, 0, 0]
    style.save(figure, data, tmp_path / "figure")
    upper, _ = generated_samples.GeneratedSamples(part=0.5).draw(runs, NOTHING)
    whole, half = (np.asarray(each.axes[0].images[0].get_array()) for each in (figure, upper))
    assert np.array_equal(half, whole[: -(-len(whole) // 2)])
    with pytest.raises(ValueError, match="has no picture/samples"):
        generated_samples.GeneratedSamples().draw(runs.assign(**{"picture/samples": None}), NOTHING)


def test_samples_of_a_method_with_and_without_privacy_stand_in_one_row(runs: pd.DataFrame) -> None:
    free = runs.iloc[:1].assign(run="f" * 12, label="free", method=runs["method"].iloc[0].removeprefix("DP-"))
    free = free.assign(**{"parameters.privacy.noise": None, "delta": None, "epsilon/upper/pld": math.nan})
    both = pd.concat([runs, free])
    figure, data = generated_samples.GeneratedSamples().draw(both, NOTHING)
    titles = [axis.get_title() for axis in figure.axes]
    names = [text.get_text().replace("\n", " ") for axis in figure.axes for text in axis.texts]
    assert len(names) == 4
    assert len(data) == 5
    row = 2 * names.index("DP-SWD, public labels, 5 rows")
    assert titles[row].startswith("no privacy")
    assert "2.00" in titles[row + 1]


def test_samples_are_of_the_least_seed_where_its_calibrated_budget_is_not_the_least(runs: pd.DataFrame) -> None:
    calibrated = runs.assign(**{"epsilon/upper/pld": [2.0003, 1.9998, *runs["epsilon/upper/pld"][2:]]})
    _, data = generated_samples.GeneratedSamples().draw(calibrated[::-1], NOTHING)
    assert data["seed"].tolist() == [0, 0, 0, 0]
    assert 2.0003 in data["epsilon"].tolist()


def test_accuracy_stands_over_the_proven_budget_beside_what_is_printed(runs: pd.DataFrame, tmp_path: Path) -> None:
    mnist = runs.assign(**{"parameters.dataset": "mnist"})
    figure, data = generation_accuracy.GenerationAccuracy().draw(mnist, NOTHING)
    assert sorted(data.loc[data["kind"] == "upper", "epsilon"]) == [1.0, 1.5, 2.0]
    assert set(data.loc[data["kind"] == "published", "epsilon"].dropna()) == {10.0}
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert any("as printed, claimed not proven" in text for text in labels)
    assert {"GS-WGAN", "DP-SWD-b", "SWD"} <= set(labels)
    style.save(figure, data, tmp_path / "figure")
    alone, _ = generation_accuracy.GenerationAccuracy(published=False).draw(runs, NOTHING)
    assert not any("printed" in text.get_text() for text in alone.legends[0].get_texts())
    with pytest.raises(ValueError, match=r"(?s)classifier.*'accuracy_mlp' or 'accuracy_logistic'"):
        generation_accuracy.GenerationAccuracy(classifier="accuracy").draw(runs, NOTHING)
    with pytest.raises(ValueError, match="do not belong on one axis"):
        generation_accuracy.GenerationAccuracy().draw(
            runs.assign(**{"delta/upper/pld": [1e-4, 1e-4, 1e-5, 1e-4, None]}), NOTHING
        )


def test_accuracy_over_signal_and_noise_sets_rows_beside_gradients(runs: pd.DataFrame, tmp_path: Path) -> None:
    figure, data = generation_noise.GenerationNoise().draw(runs, NOTHING)
    # An embedding has no rows, and without privacy there is no noise.
    assert data["method"].str.startswith(("DP-SWD", "DP-SW gradients")).all()
    assert (data["epsilon"].tolist(), data["seeds"].tolist()) == ([1.5, 2.0], [1, 2])
    assert data["signal_to_noise"].iloc[0] > 3 * data["signal_to_noise"].iloc[1]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(labels) == 4, "two methods, two budgets"
    assert labels[2:] == [r"$\varepsilon$ = 1.50", r"$\varepsilon$ = 2.00"]
    style.save(figure, data, tmp_path / "figure")
    with pytest.raises(ValueError, match=r"(?s)classifier.*'accuracy_mlp' or 'accuracy_logistic'"):
        generation_noise.GenerationNoise(classifier="accuracy").draw(runs, NOTHING)
    with pytest.raises(ValueError, match="none has signal_to_noise"):
        generation_noise.GenerationNoise().draw(runs.assign(signal_to_noise=math.nan), NOTHING)
