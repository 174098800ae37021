# SPDX-License-Identifier: Apache-2.0
"""The bells of a church tower."""

import threading


class Bell:
    def __init__(self, name):
        self.name = name
        self.strokes = 0
        self._lock = threading.Lock()

    def ring(self):
        with self._lock:
            self.strokes += 1


class Tower:
    def __init__(self, names):
        self.bells = {name: Bell(name) for name in names}
        self.rung = threading.Semaphore(0)

    def ring(self, name):
        self.bells[name].ring()
        self.rung.release()

    def strokes(self):
        return {name: bell.strokes for name, bell in self.bells.items()}
