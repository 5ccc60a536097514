"""What a figure and a table are: one class in one file of `wassdp.report.figures` or `wassdp.report.tables`.

Its fields are its options, and its caption stands beside the code that draws it.
"""

from __future__ import annotations

import abc
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import jinja2
import pandas as pd
from pydantic import model_validator

from wassdp import complaints
from wassdp.sections import Section

if TYPE_CHECKING:  # whoever checks a configuration or collects results draws nothing
    import matplotlib.figure

Drawing: TypeAlias = "tuple[matplotlib.figure.Figure, pd.DataFrame]"
"""A figure, and a data frame of what it shows."""


class Output(Section, abc.ABC):
    """What is made of an experiment's runs. Unknown options are refused."""

    caption: ClassVar[str]
    """What a reader has to know: a Jinja template of reStructuredText over the options."""
    compares: ClassVar[bool] = False
    """Whether it is made of all experiments of one task (`wassdp.selection.Compared`), not of one experiment alone."""

    @model_validator(mode="after")
    def _names_alone(self) -> Output:
        """Options are names: captions hold them, which are marked text to a report, a page and MLflow."""
        for name, value in self.model_dump().items():
            for text in _texts(value):
                if not re.fullmatch(r"[\w ./+-]*", text):
                    allowed = "letters, digits, spaces and _ . / + -"
                    raise ValueError(f"{name} = {complaints.shown(text)}: must be {allowed}")
        return self

    def accountants_needed(self) -> tuple[str, ...]:
        """Accountants without which it cannot be made: their names in results, alone or after their kind (upper/pld).

        A configuration whose experiment lacks one is refused before anything is computed.
        """
        return ()

    def budgets_shown(self) -> tuple[str, ...]:
        """The same, where a run is private: every such run has to have a budget by each of these."""
        return ()

    def parameters_shown(self) -> Mapping[str, str]:
        """Options that are values of a parameter, and its name: a run of the experiment has to have each value.

        A configuration whose experiment has no such run is refused before anything is computed.
        """
        return {}

    def captioned(self) -> str:
        """The caption, with these options filled in.

        Raises:
            ValueError: it names what is no option.
        """
        template = jinja2.Template(inspect.cleandoc(self.caption), undefined=jinja2.StrictUndefined)
        options = self.model_dump()
        try:
            text: str = template.render(options)
        except jinja2.UndefinedError as error:
            known = ", ".join(sorted(options)) or "none"
            raise ValueError(f"caption of {type(self).__module__}: {error}; its options are {known}") from error
        return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in (*value, *value.values()) if isinstance(value, Mapping) else value:
            yield from _texts(part)


class Figure(Output):
    """A kind of figure."""

    @abc.abstractmethod
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """The figure of these runs.

        Args:
            runs: rows of the table of runs, of one experiment.
            history: their curves.

        Raises:
            ValueError: it cannot be made of them.
        """


class Table(Output):
    """A kind of table."""

    @abc.abstractmethod
    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """The table of these runs; arguments and errors as for a figure."""
