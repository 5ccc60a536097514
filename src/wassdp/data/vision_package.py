"""torchvision, whatever build of torch is installed. The one place of the project that imports it.

torchvision's wheels hold compiled operators for one build of torch. Beside another build (a CPU torch with the
wheel made for CUDA) they do not load, and then ``import torchvision`` fails although datasets, transforms and
models need none of them: its Python files register shapes for the operators ``nms`` and ``qnms``, which do not
exist. Declaring those two names is enough. Calling them still fails, as it should.
"""

from __future__ import annotations

import functools
import importlib
import sys
import warnings
from types import ModuleType
from typing import Any


def torchvision(module: str = "") -> ModuleType:
    """``torchvision``, or its submodule ``module``, e.g. ``datasets``."""
    name = f"torchvision.{module}" if module else "torchvision"
    with warnings.catch_warnings():
        # Its picture decoders are compiled, too; pictures are read with Pillow here.
        warnings.filterwarnings("ignore", message="Failed to load image Python extension")
        try:
            return importlib.import_module(name)
        except RuntimeError as error:
            if "torchvision::nms" not in str(error):
                raise
        for loaded in [key for key in sys.modules if key.partition(".")[0] == "torchvision"]:
            del sys.modules[loaded]
        _declared_operators()
        return importlib.import_module(name)


@functools.cache
def _declared_operators() -> Any:
    """The library that declares the names; cached, because they last only as long as it does."""
    # Late: datasets are described and listed, and their annotations read, where torch is not installed.
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return library
