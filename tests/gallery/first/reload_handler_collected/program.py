# SPDX-License-Identifier: Apache-2.0
"""A service installs a Python function as the C library's handler of SIGUSR1, by ctypes, and keeps
no reference to it. The handler is collected, its memory used again; then the signal comes."""

import ctypes
import gc
import os
import signal

Handler = ctypes.CFUNCTYPE(None, ctypes.c_int)
libc = ctypes.CDLL(None)
libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.signal.restype = ctypes.c_void_p


class Service:
    def __init__(self):
        self.settings = {"workers": 4}
        self.cache = []

    def on_reload(self, number):
        self.settings = {"workers": 8}

    def install(self):
        handler = Handler(self.on_reload)
        libc.signal(signal.SIGUSR1, ctypes.cast(handler, ctypes.c_void_p))

    def fill_cache(self):
        for n in range(40_000):
            self.cache.append((n, {"article": n}, bytes(range(n % 256, n % 256 + 1)) * (n % 400)))


def ask_for_reload():
    os.kill(os.getpid(), signal.SIGUSR1)


def run(service):
    service.install()
    gc.collect()
    service.fill_cache()
    ask_for_reload()
    print(service.settings)


run(Service())
