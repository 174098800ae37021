# SPDX-License-Identifier: Apache-2.0
"""A client whose server is a thread of the same process that serves one request at a time.

The host and port that an http.client.HTTPConnection asks (Lib/http/client.py) are this host and
those of a socketserver (`server_address`, Lib/socketserver.py; 3.8 to 3.15) whose thread is in the
middle of a request: the answer comes when that request is over. Two such servers that ask each
other never answer, nor does one that asks itself.

One that serves each client in a thread of its own (socketserver.ThreadingMixIn) never answers where
all of these threads wait for what their clients say next, and the client waits for the answer.

A gRPC server calls its handlers in the threads of an executor (grpc/_server.py, 1.0 to 1.76). When
all of them wait for calls of their own, nobody answers.
"""

from __future__ import annotations

from itertools import islice

from gdb_epi.hangs.descriptors import Address, read_socket_address
from gdb_epi.hangs.hang_context import HangContext, WaitChain
from gdb_epi.hangs.idleness import (
    library_frames_called,
    reads_from_its_client,
    serves_in_accepting_thread,
)
from gdb_epi.hangs.library_calls import OF_GRPC, frames_running
from gdb_epi.hangs.loops.resource_exhaustion import diagnose_thread_pool_exhausted
from gdb_epi.hangs.types import DEADLOCK, HangDiagnosis, ThreadActivity
from gdb_epi.locks.types import PROBABLE

_ASKS = ("http.client", "getresponse")
_SERVES = ("socketserver", "serve_forever")
_HANDLES_CALL = ("grpc._server", "_call_behavior")
_SERVES_ONE = ("socketserver", "process_request_thread")
_CONNECTS = frozenset(("connect", "create_connection"))
MAX_FRAMES = 8
MAX_ATTRIBUTES = 64
_THIS_HOST = ("localhost", "127.0.0.1", "::1")


def diagnose_wait_for_in_process_server(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    """Return the answer for a thread that waits for one of a server of this process."""
    if activity.awaits == OF_GRPC and not activity.timed:
        return _diagnose_exhausted_grpc_handlers(context, activity)
    by_handlers = _diagnose_busy_threaded_server(context, activity, chain)
    if by_handlers is not None:
        return by_handlers
    asked = _address_asked_over_http(context, activity)
    server = _thread_serving_address(context, asked) if asked is not None else None
    if server is None or asked is None:
        return None
    if server.tid not in (activity.tid, *chain.tids):
        return chain.diagnose_through(activity, server.tid, "the answer of")
    start = (*chain.tids, activity.tid).index(server.tid)
    circle = [
        d
        for tid in (*chain.tids, activity.tid)[start:]
        if (d := context.activity_of_thread(tid)) is not None
    ]
    if len(circle) == 1:
        sentence = (
            f"{activity.waits()} for the answer of its own server, which this thread runs: it "
            "serves one request at a time, and is in the middle of this one"
        )
    else:
        sentence = (
            f"{activity.waits()} for the answer of {server.who()}, which waits itself: each serves "
            "one request at a time"
        )
    return HangDiagnosis(
        DEADLOCK, "requests", sentence, tuple(circle), PROBABLE,
        (f"{server.who()} serves port {asked[1]} of this host, which {activity.who()} asks",),
        ("a timeout", "a server of another host"),
    )  # fmt: skip


def _diagnose_busy_threaded_server(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    """Return the answer of a client of a server that has a thread for each client.

    Which of them serves this client is not in the core. Where all wait for what their clients say
    next, so does that one; else it is one of those that do something else, which are followed.
    """
    handlers = _handlers_by_port(context) if not activity.timed else {}
    for host, port in _addresses_connected(context, activity) if handlers else ():
        own_host, handling = handlers.get(port, ("", []))
        others = [d for d in handling if d.tid != activity.tid]
        if not others or host not in (own_host, *_THIS_HOST):
            continue
        idle = [
            d for d in others
            if not d.timed and reads_from_its_client(context, d, context.view.frames(d.tid))
        ]  # fmt: skip
        if len(idle) < len(others):
            busy = [d for d in others if d not in idle and d.tid not in chain.tids]
            places = {d.frames[0].code if d.frames else 0 for d in busy}
            if len(places) != 1:  # which of them serves this client is not known
                return None
            return chain.diagnose_through(activity, busy[0].tid, "the answer of")
        first = others[0]
        which = "" if len(others) == 1 else f" (or one of {len(others) - 1} more that do the same)"
        return HangDiagnosis(
            DEADLOCK, "requests", f"{activity.waits()} for {activity.awaited_text()}, from a "
            f"server of this process (port {port}); {first.who()}, which serves it{which}, waits "
            f"at {first.where()} for what its client says next: each side waits for the other to "
            "send",
            (activity, first),
            PROBABLE,
            (f"the code that waits has connected to port {port}, which this process serves",),
            ("a timeout", "a thread of that server that does something else"),
            ("bytes that are on their way",),
        )  # fmt: skip
    return None


def _handlers_by_port(context: HangContext) -> dict[int, tuple[str, list[ThreadActivity]]]:
    """Return host and serving threads of each socketserver that has a thread for each client."""
    handling = dict[int, tuple[str, list[ThreadActivity]]]()
    for activity in context.activities:
        for frame in frames_running(context.view.frames(activity.tid), (_SERVES_ONE,)):
            word = context.view.attribute(context.view.variable(frame, "self"), "server_address")
            own = read_socket_address(context.view, word)
            if own is not None:
                handling.setdefault(own[1], (own[0], []))[1].append(activity)
    return handling


def _addresses_connected(context: HangContext, activity: ThreadActivity) -> list[Address]:
    """Return the addresses that the socket of a waiting thread may be connected to.

    They stand beside it: as host and port of the object that has the socket, or in the code that
    has called connect().
    """
    view, addresses = context.view, list[Address]()
    frames = [*library_frames_called(context, activity), *activity.frames][:MAX_FRAMES]
    for frame in frames:
        held = [at for _, at in view.variable_addresses(frame) if not at & 7]
        held += [value for at in held for _, value in islice(view.attributes(at), MAX_ATTRIBUTES)]
        connects = not _CONNECTS.isdisjoint(context.names_called_before(frame, ever=True))
        for at in dict.fromkeys(held):
            address = read_socket_address(view, at) if connects and not at & 7 else None
            sock = view.attribute(at, "sock") if address is None and not at & 7 else None
            if sock and context.descriptors.descriptor_of_object(sock) == activity.target:
                host, port = view.text_attribute(at, "host"), view.integer_attribute(at, "port")
                address = (host, port) if host and port else None
            addresses += [address] if address is not None else []
    return addresses


def _diagnose_exhausted_grpc_handlers(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where all threads of a gRPC server of this process wait in handlers."""
    pool = diagnose_thread_pool_exhausted(context)
    if pool is None or not all(
        member.awaits == OF_GRPC and any(frames_running(context.view.frames(member.tid),
                                                        (_HANDLES_CALL,)))
        for member in pool.members
    ):  # fmt: skip
        return None
    if activity.tid in {member.tid for member in pool.members}:
        return pool
    return pool._replace(
        sentence=f"{activity.waits()} for {activity.what}; in a gRPC server of this process "
        f"{pool.sentence}",
        members=(activity, *pool.members),
        open=("whether it is this server that they ask", *pool.open),
    )


def _address_asked_over_http(context: HangContext, activity: ThreadActivity) -> Address | None:
    """Return the host and port that a thread's HTTPConnection asks."""
    view = context.view
    frame = next(frames_running(library_frames_called(context, activity), (_ASKS,)), None)
    connection = view.variable(frame, "self")
    host = view.text_attribute(connection, "host")
    port = view.integer_attribute(connection, "port")
    return (host, port) if host and port else None


def _thread_serving_address(context: HangContext, asked: Address) -> ThreadActivity | None:
    """Return the thread that is in a request of the server that is asked; None for another host."""
    for activity in context.activities:
        frames = context.view.frames(activity.tid)
        if not serves_in_accepting_thread(frames):
            continue
        for frame in frames_running(frames, (_SERVES,)):
            word = context.view.attribute(context.view.variable(frame, "self"), "server_address")
            own = read_socket_address(context.view, word)
            if own is not None and own[1] == asked[1] and asked[0] in (own[0], *_THIS_HOST):
                return activity
    return None
