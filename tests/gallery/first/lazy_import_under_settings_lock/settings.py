# SPDX-License-Identifier: Apache-2.0
import threading
import time

_lock = threading.Lock()
_values = {"timeout": 5}


def get(name):
    with _lock:
        return _values[name]


def reload(values, held):
    with _lock:
        held.set()
        time.sleep(0.4)
        _check(values)
        _values.update(values)


def _check(values):
    import carriers

    carriers.check(values)
