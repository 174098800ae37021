# SPDX-License-Identifier: Apache-2.0
"""Errors that carry help, and absence as a value with a reason."""

from __future__ import annotations

from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

# Exit codes of the shell command and of batch GDB scripts.
EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_UNUSABLE_INPUT = 3
EXIT_EXPECTATION_NOT_MET = 4
EXIT_NEWS = 5  # `fleet screen --exit-code`: something new stands out
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class EpiError(Exception):
    """Base of every error this package raises on purpose.

    `hint` says what the user may try next; it is shown after the message.
    """

    hint = ""
    exit_code = EXIT_FAILED

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        if hint is not None:
            self.hint = hint

    def one_line_text(self) -> str:
        """Return the message and the hint as one line."""
        return f"{self}; try: {self.hint}" if self.hint else str(self)


class EndRequested(BaseException):
    """A signal asks this process to end. No `except` is meant for it but the one of main().

    It may be raised again until it arrives there; `stop_raising` stops that.
    """

    stop_raising: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, signo: int) -> None:
        super().__init__(signo)
        self.exit_code = 128 + signo  # as shells have it


class Interrupted(EndRequested, KeyboardInterrupt):
    """The same by SIGINT, for code that undoes its work on a KeyboardInterrupt."""


class UsageError(EpiError):
    """Wrong arguments."""

    exit_code = EXIT_USAGE


class InputError(EpiError):
    """The input cannot be used: no core, not a core, not readable."""

    exit_code = EXIT_UNUSABLE_INPUT


class LayoutError(EpiError):
    """A struct or member that the decoder needs is not in the layout."""


class UnreadableMemory(EpiError):
    """Bytes at an address that neither the core nor a matching file holds."""

    def __init__(self, address: int, size: int, why: str = "not in the core") -> None:
        # Walks over damaged memory raise a hundred thousand of these: the text is made when read.
        Exception.__init__(self, address, size, why)
        self.address = address
        self.size = size
        self.why = why

    def __str__(self) -> str:
        return f"cannot read {self.size} bytes at {self.address:#x}: {self.why}"


# The four reasons for which a value can be absent (volatility3's idea).
UNREADABLE = "unreadable"
UNPARSABLE = "unparsable"
NOT_APPLICABLE = "not_applicable"
NOT_AVAILABLE = "not_available"


class Absent(NamedTuple):
    """A value that could not be had, and why.

    `reason` is one of unreadable, unparsable, not_applicable, not_available.
    """

    reason: str
    detail: str

    def __bool__(self) -> bool:
        return False


class SoftError(NamedTuple):
    """Something that could not be had while the rest could."""

    stage: str
    subject: str
    message: str
