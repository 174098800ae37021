# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "destructors-count", "arguments": ["count"]}
# corpus: {"name": "destructors-collector", "arguments": ["collector"]}
# corpus: {"name": "destructors-callback", "arguments": ["callback"]}
"""Die below destructors and weak reference callbacks: of the last reference, of the collector."""

import gc
import sys
import weakref

import deathbed


class Doomed:
    def __init__(self, action):
        self.action = action
        self.itself = None

    def __del__(self):
        self.action()


class Plain:
    pass


def by_local(way):
    doomed = Doomed(lambda: by_weakref(way))
    doomed = None
    return doomed


def by_weakref(way):
    plain = Plain()
    reference = weakref.ref(plain, lambda dead: by_finalize(way))
    del plain
    return reference


def by_finalize(way):
    plain = Plain()
    weakref.finalize(plain, by_container, way)
    plain = 1
    return plain


def by_container(way):
    table = {"a": [Doomed(lambda: by_mapping(way))]}
    table.clear()


def by_mapping(way):
    table = weakref.WeakKeyDictionary()
    key = Plain()
    table[key] = Doomed(lambda: by_generator(way))
    del key
    return table


def suspended(way):
    try:
        yield
    finally:
        deathbed.die(way)


def by_generator(way):
    generator = suspended(way)
    next(generator)
    del generator


def by_collector(way):
    """Die in the __del__ of an object of a cycle."""
    cycle(way)
    gc.collect()


def by_callback(way):
    """Die in what the collector calls when it has done."""
    gc.callbacks.append(lambda phase, info: by_local(way) if phase == "stop" else None)
    gc.collect()


def cycle(way):
    doomed = Doomed(lambda: by_local(way))
    doomed.itself = doomed


if __name__ == "__main__":
    gc.disable()
    kinds = {"count": by_local, "collector": by_collector, "callback": by_callback}
    kinds[sys.argv[2]](deathbed.prepare("raise"))
