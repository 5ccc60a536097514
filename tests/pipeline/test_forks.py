"""Command lines done by forks of one process: what they leave behind is what a process of their own leaves."""

from __future__ import annotations

import concurrent.futures
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from wassdp.pipeline import forks
from wassdp.pipeline.handover import ADDRESS, THREADS

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
BUDGET = ("epsilon", "gaussian", "--noise-multiplier", "4", "--delta", "1e-5", "--accountant", "zcdp")


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    """The environment of a job, and the process that its forks come from; it ends with the fixture."""
    address = Path(tempfile.gettempdir()) / f"wassdp-{secrets.token_hex(8)}" / "forks"
    forks.start(address)
    (process,) = forks._STARTED
    assert process.stdin is not None
    yield {**os.environ, ADDRESS: f"{address}:{sys.prefix}", THREADS: "1"}
    process.stdin.close()
    assert process.wait(60) == 0
    assert not address.parent.exists()
    forks._STARTED.clear()


def wassdp(*words: str, environment: dict[str, str], **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wassdp", *words],
        env=environment,
        capture_output=True,
        text=True,
        **more,  # type: ignore[call-overload]
    )


def at_work() -> list[int]:
    """Process numbers of the forks."""
    parent = forks._STARTED[0].pid
    return [int(number) for number in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


@pytest.mark.parametrize(
    "words",
    [
        BUDGET,
        ("--version",),
        ("epsilon", "gaussian", "--delta", "1e-5"),
        ("collect", "--results", "nowhere"),
        ("trian",),
    ],
    ids=["answer", "version", "refusal", "no file", "no verb"],
)
def test_output_and_exit_code_are_those_of_a_process(environment: dict[str, str], words: tuple[str, ...]) -> None:
    alone = {key: value for key, value in environment.items() if key != ADDRESS}
    one, other = (wassdp(*words, environment=surroundings) for surroundings in (environment, alone))
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)


def test_it_works_in_the_folder_and_environment_of_its_command(environment: dict[str, str], tmp_path: Path) -> None:
    done = wassdp(*BUDGET, environment=environment | {"WASSDP_BENCHMARK": "here/b.tsv"}, cwd=tmp_path)
    assert done.returncode == 0
    names, values = (line.split("\t") for line in (tmp_path / "here" / "b.tsv").read_text().splitlines())
    measured = dict(zip(names, values, strict=True))
    assert 0 < float(measured["s"]) < 60
    assert 0 <= float(measured["cpu_time"]) < 60
    assert float(measured["max_rss"]) > 10


def test_with_several_threads_or_without_the_process_a_command_is_its_own(environment: dict[str, str]) -> None:
    address = environment[ADDRESS].partition(":")[0]
    others = ({THREADS: "2"}, {ADDRESS: f"/nowhere/forks:{sys.prefix}"}, {ADDRESS: f"{address}:/another/python"})
    for surroundings in (environment | other for other in others):
        assert wassdp(*BUDGET, environment=surroundings).stdout.startswith("1 step, ")


def test_a_fork_ends_with_its_command(environment: dict[str, str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.yaml")  # reading it waits for somebody to write
    command = [sys.executable, "-m", "wassdp", "plan", "--config", str(tmp_path / "config.yaml")]
    for end in (signal.SIGTERM, signal.SIGKILL):
        with subprocess.Popen(command, env=environment) as waiting:
            until = time.monotonic() + 60
            while not at_work() and time.monotonic() < until:
                time.sleep(0.05)
            assert at_work(), "a fork is at work"
            waiting.send_signal(end)
        while at_work() and time.monotonic() < until:
            time.sleep(0.05)
        assert not at_work()


def test_a_fork_that_is_killed_kills_its_command_likewise(environment: dict[str, str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.yaml")
    command = [sys.executable, "-m", "wassdp", "plan", "--config", str(tmp_path / "config.yaml")]
    with subprocess.Popen(command, env=environment) as waiting:
        until = time.monotonic() + 60
        while not at_work() and time.monotonic() < until:
            time.sleep(0.05)
        (fork,) = at_work()
        os.kill(fork, signal.SIGKILL)
    assert waiting.returncode == -signal.SIGKILL


def test_many_at_once_and_many_that_leave_are_all_attended_to(environment: dict[str, str]) -> None:
    def one(number: int) -> int:
        command = [sys.executable, "-m", "wassdp", *BUDGET]
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as waiting:
            if number % 4 == 0:  # at any moment of a fork's life
                time.sleep(number / 400)
                waiting.kill()
        return waiting.returncode

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        codes = list(threads.map(one, range(64)))
    assert all(code == 0 for number, code in enumerate(codes) if number % 4)
    assert all(code in (0, -signal.SIGKILL) for code in codes)
    until = time.monotonic() + 60
    while at_work() and time.monotonic() < until:
        time.sleep(0.05)
    assert not at_work()
