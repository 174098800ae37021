# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in a thread that C code started, beside others of that kind: PyGILState makes their state."""

import ctypes
import threading

import deathbed

START = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
native_ids = {}


def wait(depth):
    if depth:
        return wait(depth - 1)
    native_ids[threading.get_ident()] = threading.get_native_id()
    deathbed.parked.append(1)
    return threading.Lock().acquire() and ctypes.CDLL(None).pause()


@START
def nameless(argument):
    """Never asks threading who it is."""
    wait(argument or 0)


@START
def named(argument):
    threading.current_thread().name = "from C"
    wait(argument or 0)


@START
def nested(argument):
    """C called from Python called from C."""
    nameless(argument)


@START
def doomed(argument):
    way = deathbed.prepare("raise")
    deathbed.gather(4)
    others = deathbed.other_threads()
    for one in others:
        one["native_id"] = one["native_id"] or native_ids[one["ident"]]
    deathbed.die(way, others=others)


def start(function, argument):
    thread = ctypes.c_ulong()
    create = ctypes.CDLL(None).pthread_create
    assert create(ctypes.byref(thread), None, function, ctypes.c_void_p(argument)) == 0
    return thread


if __name__ == "__main__":
    threads = [start(nameless, 0), start(named, 3), start(nested, 5), start(nested, 0)]
    threads.append(start(doomed, 0))
    ctypes.CDLL(None).pthread_join(threads[-1], None)
