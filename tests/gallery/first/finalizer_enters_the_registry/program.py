# SPDX-License-Identifier: Apache-2.0
"""Handles that take themselves off a registry when they are collected."""

import gc
import os
import threading


class Registry:
    def __init__(self):
        self.lock = threading.Lock()
        self.names = {}

    def add(self, number, name):
        with self.lock:
            self.names[number] = name
            gc.collect()

    def forget(self, number):
        with self.lock:
            self.names.pop(number, None)


class Handle:
    def __init__(self, registry, number):
        self.registry = registry
        self.number = number
        self.own = self

    def __del__(self):
        self.registry.forget(self.number)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    gc.disable()
    registry = Registry()
    registry.add(1, "first")
    Handle(registry, 1)
    tell()
    registry.add(2, "second")


main()
