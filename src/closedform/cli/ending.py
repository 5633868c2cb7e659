"""How the command line ends: exit codes, and one sentence for whatever went wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import typer

from ..errors import ClosedFormError
from .shared import warning
from .wording import as_options

EXIT_CODES = {
    0: "all went well",
    1: "the results cannot be written, or an unexpected error",
    2: "a mistake in what was given: options, names, files, folders",
    130: "Ctrl-C",
    141: "the reader of a pipe has gone, as after `| head -1`",
}
"""Exit codes and when they occur."""


def exit_code(run: Callable[[], object]) -> int:
    """Return the exit code of a command; what went wrong is one sentence on stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)  # the package's own are of this kind
        warnings.showwarning = _show
        try:
            if sys.stdout is None:
                raise OSError(errno.EBADF, "stdout is closed")
            _escape_what_cannot_be_shown()
            run()
            return 0
        except SystemExit as end:
            return _meant(end)
        except KeyboardInterrupt:
            return 130
        except ClosedFormError as error:
            _say(as_options(str(error)))
            return 2
        except MemoryError:
            _say("there is not enough memory for this; ask for less at once")
            return 1
        except Exception as error:
            return _unexpected(error)


def _meant(end: SystemExit) -> int:
    """Return the exit code of an end; versions of typer differ in how Ctrl-C and closed pipes end."""
    causes = list(_causes(end))
    if any(isinstance(each, KeyboardInterrupt) for each in causes):
        return 130
    if any(isinstance(each, BrokenPipeError) for each in causes):
        return 141
    return end.code if isinstance(end.code, int) else int(end.code is not None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and those it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _unexpected(error: Exception) -> int:
    """Say what went wrong unexpectedly, and return the exit code."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF):
        _leave_stdout()
        _say(f"the results cannot be written ({error.strerror}); make room, or write them elsewhere")
    else:
        words = " ".join(str(error).split()) or "no message"
        _say(f"unexpected {type(error).__name__}: {words}; --debug shows where, please report it")
    return 1


def _leave_stdout() -> None:
    """Let what is left to be printed go nowhere: Python tries again when it ends, and would complain."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _escape_what_cannot_be_shown() -> None:
    """Print characters that the terminal's encoding lacks as escapes, not as an error."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # stderr may be gone too
        typer.echo(f"error: {text}", err=True)


def _show(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning without the place in the source that Python adds."""
    warning(str(message))
