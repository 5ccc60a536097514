"""The jobs of a pipeline as forks of one process that has everything loaded.

Most jobs of a small set take less time than loading the libraries that they need. Where a pipeline runs its jobs on
its own machine, it starts ``python -m wassdp.pipeline.forks SOCKET`` once. A job's command line then does its work in a
fork of that process (`wassdp.pipeline.handover`): with its own files, output, exit code and end, so that nothing but
the time to load is shared. Without it, or with several threads, each job is a process of its own, as on a cluster.

It ends when its standard input does, that is with the pipeline, however that ends; forks that are at work then end as
they would have. A job whose command is killed ends with it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import wassdp
from wassdp import code, syntax
from wassdp.pipeline.handover import LENGTH, THREADS

APART = (
    *("wassdp.tracking", "wassdp.training.engines.opacus", "wassdp.training.clipping.opacus", "wassdp.protocol.final"),
    *("wassdp.pipeline.forks", "wassdp.__main__"),
)
"""Beginnings of the names of modules that few jobs need and that load much."""


def start(address: Path) -> None:
    """Start the process, which ends with this one; nothing where the system cannot do it.

    Args:
        address: of its socket, in a folder that is made for it and goes with it. It may have a hundred characters.
    """
    if not (hasattr(os, "pidfd_open") and hasattr(select, "epoll")):
        return
    address.parent.mkdir(mode=0o700)
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(address)],
        stdin=subprocess.PIPE,  # never written to: it ends with us
        stdout=subprocess.PIPE,
        env=os.environ | {THREADS: "1"},
    )
    assert process.stdout is not None, "it is a pipe"
    process.stdout.readline()  # it listens; a job that comes before all is loaded waits
    _STARTED.append(process)


_STARTED: list[subprocess.Popen[bytes]] = []
"""Held so that the pipe stays open."""


def load_all() -> None:
    """Import the package and so the libraries that it needs; a file that cannot be imported is left to its job.

    What is loaded is also hashed, once for all jobs: their results name the code that they run, with its versions.
    """
    for module in pkgutil.walk_packages(wassdp.__path__, f"{wassdp.__name__}.", onerror=lambda name: None):
        if not module.name.startswith(APART):
            with contextlib.suppress(Exception):
                importlib.import_module(module.name)
                code.keep([module.name])
    syntax.keep()
    # Here, since the pipeline's own process loads this file as well, to start that of the forks.
    from wassdp.pipeline import provenance

    provenance.versions(), provenance.machine()


def serve(address: str) -> None:
    """Do jobs that come through the socket until standard input ends and the last fork has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of the terminal; the pipe ends us
    with socket.socket(socket.AF_UNIX) as listener, select.epoll() as events:
        listener.bind(address)
        listener.listen(128)
        print("listening", flush=True)
        load_all()
        gc.freeze()
        events.register(listener, select.EPOLLIN)
        events.register(sys.stdin.fileno(), select.EPOLLIN | select.EPOLLHUP)
        jobs: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor of the process and by that of the link
        taking = True
        while taking or jobs:
            # One at a time: what is done for one may close, or open anew, the descriptor of the next.
            ((descriptor, _),) = events.poll(maxevents=1)
            if descriptor == listener.fileno():
                _accept(listener, events, jobs)
            elif descriptor in jobs:
                _attend(descriptor, events, jobs)
            elif descriptor == sys.stdin.fileno() and not os.read(descriptor, 1024):
                events.unregister(descriptor)
                events.unregister(listener)
                shutil.rmtree(Path(address).parent, ignore_errors=True)
                taking = False


def _accept(listener: socket.socket, events: select.epoll, jobs: dict[int, tuple[int, socket.socket]]) -> None:
    link, _ = listener.accept()
    process = os.fork()
    if process == 0:
        listener.close()
        events.close()
        for _, other in jobs.values():
            other.close()
        _work(link)
    handle = os.pidfd_open(process)
    jobs[handle] = jobs[link.fileno()] = (process, link)
    events.register(handle, select.EPOLLIN)
    events.register(link, select.EPOLLRDHUP)


def _attend(descriptor: int, events: select.epoll, jobs: dict[int, tuple[int, socket.socket]]) -> None:
    """A fork has ended, or whoever waits for it has."""
    process, link = jobs[descriptor]
    if descriptor == link.fileno():
        events.unregister(link)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
        del jobs[descriptor]
        return
    _, status = os.waitpid(process, 0)
    with contextlib.suppress(OSError):
        link.sendall(LENGTH.pack(status))
    jobs.pop(link.fileno(), None)
    del jobs[descriptor]
    events.unregister(descriptor)
    os.close(descriptor)
    link.close()


def _work(link: socket.socket) -> NoReturn:
    """Do one command line in this fork, and end it."""
    status = 1
    try:
        header, descriptors, _, _ = socket.recv_fds(link, LENGTH.size, 3)
        (left,) = LENGTH.unpack(header)
        parts = []
        while left:
            parts.append(link.recv(left))
            left -= len(parts[-1])
        request = json.loads(b"".join(parts))
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        # The link stays open: the other end tells this one's death by it.
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["wassdp", *request["words"]]
        from wassdp.cli import main  # what a command line loads first, as everywhere

        status = main(request["words"])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        # What others registered to be done at exit is the first process's.
        os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])
