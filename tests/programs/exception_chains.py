# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["exceptionbed.py"]}
"""Die while exceptions with chains are handled: nested handlers, cycles, re-raised, long ones."""

import deathbed
import exceptionbed


class Own(Exception):
    pass


class Base(BaseException):
    """Of no Exception."""


def fail(kind, *args):
    raise kind(*args)


def long_chain():
    """Each raised while the one before was handled."""
    error = None
    for number in range(40):
        try:
            try:
                raise error or Own(0)
            except Own:
                fail(Own, number + 1)
        except Own as again:
            error = again
    try:
        raise error
    except Own as last:
        exceptionbed.park(last)


def cycle():
    first, second = KeyError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    first.__context__ = second
    try:
        raise first
    except KeyError as error:
        exceptionbed.park(error)


def from_none():
    try:
        try:
            fail(ZeroDivisionError, "hidden")
        except ZeroDivisionError:
            raise Base("shown", 1) from None
    except Base as error:
        exceptionbed.park(error)


def from_both():
    try:
        try:
            1 / 0
        except ZeroDivisionError:
            raise Own("has", "both") from TypeError("cause")
    except Own as error:
        exceptionbed.park(error)


def reraised():
    try:
        try:
            try:
                fail(Own, "thrice")
            except Own:
                raise
        except Own as error:
            raise error
    except Own as error:
        exceptionbed.park(error)


def with_traceback():
    """Raised with the traceback of another one."""
    try:
        fail(KeyError, 1)
    except KeyError as error:
        borrowed = error.__traceback__
    try:
        raise Own("borrowing").with_traceback(borrowed)
    except Own as error:
        exceptionbed.park(error)


def without_traceback():
    error = Own("never raised, but set")
    try:
        raise error
    except Own:
        error.__traceback__ = None
        exceptionbed.park(error)


def recursion(depth=0):
    try:
        too_deep()
    except RecursionError as error:
        exceptionbed.park(error)


def too_deep():
    too_deep()


def in_finally():
    try:
        try:
            fail(LookupError, "unwinding")
        finally:
            import sys

            exceptionbed.park(sys.exc_info()[1])
    except LookupError:
        pass


def implicit():
    """Of the interpreter's own making."""
    try:
        try:
            try:
                missing_name
            except NameError:
                None.attribute
        except AttributeError:
            assert [] == [1], ("compared", 2)
    except AssertionError as error:
        exceptionbed.park(error)


def nested(way):
    """Three handlers in one frame: only the innermost is on the exc_info stack."""
    try:
        fail(KeyError, "outer")
    except KeyError:
        try:
            fail(IndexError, "middle")
        except IndexError:
            try:
                fail(Own, "inner", None, 2.5)
            except Own as error:
                exceptionbed.die(way, error)


if __name__ == "__main__":
    how = deathbed.prepare("raise")
    exceptionbed.start(long_chain, cycle, from_none, from_both, reraised)
    exceptionbed.start(with_traceback, without_traceback, recursion, in_finally, implicit)
    nested(how)
