"""Passwords of tracking stores, kept out of all that is printed: what is printed ends up in ``results/logs``."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from typing import TextIO
from urllib.parse import unquote

HIDDEN = "…"


def without_password(text: str, uri: str = "") -> str:
    """``text`` with the credentials taken out of every address in it.

    Args:
        text: anything.
        uri: an address whose user, password and options are taken out wherever they stand, in any spelling.

    >>> without_password("http://me:word@host:5000 refuses")
    'http://…@host:5000 refuses'
    >>> without_password("no access for me with p@ss/word", "mysql://me:p@ss/word@host/db?ssl_key=k")
    'no access for me with …'
    """
    for secret in _secrets(uri):
        text = text.replace(secret, HIDDEN)
    return re.sub(r"//[^/@\s]+@", f"//{HIDDEN}@", text)


def _secrets(uri: str) -> list[str]:
    """What must not be seen of an address, the longest first: credentials, the password alone, the options."""
    scheme, _, rest = uri.partition("://")
    address, _, options = rest.partition("?")
    found = [options, *(part.partition("=")[2] for part in options.split("&"))]
    # The last @: a password may hold one, and a slash too, although both should be written in per cent.
    credentials, at, _ = address.rpartition("@")
    if at and not scheme.startswith("sqlite"):  # a file's path
        found += [credentials, credentials.partition(":")[2]]
    # A short word (an option's 1, a user's password "a") would be cut out of everything that is said.
    spelled = {word for text in found for word in (text, unquote(text)) if len(word) > 2}
    return sorted(spelled, key=len, reverse=True)


@contextlib.contextmanager
def hidden(uri: str) -> Iterator[None]:
    """In this block nothing that is printed or raised shows the credentials in ``uri``, whoever prints or raises it.

    Raises:
        RuntimeError: in place of an error whose text, or whose cause's text, shows them.
    """
    if not _secrets(uri):
        yield
        return
    try:
        with (
            _Clean(sys.stdout, uri) as out,
            _Clean(sys.stderr, uri) as err,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            yield
    except Exception as error:
        texts = [f"{type(each).__name__}: {each}" for each in _chain(error)]
        if all(without_password(text, uri) == text for text in texts):
            raise
        message = without_password(str(error), uri)
        # The kind decides the exit code; a kind that takes more than a text becomes an error of its own.
        kind = next((kind for kind in (ValueError, OSError) if isinstance(error, kind)), RuntimeError)
        raise kind(message) from None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in seen:
        seen.append(following)
        yield following
        following = following.__cause__ or following.__context__


class _Clean(io.TextIOBase):
    """A stream that passes on what is written to it, line by line, without credentials."""

    def __init__(self, stream: TextIO, uri: str) -> None:
        self._stream = stream
        self._uri = uri
        self._line = ""

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._stream.write(without_password(line, self._uri) + "\n")
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def close(self) -> None:
        """Pass on what is left; the stream itself belongs to the process and stays open."""
        if self._line:
            self._stream.write(without_password(self._line, self._uri))
            self._line = ""
