"""Models, one file per model, found by listing; the file's name is the model's name in a configuration.

Each file offers

- ``Options``: a pydantic model of the choices that the model leaves open (unknown keys are refused);
- ``impossible(input_shape, options) -> str | None``: why the model cannot be built for this shape;
- ``build(input_shape, classes, options) -> torch.nn.Module``: a model from inputs of shape
  (batch, *input_shape) to logits of shape (batch, classes), initialised from torch's global generator.

No file imports torch at module level, so that a configuration is checked without it.
"""

from __future__ import annotations

from wassdp.plugins import Plugins

MODELS = Plugins(__name__, "model")
names, load = MODELS.names, MODELS.load
