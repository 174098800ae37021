# SPDX-License-Identifier: Apache-2.0
"""The registry of dialects."""

import importlib
import threading

_registry_lock = threading.Lock()
_readers = {}
meeting = {"importing": threading.Event(), "looking": threading.Event()}


def register(name):
    """Decorator: the function reads a row of the dialect `name`."""

    def keep(function):
        with _registry_lock:
            _readers[name] = function
        return function

    return keep


def lookup(name):
    """Return the reader of a dialect, importing its module if need be."""
    with _registry_lock:
        if name in _readers:
            return _readers[name]
        if name == "semicolon":
            _readers[name] = lambda row: row.split(";")
            return _readers[name]
        meeting["looking"].set()
        importlib.import_module(f"dialect_{name}")
        return _readers[name]
