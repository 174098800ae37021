# SPDX-License-Identifier: Apache-2.0
"""What can wake a sleeping loop of trio, gevent or eventlet besides the waits of its tasks.

trio sleeps until the next deadline of a cancel scope or sleeping task, at most a day (_MAX_TIMEOUT
in trio/_core/_run.py, 0.22 to 0.35). A watcher of gevent has a callback as long as it is started
(22 to 26): in libev's own types after the head and the loop, in those of cffi as an attribute. A
hub of eventlet has two lists of timers (0.33 to 0.41).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext

TIMER, CLIENTS, OTHER = "timer", "clients", "other"
_OF_C, _OF_CFFI = "gevent.libev.corecext", ("gevent.libev.watcher", "gevent.libuv.watcher")
_WATCHERS = ("timer", "io", "signal", "child", "stat")
_LONGEST = 24 * 60 * 60
_CALLBACK = 24  # after the head of 16 bytes and the loop
_ACCEPTS = ("_do_accept", "accept")


def find_kinds_of_wakers(context: HangContext, tid: int) -> set[str]:
    """Return which kinds of things may wake the loop of a thread: TIMER, CLIENTS, OTHER."""
    with suppress(UnreadableMemory, LayoutError):
        return {
            *_wakers_of_trio(context, tid),
            *_wakers_of_gevent(context),
            *_wakers_of_eventlet(context, tid),
        }
    return {OTHER}


def _wakers_of_trio(context: HangContext, tid: int) -> Iterator[str]:
    view = context.view
    for frame in view.frames(tid):
        sleeps = (frame.module, frame.name) == ("trio._core._run", "run")
        timeout = view.variable(frame, "timeout") if sleeps else None
        is_float = timeout and view.type_name(timeout) == "float"
        if timeout and is_float and view.float_value(timeout) < _LONGEST:
            yield TIMER


def _wakers_of_gevent(context: HangContext) -> Iterator[str]:
    view, instances = context.view, shared_instances(context.target, context.python)
    for module in (_OF_C, *_OF_CFFI):
        for kind in _WATCHERS:
            for of_class in instances.instances_of((f"{module}.{kind}",)):
                if module == _OF_C:
                    callback: int | None = view.reader.u64(of_class.address + _CALLBACK)
                else:
                    callback = view.attribute(of_class.address, "_callback")
                if not callback or view.type_name(callback) == "NoneType":
                    continue
                accepts = kind == "io" and _name_of_method(context, callback) in _ACCEPTS
                yield TIMER if kind == "timer" else CLIENTS if accepts else OTHER


def _name_of_method(context: HangContext, method: int) -> str:
    if context.view.type_name(method) != "method":
        return ""
    reader = context.view.reader
    function = reader.field(method, "PyMethodObject", "im_func")
    return context.live_code.name_of_code(reader.field(function, "PyFunctionObject", "func_code"))


def _wakers_of_eventlet(context: HangContext, tid: int) -> Iterator[str]:
    view, containers = context.view, ContainerReader(context.view.reader)
    for frame in view.frames(tid):
        hub = view.variable(frame, "self") if frame.module == "eventlet.hubs.hub" else None
        for name in ("timers", "next_timers") if hub else ():
            timers = view.attribute(hub or 0, name)
            if timers and containers.length(timers, "PyListObject"):
                yield TIMER
