# SPDX-License-Identifier: Apache-2.0
"""A client whose server is a thread of the same process that serves one request at a time.

The host and port that an http.client.HTTPConnection asks (Lib/http/client.py) are this host and
those of a socketserver (`server_address`, Lib/socketserver.py; 3.8 to 3.15) whose thread is in the
middle of a request: the answer comes when that request is over. Two such servers that ask each
other never answer, nor does one that asks itself.

A gRPC server calls its handlers in the threads of an executor (grpc/_server.py, 1.0 to 1.76). When
all of them wait for calls of their own, nobody answers.
"""

from __future__ import annotations

from gdb_epi.hangs.descriptors import Address, read_socket_address
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import library_frames_called, serves_in_accepting_thread
from gdb_epi.hangs.library_calls import OF_GRPC, frames_running
from gdb_epi.hangs.loops.event_loop_diagnosis import Through
from gdb_epi.hangs.loops.resource_exhaustion import thread_pool_exhausted
from gdb_epi.hangs.types import DEADLOCK, HangDiagnosis, ThreadActivity
from gdb_epi.locks.types import PROBABLE

_ASKS = ("http.client", "getresponse")
_SERVES = ("socketserver", "serve_forever")
_HANDLES_CALL = ("grpc._server", "_call_behavior")
_THIS_HOST = ("localhost", "127.0.0.1", "::1")


def diagnose_wait_for_in_process_server(
    scene: HangContext, activity: ThreadActivity, seen: tuple[int, ...], through: Through
) -> HangDiagnosis | None:
    """Return the answer for a thread that waits for one of a server of this process."""
    if activity.awaits == OF_GRPC and not activity.timed:
        return _handlers_exhausted(scene, activity)
    asked = _address_asked(scene, activity)
    server = _thread_serving(scene, asked) if asked is not None else None
    if server is None or asked is None:
        return None
    if server.tid not in (activity.tid, *seen):
        return through(scene, activity, server.tid, "the answer of", seen)
    start = (*seen, activity.tid).index(server.tid)
    circle = [d for tid in (*seen, activity.tid)[start:] if (d := scene.activity(tid)) is not None]
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


def _handlers_exhausted(scene: HangContext, activity: ThreadActivity) -> HangDiagnosis | None:
    """Return the answer where all threads of a gRPC server of this process wait in handlers."""
    pool = thread_pool_exhausted(scene)
    if pool is None or not all(
        member.awaits == OF_GRPC and any(frames_running(scene.view.frames(member.tid),
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


def _address_asked(scene: HangContext, activity: ThreadActivity) -> Address | None:
    """Return the host and port that a thread's HTTPConnection asks."""
    view = scene.view
    frame = next(frames_running(library_frames_called(scene, activity), (_ASKS,)), None)
    connection = view.variable(frame, "self") if frame is not None else None
    host = view.text_attribute(connection, "host") if connection else None
    port = view.integer_attribute(connection, "port") if connection else None
    return (host, port) if host and port else None


def _thread_serving(scene: HangContext, asked: Address) -> ThreadActivity | None:
    """Return the thread that is in a request of the server that is asked; None for another host."""
    for activity in scene.activities:
        frames = scene.view.frames(activity.tid)
        if not serves_in_accepting_thread(frames):
            continue
        for frame in frames_running(frames, (_SERVES,)):
            server = scene.view.variable(frame, "self")
            word = scene.view.attribute(server, "server_address") if server else None
            own = read_socket_address(scene.view, word) if word else None
            if own is not None and own[1] == asked[1] and asked[0] in (own[0], *_THIS_HOST):
                return activity
    return None
