# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["exceptionbed.py"], "arguments": ["function"]}
# corpus: {"beside": ["exceptionbed.py"], "name": "reported-method", "arguments": ["method"]}
# corpus: {"beside": ["exceptionbed.py"], "name": "reported-starred", "arguments": ["starred"]}
# corpus: {"beside": ["exceptionbed.py"], "name": "reported-shared", "arguments": ["shared"], "oldest": [3, 11]}
# corpus: {"beside": ["exceptionbed.py"], "name": "reported-partial", "arguments": ["partial"]}
# corpus: {"beside": ["exceptionbed.py"], "name": "reported-printed", "arguments": ["printed"]}
# corpus: {"beside": ["exceptionbed.py"], "name": "reported-lost", "arguments": ["lost"]}
"""Die while an exception that nobody caught is reported: by a hook, or while it is printed."""

import functools
import sys
import threading

import deathbed
import exceptionbed


class PaymentError(Exception):
    pass


def charge():
    try:
        {}["gateway"]
    except KeyError as error:
        raise PaymentError("declined") from error


def report(error):
    told = {"in_flight": None, "reported": exceptionbed.describe(error), "handled": []}
    exceptionbed.told[threading.get_ident()] = told
    way = deathbed.prepare("raise")
    exceptionbed.testify(sys._getframe(), way), way.call(*way.arguments)


def function(kind, error, lines):
    report(error)


class Reporter:
    def method(self, kind, error, lines):
        report(error)


def starred(*everything):
    report(everything[1])


def shared(kind, error, lines):
    def inner():
        report(error)

    inner()


class Printed:
    """sys.stderr: what prints an exception in C calls this."""

    encoding, errors = "utf-8", "strict"

    def write(self, text):
        report(sys.last_value)

    def flush(self):
        pass


class Destroyed:
    def __del__(self):
        charge()


def unraisable(given):
    report(given.exc_value)


if __name__ == "__main__":
    how = sys.argv[2]
    if how == "printed":
        sys.stderr = Printed()
    elif how == "lost":
        sys.unraisablehook = unraisable
        doomed = Destroyed()
        del doomed
    else:
        hooks = {
            "function": function,
            "method": Reporter().method,
            "starred": starred,
            "shared": shared,
        }
        sys.excepthook = hooks.get(how) or functools.partial(function)
    charge()
