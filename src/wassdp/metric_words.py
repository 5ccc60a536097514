"""What people call a metric, where its name in results is no words."""

from __future__ import annotations

from collections.abc import Mapping

ACCURACIES: Mapping[str, str] = {
    "accuracy_mlp": "MLP",
    "accuracy_mlp_stopped": "MLP, stopped early",
    "accuracy_logistic": "logistic regression",
}
"""Accuracies of classifiers that were trained on generated images (`wassdp.generation.downstream`)."""


def metric_words(name: str) -> str:
    """A metric in words.

    >>> metric_words("accuracy_mlp_stopped"), metric_words("disparate_impact")
    ('accuracy (MLP, stopped early)', 'disparate impact')
    """
    return f"accuracy ({ACCURACIES[name]})" if name in ACCURACIES else name.replace("_", " ")
