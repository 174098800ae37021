# SPDX-License-Identifier: Apache-2.0
"""Two threads at the two ends of one TCP connection within this process: both read, or both write.

A core does not say who is connected to whom. A client makes its socket, then the server's accept()
takes the lowest free number (POSIX): the two are neighbours in a process that is its own client, as
tests and tools with a built-in server are. One thread has called accept() for a client on this
host, another reads from a socket that no accept() gave it; neither has the other's socket at hand,
as the threads of a proxy have, and no child or other process has one of them.

When both wait for the other to send, and no other thread's code sends anything, nobody will. The
same holds for both that wait until the other reads what they send.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.descriptor_waits import may_other_processes_share_descriptors
from gdb_epi.hangs.descriptors import SOCKET, UNIX, read_socket_address
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.library_calls import serving_function
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.types import ACCEPT, DEADLOCK, HANG, READ, WRITE, HangDiagnosis, ThreadActivity
from gdb_epi.locks.types import PROBABLE
from gdb_epi.util import default_when_unreadable

_SENDS = frozenset((
    "send", "sendall", "sendmsg", "sendfile", "write", "writelines", "flush", "shutdown", "close",
    "connect", "create_connection",
))  # fmt: skip
_RECEIVES = frozenset((
    "recv", "recv_into", "recvfrom", "recvmsg", "read", "read1", "readinto", "readline",
    "readlines", "readexactly", "shutdown", "close",
))  # fmt: skip
_SERVES = {("socketserver", "process_request_thread"), ("socketserver", "finish_request")}
_CONNECTS = frozenset(("connect", "create_connection", "connect_ex"))
_THIS_HOST = ("127.", "::1", "localhost")
MAX_FRAMES = 40


def diagnose_connection_within_process(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where both ends of a connection are read here, and nobody sends.

    Or both are written, and nobody reads.
    """
    other = next(
        (d for d in context.activities if _is_other_end_of_connection(context, activity, d)), None
    )
    if other is None or may_other_processes_share_descriptors(context):
        return None
    pair = {activity.tid, other.tid}
    going = UnblockedThreads(context)
    others = (
        going.effects_of_thread(d.tid) for d in context.activities
        if d.tid not in pair | going.blocked_threads and not _waits_for_new_clients(context, d)
    )  # fmt: skip
    reads = activity.kind == READ
    ends_it = _SENDS if reads else _RECEIVES
    if any(
        effects.unbounded or any(name in ends_it for _, name in effects.calls) for effects in others
    ):
        return None
    what, to_do = ("for data on", "send") if reads else ("to write to", "read")
    sentence = (
        f"{activity.waits()} {what} descriptor {activity.target}, whose other end (descriptor "
        f"{other.target}, it seems) is here too: {other.waits()} {what} it, and each waits "
        f"for the other to {to_do}"
    )
    return HangDiagnosis(
        HANG if reads else DEADLOCK, "peer", sentence, (activity, other), PROBABLE,
        (f"descriptors {activity.target} and {other.target} are neighbours: the one of a client, "
         "the other of a server whose client is on this host",),
        ("a timeout", f"another thread whose code {to_do}s", "a child that has a copy"),
        ("whether they are the two ends of one connection is not in the core",
         *["bytes that are on their way"] * reads),
    )  # fmt: skip


def _waits_for_new_clients(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread waits for new clients: what it sends next goes to them."""
    outside = [f for f in context.view.frames(activity.tid) if f.module != "threading"]
    return activity.kind == ACCEPT or (not activity.frames and bool(serving_function(outside)))


def _is_other_end_of_connection(
    context: HangContext, activity: ThreadActivity, other: ThreadActivity
) -> bool:
    if activity.kind != other.kind or not (
        _waits_on_socket(context, activity) and _waits_on_socket(context, other)
    ):
        return False
    first, second = activity.target or 0, other.target or 0
    if abs(first - second) != 1 or activity.tid == other.tid:
        return False
    at_hand = [context.pipe_ends.threads_with_descriptor(number) for number in (first, second)]
    if other.tid in at_hand[0] or activity.tid in at_hand[1]:
        return False
    frames = [context.view.frames(d.tid)[:MAX_FRAMES] for d in (activity, other)]
    accepted = [_has_accepted_from_this_host(context, frame) for frame in frames]
    return sum(accepted) == 1 and _makes_connections(context)


def _waits_on_socket(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread reads an internet socket, or writes to one, without a timeout."""
    number = activity.target
    if (
        activity.kind not in (READ, WRITE)
        or activity.call == "connect"
        or activity.timed
        or number is None
    ):
        return False
    table = context.descriptors
    is_stream = table.object_type(number) == SOCKET and not table.is_socket_without_peer(number)
    return is_stream and table.address_family(number) not in (None, UNIX)


def _has_accepted_from_this_host(context: HangContext, frames: Iterable[PyFrame]) -> bool:
    """Tell whether code of a thread has accepted a client, whose address it has, of this host."""
    for frame in frames:
        accepts = (frame.module, frame.name) in _SERVES or (
            not context.installed.contains_frame(frame)
            and "accept" in context.names_called_before(frame, ever=True)
        )
        addresses = (
            read_socket_address(context.view, at)
            for _, at in context.view.variable_addresses(frame) if not at & 7
        )  # fmt: skip
        if accepts and any(address and address[0].startswith(_THIS_HOST) for address in addresses):
            return True
    return False


@default_when_unreadable(False)
def _makes_connections(context: HangContext) -> bool:
    """Tell whether code of the program makes connections."""
    frames = (frame for frames in context.view.all_frames().values() for frame in frames)
    return context.live_code.uses_any_name(_CONNECTS, frames)
