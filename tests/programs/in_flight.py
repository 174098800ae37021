# SPDX-License-Identifier: Apache-2.0
# corpus: {"arguments": ["made"]}
# corpus: {"name": "in_flight-unmade", "arguments": ["unmade"]}
"""Die while an exception is in flight, below one that is handled; a thread handles another.

The crash is in the interpreter's own clean-up: an exception unwinds past a list, waiting as an
argument, whose items lie where nothing is.

    in_flight.py TRUTH made      the exception is an object when the process dies
    in_flight.py TRUTH unmade    raised in C, nothing handled: up to 3.11 it is a type and a value
"""

import builtins
import ctypes
import gc
import os
import signal
import sys
import threading
import traceback

import deathbed

WAY = deathbed.Way("in-flight", None, (), signal.SIGSEGV, True)
NOTES = hasattr(BaseException(), "add_note")
told = {}


class OwnError(Exception):
    """Made by a class statement, so its name has a module."""


class Described(Exception):
    def __str__(self):
        return "said by Python code"


def describe(error, seen=()):
    """Return the truth about an exception, and about those that it leads to."""
    if error is None or id(error) in seen:
        return None
    seen = (*seen, id(error))
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else kind.__module__ + "."
    return {
        "type": module + kind.__qualname__,
        "message": None if isinstance(error, Described) else str(error),
        "args": repr(error.args),
        "notes": list(getattr(error, "__notes__", [])),
        "errno": error.errno if isinstance(error, OSError) else None,
        "suppress": error.__suppress_context__,
        "traceback": lines_of(error),
        "cause": describe(error.__cause__, seen),
        "context": describe(error.__context__, seen),
        "members": [describe(one, seen) for one in getattr(error, "exceptions", ())],
    }


def lines_of(error):
    """Return the lines of a traceback, outermost call first."""
    lines = traceback.extract_tb(error.__traceback__)
    return [[line.name, line.filename, line.lineno] for line in lines]


def fragile():
    """Return a list that kills whoever throws it away."""
    made = [None]
    items = id(made) + object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
    ctypes.c_size_t.from_address(items).value = 0x10
    return made


def testify(frame, in_flight, handled):
    told[threading.get_ident()] = {"in_flight": in_flight, "handled": handled}
    facts = {"exceptions": {str(ident): one for ident, one in told.items()}}
    deathbed.testify(frame, WAY, facts=facts)


def in_flight_truth(error, lines):
    """Return the truth about an exception that is not raised yet; it will be, along `lines`."""
    return {**describe(error), "traceback": [[*place] for place in lines]}


def fail(frame, handled):
    """Raise, and say before where: the caller's line, then the last line of this function."""
    here = sys._getframe().f_code
    error = OwnError("in flight! \u65e5\u672c", 7)
    if NOTES:
        error.add_note("first note")
        error.add_note("second n\u00f6te")
    error.__cause__, error.__context__ = RuntimeError(), handled
    last = deathbed.last_line(fail)
    lines = [(frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno)]
    lines.append((here.co_name, here.co_filename, last[3]))
    testify(frame, in_flight_truth(error, lines), [describe(handled)])
    raise error


def made():
    try:
        {}["missing"]
    except KeyError as error:
        print(fragile(), fail(sys._getframe(), error))


def unmade_truth(frame):
    error = ValueError("invalid literal for int() with base 10: 'no number'")
    code = frame.f_code
    lines = [(code.co_name, code.co_filename, frame.f_lineno)]
    return testify(frame, in_flight_truth(error, lines), [])


def unmade():
    print(fragile(), unmade_truth(sys._getframe()), int("no number"))


def wait(handled):
    told[threading.get_ident()] = {"in_flight": None, "handled": handled}
    deathbed.parked.append(1)
    threading.Event().wait()


def reader():
    try:
        try:
            open("/nonexistent/file")
        except OSError:
            os.fspath(1)
    except TypeError as error:
        wait([describe(error)])


def grouped():
    group = vars(builtins)["ExceptionGroup"]  # 3.11
    members = [KeyError("a", 1), Described(2), ImportError("no module", name="m"), OwnError("x")]
    members.append(group("inner", [OSError(2, "gone", "f\u00f6o"), ValueError()]))
    try:
        raise group("several", members) from None
    except group as error:
        wait([describe(error)])


def messages():
    """Handle one exception with a chain of causes, each with a message of another kind."""
    chain = [
        SyntaxError("bad", ("/a/b.py", 3, 1, "x")),
        SyntaxError("no place"),
        UnicodeDecodeError("utf-8", b"ab\xff", 2, 3, "invalid start byte"),
        UnicodeDecodeError("utf-8", b"ab\xff\xfe", 2, 4, "two"),
        UnicodeEncodeError("ascii", "a\u00e9", 1, 2, "ordinal not in range(128)"),
        UnicodeEncodeError("ascii", "a\u65e5\U0001f600", 2, 3, "one"),
        UnicodeEncodeError("ascii", "a\u65e5\U0001f600", 1, 3, "many"),
        UnicodeTranslateError("a\u65e5b", 1, 2, "cannot"),
        OSError(2, "gone", "a", None, "b"),
        OSError(17, "there"),
        OSError("text alone"),
        KeyError(),
        KeyError(1.5),
        ValueError("a", 2),
        StopIteration(None),
        ModuleNotFoundError("none such", name="y"),
        AttributeError("no attribute"),
        SystemExit(3),
        ValueError([1, "x"]),
        ZeroDivisionError(),
    ]
    for one, cause in zip(chain, chain[1:]):
        one.__cause__ = cause
    try:
        raise chain[0]
    except SyntaxError as error:
        wait([describe(error)])


def within():
    """Handle an exception in a generator, while its caller handles another."""
    try:
        raise Described("outer")
    except Described as outer:
        for _ in inner(outer):
            pass


def inner(outer):
    try:
        int("x")
    except ValueError as error:
        wait([describe(error), describe(outer)])
    yield


if __name__ == "__main__":
    gc.disable()
    workers = [reader, within, messages] + ([grouped] if NOTES else [])
    for target in workers:
        threading.Thread(target=target, daemon=True).start()
    deathbed.gather(len(workers))
    {"made": made, "unmade": unmade}[sys.argv[2]]()
