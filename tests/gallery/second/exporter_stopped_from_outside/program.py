# SPDX-License-Identifier: Apache-2.0
"""Report server: an export that takes too long is ended by an exception sent to its thread."""

import ctypes
import threading
import time

RUNTIME = ctypes.CDLL(None)


class ExportCancelled(Exception):
    pass


class Export(threading.Thread):
    def __init__(self, rows):
        super().__init__(name="export", daemon=True)
        self.rows, self.written = rows, 0

    def run(self):
        for _ in range(self.rows):
            time.sleep(2)
            self.written += 1


def cancel(export):
    ident = ctypes.c_ulong(export.ident)
    RUNTIME.PyThreadState_SetAsyncExc(ident, ctypes.py_object(ExportCancelled))


def main():
    export = Export(rows=400)
    export.start()
    export.join(timeout=0.5)
    if export.is_alive():
        print("export takes too long", flush=True)
        cancel(export)
    export.join()


main()
