# SPDX-License-Identifier: Apache-2.0
"""An export runs in a thread; when the user cancels it, an exception is raised in that thread."""

import ctypes
import threading


class Cancelled(Exception):
    pass


class Export(threading.Thread):
    def __init__(self, rows):
        super().__init__(name="export", daemon=True)
        self.rows = rows
        self.started_work = threading.Event()
        self.may_end = threading.Event()
        self.written = 0

    def run(self):
        try:
            for row in self.rows:
                self.written += len(row)
                self.started_work.set()
                self.may_end.wait(0.05)
        except Cancelled:
            print("cancelled after", self.written)

    def cancel(self):
        interpreter = ctypes.CDLL(None)
        set_exception = interpreter.PyThreadState_SetAsyncExc
        set_exception.argtypes = [ctypes.c_ulong, ctypes.py_object]
        if set_exception(self.ident, Cancelled) != 1:
            raise ValueError("no such thread")


def main():
    export = Export(["row %d" % n for n in range(200)])
    export.start()
    export.started_work.wait()
    export.cancel()
    export.join(2)


main()
