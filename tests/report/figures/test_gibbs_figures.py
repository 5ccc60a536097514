"""Figures and table of Gibbs posteriors, drawn from runs of the experiments themselves."""

import numpy as np
import pandas as pd
import pytest

from wassdp import experiment, labels
from wassdp.experiments import gibbs_accuracy, gibbs_bounds, gibbs_deletion, gibbs_noisy_sgd, gibbs_sampling
from wassdp.report import style
from wassdp.report.figures import gibbs_accuracy as accuracy
from wassdp.report.figures import gibbs_chains as chains
from wassdp.report.figures import gibbs_deletion as deletion
from wassdp.report.figures import gibbs_noisy_sgd as noisy
from wassdp.report.figures import tangent_looseness, tangent_over_beta
from wassdp.report.tables import gibbs_estimates

TWO = {"dataset": "digits", "cells": [4, 4], "keep": [11, 12], "records": 30}


def frames(kind, settings, tmp_path):
    runs, history = [], []
    for number, parameters in enumerate(settings):
        model = kind.Parameters.model_validate(parameters)
        found = kind.run(model, seed=0, context=experiment.Context(folder=tmp_path, code="test"))
        columns = {f"parameters.{key}": value for key, value in labels.flat(model.model_dump(mode="json")).items()}
        (label,) = labels.labels("trial", [model])
        runs.append({"run": f"{number:012x}", "seed": 0, "label": label.text} | columns | found.metrics)
        history += [{"run": f"{number:012x}"} | point.model_dump() for point in found.history]
    frame = pd.DataFrame(history)
    if len(frame):
        frame["value"] = frame["value"].fillna(float("inf"))
    return pd.DataFrame(runs), frame


def texts(figure):
    return [text.get_text() for axis in figure.axes for text in axis.texts]


def test_bounds_and_looseness(tmp_path):
    settings = [{"problem": TWO, "loss": loss, "points": 6, "count": 5} for loss in ("savage", "zero_one")]
    runs, history = frames(gibbs_bounds, settings, tmp_path)
    figure, data = tangent_over_beta.TangentOverBeta().draw(runs, history)
    style.save(figure, data, tmp_path / "bounds")
    assert set(data["line"]) == set(tangent_over_beta.LINES)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert any(label.startswith("upper bound") for label in labels)
    assert any(label.startswith("published") for label in labels)
    figure, data = tangent_looseness.TangentLooseness().draw(runs, history)
    style.save(figure, data, tmp_path / "looseness")
    assert {"bound/norm 3.3", "bound/norm 3.3 repaired", "R of 3.1 / max |r|"} <= set(data["line"])
    assert (data.loc[data["line"] == "bound/norm 3.3 repaired", "value"] >= 1).all()
    assert (data.loc[data["line"] == "bound/norm 3.3", "value"] < 1).any()
    jumping = data[data["loss"] == "zero_one"]
    assert set(jumping["line"]) == {"bound/norm 3.1", "bound/norm 3.2", "R of 3.1 / max |r|"}
    with pytest.raises(ValueError, match=r"parameters\.loss = savage stands there twice"):
        tangent_looseness.TangentLooseness().draw(pd.concat([runs, runs]), history)
    with pytest.raises(ValueError, match="has no log_ratio/deletion"):
        tangent_over_beta.TangentOverBeta().draw(runs, history[history["metric"] != "log_ratio/deletion"])


def test_heat_maps(tmp_path):
    settings = [{"problem": TWO, "inverse_temperature": beta, "points": 8} for beta in (10, 100)]
    runs, history = frames(gibbs_deletion, settings, tmp_path)
    figure, data = deletion.GibbsDeletion().draw(runs, history)
    style.save(figure, data, tmp_path / "figure")
    assert len(data) == 2 * 64
    change = (data["log_q_deleted"] - data["log_q"]).abs().groupby(data["beta"]).max()
    assert change.tolist() == pytest.approx(runs["log_ratio"].tolist())
    with pytest.raises(ValueError, match="no whole log_q/after"):
        deletion.GibbsDeletion().draw(runs, history[history["metric"] != "log_q/after/3"])


def test_accuracy_marks_what_has_not_converged(tmp_path):
    problem = {"dataset": "digits", "cells": [2, 2]}
    common = {"problem": problem, "loss": "savage", "epsilon": 1}
    settings = [
        common | {"draw": "finite", "hypotheses": 50},
        common | {"draw": "mala", "warm_up": 40, "draws": 20, "thin": 1},
    ]
    runs, history = frames(gibbs_accuracy, settings, tmp_path)
    figure, data = accuracy.GibbsAccuracy().draw(runs, history)
    style.save(figure, data, tmp_path / "figure")
    assert data.set_index("draw")["converged"].to_dict() == {"finite": 1, "mala": 0}
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "open: chains not converged" in labels
    assert any("no proof" in label for label in labels)
    _, exact = accuracy.GibbsAccuracy().draw(
        runs[runs["parameters.draw"] == "finite"].drop(columns="converged"), history
    )
    assert len(exact) == 1


@pytest.mark.parametrize("lacking", ["a value", "the column"])
def test_chains_of_which_nothing_is_known_are_not_shown_as_converged(lacking):
    usual = {"parameters.problem.dataset": "digits", "parameters.loss": "savage", "accuracy": 0.9, "records": 30}
    budget = {"epsilon_exact_draw": 1.0, "seed": 0}
    rows = [usual | budget | {"parameters.draw": draw} for draw in ("finite", "mala")]
    runs = pd.DataFrame(rows) if lacking == "the column" else pd.DataFrame(rows).assign(converged=[1.0, None])
    figure, data = accuracy.GibbsAccuracy().draw(runs, pd.DataFrame())
    assert data.set_index("draw")["converged"].to_dict() == {"finite": 1, "mala": 0}
    assert "open: chains not converged" in [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize(("converged", "marks"), [(1.0, []), (0.0, ["NOT CONVERGED"]), (None, ["NOT CONVERGED"])])
def test_only_chains_that_are_known_to_have_converged_have_no_mark(converged, marks):
    runs = pd.DataFrame([{"run": "a", "label": "x", "parameters.problem.dataset": "digits", "converged": converged}])
    points = [("trace/0", "draw"), ("trace/1", "draw"), ("density/0", "value"), ("density/1", "value"), ("r_hat", "n")]
    history = pd.DataFrame(
        [
            {"run": "a", "metric": metric, "axis": axis, "position": position, "value": 1.0 + 0.001 * position}
            for metric, axis in points
            for position in (1, 2, 3)
        ]
    )
    assert texts(chains.GibbsChains().draw(runs, history)[0]) == marks


def test_chains_that_disagree_are_marked(tmp_path):
    settings = [
        {"problem": TWO, "loss": "savage", "inverse_temperature": 100, "draws": 1500, "grid_points": 81},
        {"problem": TWO, "loss": "zero_one", "inverse_temperature": 300, "hidden": 2, "warm_up": 100, "draws": 100},
    ]
    runs, history = frames(gibbs_sampling, settings, tmp_path)
    assert runs["converged"].tolist() == [1, 0]
    figure, data = chains.GibbsChains().draw(runs, history)
    style.save(figure, data, tmp_path / "figure")
    assert texts(figure) == ["NOT CONVERGED"]
    table = gibbs_estimates.GibbsEstimatesTable().build(runs, history)
    assert table["chains"].tolist() == ["converged", "converged", "not converged"]
    assert table["R of theorem"].tolist() == ["3.1", "3.3", "3.1"]
    assert table["exact"].notna().tolist() == [True, True, False]
    with pytest.raises(ValueError, match="has no traces"):
        chains.GibbsChains().draw(runs, history[~history["metric"].str.startswith("trace")])


def test_noisy_sgd_leaves_out_rates_that_diverge(tmp_path):
    settings = [{
        "problem": TWO, "loss": "squared", "inverse_temperature": 20, "base_std": 1, "batch": 10,
        "rates": [0.3, 1000], "chains": 10, "steps": 100, "grid_points": 41,
    }]  # fmt: skip
    runs, history = frames(gibbs_noisy_sgd, settings, tmp_path)
    figure, data = noisy.GibbsNoisySgd().draw(runs, history)
    style.save(figure, data, tmp_path / "figure")
    assert data["learning_rate"].tolist() == [0.3, 0.3]
    other = history.assign(run="other", value=history["value"].where(np.isfinite(history["value"]), 1.0))
    both = pd.concat([runs, runs.assign(run="other", seed=1)])
    _, data = noisy.GibbsNoisySgd().draw(both, pd.concat([history, other]))
    assert data["learning_rate"].tolist() == [0.3, 0.3], "a mean over the seeds that did not diverge"
    with pytest.raises(ValueError, match="floor"):
        noisy.GibbsNoisySgd().draw(runs.drop(columns="floor"), history)
