"""What every part of a configuration and of an experiment's parameters has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A choice, made once: it cannot change, and unknown keys, NaN and infinity are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def modules(self) -> tuple[str, ...]:
        """Modules that it loads by name and no field of it names; their code belongs to the hash of a run."""
        return ()
