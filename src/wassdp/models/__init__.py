"""Models, one file per model, found by listing; the file's name is the model's name in a configuration.

Each file offers one class derived from `Architecture`: the choices that the model leaves open, which build it.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, ValidationError, model_validator
from torch import nn

from wassdp import checks, complaints
from wassdp.plugins import Plugins
from wassdp.sections import Section

MODELS = Plugins(__name__, "model")
names = MODELS.names


class Architecture(Section):
    """The choices that a model leaves open.

    Attributes:
        linear: whether logits are linear in the inputs, so that a feature more would have weights of its own.
    """

    linear: ClassVar[bool] = False

    def impossible(self, input_shape: tuple[int, ...]) -> str | None:
        """Why the model cannot be built for inputs of this shape, or None."""
        return None

    def mixing(self) -> str | None:
        """Why no gradient of the model belongs to one example alone, or None; the engines refuse such a network."""
        return None

    def build(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        """A model from inputs of shape (batch, *input_shape) to logits of shape (batch, classes).

        It is initialised from torch's global generator.

        Args:
            input_shape: shape of one input, (channels, height, width) where it is an image.
            classes: number of classes, at least 2.

        Raises:
            ValueError: the model is `impossible` for this shape, or there are fewer than two classes.
        """
        if reason := self.impossible(input_shape):
            raise ValueError(reason)
        return self.network(input_shape, checks.whole("classes", classes, least=2))

    def network(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        """What `build` gives, once it has checked its arguments."""
        raise NotImplementedError


class Model(Section):
    """A model by name, with its options."""

    name: Annotated[str, MODELS, Field(description="file of wassdp.models")]
    options: dict[str, Any] = Field(default_factory=dict, description="options of the model")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        kind = MODELS.choice(self.name, Architecture)
        try:
            options = kind.model_validate(self.options).model_dump()
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            allowed = ", ".join(kind.model_fields) or "none"
            key = complaints.dotted(first["loc"])
            message = "unknown key" if first["type"] == "extra_forbidden" else first["msg"]
            raise ValueError(
                f"options.{key} = {first['input']!r}: {message} (options of {self.name}: {allowed})"
            ) from None
        # Defaults are written out, so that a run's specification says everything and equal runs have equal ids.
        self.options.clear()
        self.options.update(options)
        return self

    def impossible(self, input_shape: tuple[int, ...], dataset: str, *, private: bool) -> str | None:
        """Why the model cannot learn from a dataset, with gradients clipped by example if ``private``, or None."""
        if reason := self.architecture.impossible(input_shape):
            return f"model {self.name} on {dataset}: {reason}"
        if private and (reason := self.architecture.mixing()):
            return f"model {self.name} with privacy: {reason}"
        return None

    @property
    def architecture(self) -> Architecture:
        """The model's own class, with these options."""
        return MODELS.choice(self.name, Architecture).model_validate(self.options)
