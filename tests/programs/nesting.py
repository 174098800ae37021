# SPDX-License-Identifier: Apache-2.0
# corpus: {}
# corpus: {"name": "nesting-altstack", "arguments": ["altstack"], "newest": [3, 13]}
"""Die below every common way in which C calls back into Python, one within the other.

`THROUGH_C` says which functions are called by C, and by what: the name of a C function, of a mapped
object or the kind of a native frame that stands between the function and its caller. All others
are called by Python. With "altstack" the C signal handler runs on a stack of its own (3.14 takes a
foreign stack for an overflow).
"""

import ctypes
import functools
import os
import signal
import sys

import deathbed

LIBC = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
SA_ONSTACK, SA_NODEFER = 0x08000000, 0x40000000
STACK_BYTES = 1 << 20

THROUGH_C = {
    "by_key": {"function": "list_sort"},
    "by_map": {"function": "map_next"},
    "compare": {"function": "qsort", "module": "_ctypes"},
    "__del__": {"function": "slot_tp_finalize"},
    "on_signal": {"function": "CheckSignals"},
    "generator": {"function": "gen_"},
    "__getattr__": {"function": "slot_tp_getattr"},
    "by_partial": {},  # partial_vectorcall() leaves by a jump in some builds
    "coroutine": {"function": "gen_send"},
    "on_c_signal": {"kind": "signal", "module": "_ctypes"},
    "__init__": {"function": "slot_tp_init"},
    "<module>": {"function": "exec"},
}
kept = []  # what C refers to


class SigAction(ctypes.Structure):
    """struct sigaction of glibc on x86-64."""

    _fields_ = [
        ("handler", HANDLER),
        ("mask", ctypes.c_char * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    ]


class Stack(ctypes.Structure):
    """stack_t."""

    _fields_ = [("sp", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]


def start(way):
    sorted([way, way], key=by_key)


def by_key(way):
    list(map(by_map, [way]))


def by_map(way):
    @COMPARE
    def compare(left, right):
        drop(way)
        return 0

    LIBC.qsort((ctypes.c_int * 2)(2, 1), 2, ctypes.sizeof(ctypes.c_int), compare)


def drop(way):
    doomed = Doomed()
    doomed.way = way
    del doomed


class Doomed:
    def __del__(self):
        receive(self.way)


def receive(way):
    def on_signal(number, frame):
        resume(way)

    signal.signal(signal.SIGUSR1, on_signal)
    os.kill(os.getpid(), signal.SIGUSR1)
    for _ in range(1000):  # the handler runs at one of the next instructions
        pass


def resume(way):
    next(generator(way))


def generator(way):
    yield getattr(Dynamic(), "attribute", way)


class Dynamic:
    def __getattr__(self, name):
        return functools.partial(by_partial, kept[0])()


def by_partial(way):
    coroutine(way).send(None)


async def coroutine(way):
    raise_in_c(way)


def raise_in_c(way):
    @HANDLER
    def on_c_signal(number):
        Built(way)

    flags = SA_NODEFER
    if sys.argv[2:] == ["altstack"]:
        memory = ctypes.create_string_buffer(STACK_BYTES)
        kept.append(memory)
        LIBC.sigaltstack(ctypes.byref(Stack(ctypes.addressof(memory), 0, STACK_BYTES)), None)
        flags |= SA_ONSTACK
    action = SigAction(on_c_signal, b"", flags, None)
    LIBC.sigaction(int(signal.SIGUSR2), ctypes.byref(action), None)
    getattr(LIBC, "raise")(int(signal.SIGUSR2))


class Built:
    def __init__(self, way):
        exec("fall(way)", {"fall": fall, "way": way})


def fall(way):
    deathbed.die(way, facts={"through_c": THROUGH_C})


if __name__ == "__main__":
    kept.append(deathbed.prepare("raise"))
    start(kept[0])
