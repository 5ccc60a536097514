"""JSON as typed on the command line."""

from __future__ import annotations

import json
from typing import Any

from wassdp import complaints


def parsed(name: str, text: str) -> Any:
    """The value of a JSON text.

    Args:
        name: of the argument.
        text: its value.

    Raises:
        ValueError: one line naming the argument: it is no JSON.

    >>> parsed("accountants", '["pld"]')
    ['pld']
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(f"{name} = {complaints.shown(text)}: must be JSON (nested too deeply)") from None
    except ValueError as error:
        raise ValueError(f"{name} = {complaints.shown(text)}: must be JSON ({error})") from None
