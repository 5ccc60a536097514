"""One seed, one result: devices, threads, and the independent random streams of a run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
import torch.utils.deterministic as filling

from wassdp import checks
from wassdp.noise import Bits, SystemBits, seeded

_TWISTER = 624
_BEFORE_WORDS = 24


def device(name: str) -> torch.device:
    """The device called ``auto`` (CUDA where there is one), ``cpu`` or ``cuda``.

    Raises:
        ValueError: another name, or CUDA was asked for and there is none.
    """
    checks.one_of("device", name, ("auto", "cpu", "cuda"))
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device = 'cuda': this machine has no CUDA device; must be auto or cpu")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def describe(device: torch.device) -> str:
    """What ran, for provenance: the device's model, or the number of threads, which sets the order of float sums."""
    if device.type == "cuda":
        return f"cuda ({torch.cuda.get_device_name(device)})"
    return f"cpu ({torch.get_num_threads()} thread{'s' if torch.get_num_threads() > 1 else ''})"


@dataclass(frozen=True)
class Streams:
    """The random streams of one run, independent of each other.

    Sampler and noise have streams of their own in every run, told apart by 256 bits of its whole specification, seed
    included, so that no two runs of a study share noise. Initial weights depend on the seed alone: they are public, and
    runs that differ in a setting start alike.

    The seed belongs to the run's specification, so whoever knows the specification can subtract the noise. That is
    right for a benchmark; a release about real people takes no seed (None), and its bits from the operating system.

    Args:
        initialisation: 256 bits for torch's global generator: initial weights, dropout.
        sampler: who enters each step.
        noise: the mechanism's noise.
    """

    initialisation: bytes
    sampler: Bits
    noise: Bits

    @staticmethod
    def of(seed: int | None, run: str = "", *, before_noise: Callable[[], None] | None = None) -> Streams:
        """The streams of ``seed``, a whole number of at least 0, or of the operating system (None).

        Args:
            seed: the run's seed.
            run: what tells the run from others of the same seed, e.g. a digest of its specification.
            before_noise: without a seed, called once before noise is drawn, which nobody can draw again.
        """
        if seed is None:
            return Streams(os.urandom(32), SystemBits(), SystemBits(before_noise))
        start = seeded(seed, "initialisation").words(4).tobytes()
        return Streams(start, seeded(seed, "sampler", run), seeded(seed, "noise", run))

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The state of every generator, torch's global ones included."""
        states = {
            "sampler": self.sampler.get_state(),
            "noise": self.noise.get_state(),
            "global": torch.random.get_rng_state(),
        }
        if torch.cuda.is_available():
            states["cuda"] = torch.cuda.get_rng_state()
        return states

    def load_state_dict(self, states: Mapping[str, torch.Tensor]) -> None:
        """Put every generator back to where `state_dict` found it."""
        self.sampler.set_state(states["sampler"])
        self.noise.set_state(states["noise"])
        torch.random.set_rng_state(states["global"])
        if "cuda" in states:
            torch.cuda.set_rng_state(states["cuda"])


def stream(seed: int | None, name: str, run: str = "") -> Bits:
    """One more stream of a run, unrelated to its `Streams`; arguments as there."""
    return SystemBits() if seed is None else seeded(seed, name, run)


@contextlib.contextmanager
def surroundings(initialisation: bytes, device: torch.device) -> Iterator[None]:
    """Deterministic algorithms, threads as ``OMP_NUM_THREADS`` says, torch's global generator at ``initialisation``.

    Everything is put back afterwards. A computation that has no deterministic form raises
    `RuntimeError` (torch's own, which names the operation).
    """
    if device.type == "cuda":
        # cuBLAS reads this when its first handle is made; without it matrix products are refused as non-deterministic.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    threads, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    fills: bool = filling.fill_uninitialized_memory  # type: ignore[attr-defined]
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        seed_globally(initialisation)
        torch.use_deterministic_algorithms(True)
        # Memory that nothing is written to yet shows up as NaN. On CUDA each filling is a kernel of its own, some two
        # hundred in a step of DP-SWD; the processor, where it costs nothing to speak of, runs the same code.
        filling.fill_uninitialized_memory = fills and device.type == "cpu"  # type: ignore[attr-defined]
        torch.set_num_threads(_threads(threads))
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(deterministic)
            filling.fill_uninitialized_memory = fills  # type: ignore[attr-defined]
            torch.set_num_threads(threads)


def seed_globally(initialisation: bytes) -> None:
    """Start torch's global generators: the processor's with all of its 19,937 bits, CUDA's with the 64 it takes.

    `torch.manual_seed` would keep 32 bits of any seed on the processor.
    """
    entropy = np.frombuffer(initialisation, dtype=np.uint32)
    words = np.random.SeedSequence(entropy.tolist()).generate_state(_TWISTER, np.uint32)
    torch.manual_seed(int.from_bytes(initialisation[:8], "little") >> 1)
    state = torch.random.get_rng_state()
    # Behind the seed and two counters lie the Mersenne twister's words, each in 64 bits, to be mixed before use.
    words_of_state = slice(_BEFORE_WORDS, _BEFORE_WORDS + 8 * _TWISTER)
    state[words_of_state] = torch.from_numpy(words.astype(np.uint64).view(np.uint8))
    torch.random.set_rng_state(state)


def _threads(default: int) -> int:
    # OpenMP allows a list, one number per nesting level; the first is ours.
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) if first.isdigit() and int(first) > 0 else default
