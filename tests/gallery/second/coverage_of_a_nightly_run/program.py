# SPDX-License-Identifier: Apache-2.0
"""Counts the lines that a nightly run executes, with the interpreter's own tracing hook."""

import ctypes
from collections import Counter

TRACER = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p
)
EVENTS = ("call", "exception", "line", "return", "c_call", "c_exception", "c_return", "opcode")


class Coverage:
    def __init__(self):
        self.events = Counter()

    def on_event(self, owner, frame, what, argument):
        self.events[EVENTS[what]] += 1
        return 0

    def start(self):
        set_trace = ctypes.pythonapi.PyEval_SetTrace
        set_trace.argtypes = [TRACER, ctypes.py_object]
        set_trace.restype = None
        set_trace(TRACER(self.on_event), self)


def nightly(accounts):
    closed = []
    for account in accounts:
        if account % 3:
            closed.append(account * 2)
    return closed


def main():
    coverage = Coverage()
    coverage.start()
    handlers = [ctypes.CFUNCTYPE(None)(lambda: None) for _ in range(3)]
    print(len(nightly(range(300))), len(handlers), dict(coverage.events))


main()
