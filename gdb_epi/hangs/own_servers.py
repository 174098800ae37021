# SPDX-License-Identifier: Apache-2.0
"""A client whose server is a thread of the same process, that serves one request at a time.

The port that an http.client.HTTPConnection asks (Lib/http/client.py) is that of a socketserver
(`server_address`, Lib/socketserver.py; 3.8 to 3.15) whose thread is in the middle of a request: the
answer comes when that request is over. Two such servers that ask each other never answer, nor does
one that asks itself.
"""

from __future__ import annotations

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs import types as h
from gdb_epi.hangs.at_rest import inner_frames, serves_one_at_a_time
from gdb_epi.hangs.loops.sleeping_loops import Through
from gdb_epi.hangs.scene import HangContext
from gdb_epi.locks import types as t

_ASKS = ("http.client", "getresponse")
_SERVES = ("socketserver", "serve_forever")


def from_own_server(
    scene: HangContext, activity: h.ThreadActivity, seen: tuple[int, ...], through: Through
) -> h.HangAnswer | None:
    """Return the answer for a thread that waits for one of a server of this process."""
    port = _port_asked(scene, activity)
    server = _thread_of_port(scene, port) if port else None
    if server is None:
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
    return h.HangAnswer(
        h.DEADLOCK, "requests", sentence, tuple(circle), t.PROBABLE,
        (f"{server.who()} serves port {port}, which {activity.who()} asks",), ("a timeout",),
        ("another host of that name and port",),
    )  # fmt: skip


def _port_asked(scene: HangContext, activity: h.ThreadActivity) -> int | None:
    """Return the port that a thread's HTTPConnection asks."""
    asking = (f for f in inner_frames(scene, activity) if (f.module, f.name) == _ASKS)
    frame = next(asking, None)
    connection = scene.view.variable(frame, "self") if frame is not None else None
    return scene.view.integer_attribute(connection, "port") if connection else None


def _thread_of_port(scene: HangContext, port: int) -> h.ThreadActivity | None:
    """Return the thread that is in a request of the server of a port."""
    for activity in scene.activities:
        frames = scene.view.frames(activity.tid)
        if not serves_one_at_a_time(frames):
            continue
        serving = (f for f in frames if (f.module, f.name) == _SERVES)
        if any(_port_of(scene, frame) == port for frame in serving):
            return activity
    return None


def _port_of(scene: HangContext, frame: PyFrame) -> int | None:
    """Return the port of the server that a frame of serve_forever() runs."""
    server = scene.view.variable(frame, "self")
    address = scene.view.attribute(server, "server_address") if server else None
    if not address or scene.view.locks.type_name(address) != "tuple":
        return None
    try:
        _, word, *_ = ContainerReader(scene.view.reader).tuple_items(address)
        number = scene.view.objects.integer(word)
    except (UnreadableMemory, LayoutError, ValueError):
        return None
    return None if isinstance(number, Absent) else int(number)
