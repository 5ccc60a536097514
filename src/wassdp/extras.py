"""What to install for the parts that need more than the core: the extras of ``pyproject.toml``, by what they import."""

from __future__ import annotations

IMPORTED = {
    "train": ("PIL", "filelock", "llvmlite", "numba", "opacus", "sklearn", "torch", "torchvision"),
    "pipeline": (
        "PIL",
        "filelock",
        "jinja2",
        "markupsafe",
        "matplotlib",
        "mlflow",
        "optuna",
        "pandas",
        "seaborn",
        "snakemake",
        "sqlalchemy",
        "threadpoolctl",
        "yaml",
    ),
}
"""Packages that each extra brings, as they are imported."""


def advice(error: ModuleNotFoundError) -> str | None:
    """What to install where ``error`` says that a package of an extra is missing; None where it says something else.

    >>> advice(ModuleNotFoundError("No module named 'torch'", name="torch"))
    "torch is not installed: pip install 'wassdp[train]'"
    """
    extras = [extra for extra, packages in IMPORTED.items() if error.name in packages]
    if not extras:
        return None
    return f"{error.name} is not installed: " + " or ".join(f"pip install 'wassdp[{extra}]'" for extra in extras)
