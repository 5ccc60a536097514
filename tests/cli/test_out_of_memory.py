"""A command that finds no place for its numbers says so in one line."""

from __future__ import annotations

from typing import Any

import pytest

from wassdp.cli import VERBS, main

SAID = {
    "python": (MemoryError(), "out of memory"),
    "numpy": (MemoryError("Unable to allocate 7.28 TiB for an array"), "out of memory"),
    "torch": (
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:121] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 "
            "bytes. Error code 12 (Cannot allocate memory)\nException raised from here"
        ),
        "out of memory (. DefaultCPUAllocator: can't allocate memory: you tried",
    ),
    "threads": (RuntimeError("unable to start watchdog thread"), "out of memory"),
}


@pytest.mark.parametrize(("error", "said"), SAID.values(), ids=SAID)
def test_no_memory_is_one_line(error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def run(arguments: object) -> int:
        raise error

    monkeypatch.setattr(VERBS.load("schema"), "run", run)
    assert main(["schema"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"wassdp schema: {said}")


def test_another_error_of_a_library_is_not_taken_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(arguments: object) -> int:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    monkeypatch.setattr(VERBS.load("schema"), "run", run)
    with pytest.raises(RuntimeError, match="shapes"):
        main(["schema"])
