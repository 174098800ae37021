# SPDX-License-Identifier: Apache-2.0
"""What the event loops of asyncio call: the callbacks of their handles, of servers and of jobs.

A loop calls nothing but what a Handle has: one is made by call_soon(), call_later(), add_reader(),
add_signal_handler() and each transport (Lib/asyncio/events.py, 3.8 to 3.15). A function that a
registry of the program keeps is called by code that finds it there, not by the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from gdb_epi.cpython.heap.instances import InstancesByClass, shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.hangs.live.connected_protocols import (
    OTHER_LOOPS,
    SERVER,
    TLS,
    TRANSPORT,
    is_streams_protocol_factory,
)
from gdb_epi.locks.python.call_sites import CallSites
from gdb_epi.locks.python.python_view import PythonView

_HANDLE = "asyncio.events.Handle"
# Classes that are given a function to call, and their attribute that has it.
_GIVEN = (
    ("asyncio.streams.StreamReaderProtocol", "_client_connected_cb"),
    ("concurrent.futures.thread._WorkItem", "fn"),
    ("asyncio.base_events.BaseEventLoop", "_exception_handler"),
)
# What gives a future, or the collector, a function to call: those are not looked for.
_GIVE_CALLBACKS = frozenset(("add_done_callback", "finalize", "WeakMethod", "set_task_factory"))
MAX_HANDLES = 5_000
MAX_CELLS = 8


def find_loop_callbacks(
    view: PythonView, sites: CallSites, own: Collection[str], functions: Mapping[int, int]
) -> list[int] | None:
    """Return what loops may call (PyObject *); None where they may call anything that is kept.

    `own` are the names of the program's modules, and `functions` its functions with their code: a
    protocol of a library calls what that was given. Raises EpiError.
    """
    instances = shared_instances(view.target, view.python)
    context = get_process_values(view.target, view.python).context
    handles = instances.instances_of((_HANDLE,))
    if instances.instances_of(OTHER_LOOPS) or instances.problems or len(handles) > MAX_HANDLES:
        return None
    if any(
        not _GIVE_CALLBACKS.isdisjoint(sites.name_tuple(code, "co_names"))
        for code in functions.values()
    ):
        return None
    for transport in instances.instances_of((TRANSPORT, TLS)):
        for name in ("_protocol", "_app_protocol"):
            protocol = view.attribute(transport.address, name)
            if protocol and not _is_module_own_or_asyncio(
                instances.types.type_of_object(protocol).module, own
            ):
                return None
    containers, called = ContainerReader(view.reader), list[int]()
    for handle in handles:
        called.append(context.attribute(handle.address, "_callback"))
        arguments = context.attribute(handle.address, "_args")
        if view.type_name(arguments) == "tuple":
            called += containers.tuple_items(arguments)
    for factory in _attributes_of_instances(view, instances, SERVER, "_protocol_factory"):
        called.append(factory)
        kind = view.type_name(factory)
        if kind == "type" and _is_module_own_or_asyncio(
            instances.types.type_at(factory).module, own
        ):
            continue
        if kind != "function" or not (
            factory in functions or is_streams_protocol_factory(view, factory)
        ):
            return None
        called += containers.closure_values(
            factory, MAX_CELLS
        )  # that of start_server() has its callback
    for kind, name in _GIVEN:
        called += _attributes_of_instances(view, instances, kind, name)
    return [at for at in dict.fromkeys(called) if at and not at & 7]


def _is_module_own_or_asyncio(module: str, own: Collection[str]) -> bool:
    """Tell whether a class is the program's, or asyncio's."""
    return module in own or module.partition(".")[0] in ("asyncio", "builtins")


def _attributes_of_instances(
    view: PythonView, instances: InstancesByClass, kind: str, name: str
) -> Iterator[int]:
    for of_class in instances.instances_of((kind,)):
        at = view.attribute(of_class.address, name)
        if at:
            yield at
