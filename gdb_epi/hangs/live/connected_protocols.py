# SPDX-License-Identifier: Apache-2.0
"""Which protocols of asyncio something may still call: those of connections, and of servers.

A transport calls the methods of its protocol, and forgets it when the connection is gone
(`_call_connection_lost()` in Lib/asyncio/selector_events.py, 3.8 to 3.15). Nobody else calls
data_received(). So what only such a method of a protocol without a transport would do is not done.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdb_epi.cpython.heap.instances import InstancesByClass
from gdb_epi.locks.python.call_sites import CallSites
from gdb_epi.locks.python.python_view import PythonView

_CALLED_BY_TRANSPORTS = frozenset(
    "connection_made connection_lost data_received eof_received get_buffer buffer_updated "
    "pause_writing resume_writing datagram_received error_received pipe_data_received "
    "pipe_connection_lost process_exited".split()
)
_CONNECTS = frozenset(
    "create_connection create_unix_connection create_datagram_endpoint create_server "
    "create_unix_server connect_accepted_socket connect_read_pipe connect_write_pipe "
    "subprocess_exec subprocess_shell start_tls set_protocol".split()
)
_PROTOCOL, TRANSPORT = "asyncio.protocols.BaseProtocol", "asyncio.transports.BaseTransport"
SERVER, TLS = "asyncio.base_events.Server", "asyncio.sslproto.SSLProtocol"
OTHER_LOOPS = ("uvloop.loop.Loop", "qasync.QEventLoop", "rloop.RLoop")  # transports of their own
MAX_TRANSPORTS = 2_000


class UncalledProtocolMethods:
    """The methods of protocols that no transport has, and that no server makes.

    None where any may be made: with loops that have transports of their own, or where one of some
    `codes` that can still run connects. Raises UnreadableMemory, LayoutError.
    """

    def __init__(
        self, view: PythonView, instances: InstancesByClass, sites: CallSites, codes: Iterable[int]
    ) -> None:
        self._view, self._instances = view, instances
        connects = (not _CONNECTS.isdisjoint(sites.name_tuple(at, "co_names")) for at in codes)
        self._connected = None if any(connects) else self._find_connected()

    def uncalled_methods_of(self, type_at: int) -> frozenset[str]:
        """Return the names of those of a class (PyTypeObject *)."""
        if self._connected is None or type_at in self._connected:
            return frozenset()
        lineage = self._instances.types.lineage(type_at)
        is_protocol = any(each.qualified_name == _PROTOCOL for each in lineage.types)
        return _CALLED_BY_TRANSPORTS if is_protocol else frozenset()

    def _find_connected(self) -> set[int] | None:
        """Return the classes of protocols that something may call; None where any may be."""
        instances = self._instances
        transports = instances.instances_of((TRANSPORT, TLS))
        if (
            instances.instances_of(OTHER_LOOPS)
            or instances.problems
            or len(transports) > MAX_TRANSPORTS
        ):
            return None
        connected = set[int]()
        for transport in transports:
            for name in ("_protocol", "_app_protocol"):
                protocol = self._view.attribute(transport.address, name)
                if protocol:
                    connected.add(instances.types.type_of_object(protocol).address)
        for server in instances.instances_of((SERVER,)):
            factory = self._view.attribute(server.address, "_protocol_factory") or 0
            kind = self._view.type_name(factory)
            if kind == "type":
                connected.add(factory)
            elif kind != "function" or not is_streams_protocol_factory(self._view, factory):
                return None
        return connected


def is_streams_protocol_factory(view: PythonView, factory: int) -> bool:
    """Tell whether a function is the factory of start_server(), which makes protocols of streams.

    Raises UnreadableMemory, LayoutError.
    """
    name = view.reader.text_field(factory, "PyFunctionObject", "func_qualname")
    return name in ("start_server.<locals>.factory", "start_unix_server.<locals>.factory")
