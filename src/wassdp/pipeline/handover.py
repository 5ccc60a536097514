"""A command line handed to a pipeline's forks, if there are any (`wassdp.pipeline.forks`). Imports next to nothing.

What a fork does, its files, its output, its exit code and the signal that ends it are those of a process of its own.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Sequence

ADDRESS = "WASSDP_FORKS"
"""Names the socket, in the environment of the pipeline's jobs, and after a colon the Python environment it is of."""
THREADS = "OMP_NUM_THREADS"
"""Libraries read it when they are loaded: a fork has the number of threads that was in force then."""
LENGTH = struct.Struct("!I")


def handed_over(words: Sequence[str]) -> int | None:
    """The exit code of ``wassdp WORDS``, done by a fork; None where there is none to do it."""
    address, _, prefix = os.environ.get(ADDRESS, "").partition(":")
    if not address or prefix != sys.prefix or os.environ.get(THREADS, "1") != "1":
        return None
    request = json.dumps({"words": list(words), "folder": os.getcwd(), "environment": dict(os.environ)}).encode()
    with socket.socket(socket.AF_UNIX) as link:
        try:
            link.connect(address)
        except OSError:  # the pipeline is gone
            return None
        socket.send_fds(link, [LENGTH.pack(len(request))], [0, 1, 2])
        link.sendall(request)
        reply = link.recv(LENGTH.size)
    if len(reply) < LENGTH.size:
        print("wassdp: the process that runs the pipeline's jobs ended before this one", file=sys.stderr)
        return 1
    (status,) = LENGTH.unpack(reply)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code != signal.SIGKILL:  # which nobody can catch
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code
