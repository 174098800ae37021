# SPDX-License-Identifier: Apache-2.0
"""A debug page of a service shows its settings as the interpreter writes them."""

import ctypes
import threading

SETTINGS = {"workers": 4, "queue": "orders", "retry": [1, 5, 30], "verbose": False}


class Representer:
    """Writes objects without calling a __repr__ that somebody replaced."""

    def __init__(self):
        self.api = ctypes.CDLL(None)
        self.api.PyObject_Repr.argtypes = [ctypes.py_object]
        self.api.PyObject_Repr.restype = ctypes.py_object

    def show(self, value):
        return self.api.PyObject_Repr(value)


def debug_page(settings):
    representer = Representer()
    rows = [f"<td>{name}<td>{representer.show(value)}" for name, value in settings.items()]
    return "<table>" + "".join(f"<tr>{row}" for row in rows) + "</table>"


def main():
    stop = threading.Event()
    heartbeat = threading.Thread(target=stop.wait, name="heartbeat", daemon=True)
    heartbeat.start()
    print(debug_page(SETTINGS))
    stop.set()


main()
