# SPDX-License-Identifier: Apache-2.0
"""Which driver speaks for which card scheme."""

import importlib
import threading

_drivers = {}
_drivers_lock = threading.RLock()


def register(scheme, driver):
    with _drivers_lock:
        _drivers[scheme] = driver


def driver_of(scheme):
    with _drivers_lock:
        if scheme not in _drivers:
            importlib.import_module(f"scheme_{scheme}")
        return _drivers[scheme]
