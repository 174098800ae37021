# SPDX-License-Identifier: Apache-2.0
"""Which function of which library waits for what: the tables that `frame_waits.py` follows.

A row is `function: (kind, variable)`: the kind of the wait, "" where the class of the object tells,
and the variable of that frame that holds what is waited for. Derived from the sources of asyncio
3.8 to 3.15, trio 0.22 to 0.35, anyio 3.7 to 4.16, gevent 22 to 26 and eventlet 0.33 to 0.41; a
function that a version does not have is never met.
"""

from __future__ import annotations

LOCK, SEMAPHORE, EVENT, CONDITION = "lock", "semaphore", "event", "condition"
QUEUE_GET, QUEUE_PUT, QUEUE_JOIN = "queue-get", "queue-put", "queue-join"
BARRIER, FUTURE, TASK, TASKS = "barrier", "future", "task", "tasks"
SLEEP, READ, WRITE, PROCESS, THREAD = "sleep", "read", "write", "process", "thread"
LOOP, RUN_QUEUE, SIGNAL = "event-loop", "run-queue", "signal"
FREE_THREAD = "free-thread"
OTHER = "other"
# What comes from no task: time, a descriptor, a thread, a process.
FROM_OUTSIDE = (SLEEP, READ, WRITE, PROCESS, THREAD, LOOP, RUN_QUEUE, SIGNAL)

# In words of a screen.
WORDS = {
    LOCK: "a lock",
    SEMAPHORE: "a semaphore",
    EVENT: "an event",
    CONDITION: "a condition",
    QUEUE_GET: "an item of a queue",
    QUEUE_PUT: "room in a queue",
    QUEUE_JOIN: "a queue's items to be done",
    BARRIER: "a barrier",
    FUTURE: "a future",
    TASK: "another task",
    TASKS: "other tasks",
    SLEEP: "time to pass",
    READ: "data to read",
    WRITE: "room to write",
    PROCESS: "a child process",
    THREAD: "a thread",
    FREE_THREAD: "a free place",
    LOOP: "events (it is the event loop)",
    RUN_QUEUE: "its turn",
    SIGNAL: "a signal",
}
# Classes that say no more than these words do.
PLAIN_CLASSES = {
    "_asyncio.Future": "a future",
    "_asyncio.FutureIter": "a future",
    "_asyncio.Task": "another task",
    "asyncio.tasks.Task": "another task",
    "asyncio.futures.Future": "a future",
    "asyncio.tasks._GatheringFuture": "other tasks (gather)",
}

_SOCKET_READS = ("sock_recv", "sock_recv_into", "sock_recvfrom", "sock_recvfrom_into")
_SOCKET_WRITES = ("sock_sendall", "sock_sendto", "sock_connect", "_sock_connect", "sock_sendfile")
_LOOP_ROWS = {
    **dict.fromkeys((*_SOCKET_READS, "sock_accept"), (READ, "sock")),
    **dict.fromkeys(_SOCKET_WRITES, (WRITE, "sock")),
}
_STREAM_READS = ("_wait_for_data", "readline", "readuntil", "read", "readexactly")
_OF_SELF = ("", "self")
_TRIO_SYNC = dict.fromkeys(("acquire", "acquire_on_behalf_of", "wait"), _OF_SELF)
_TRIO_SOCKET = {
    **dict.fromkeys(
        ("recv", "recv_into", "recvfrom", "recvfrom_into", "recvmsg", "accept"), (READ, "self")
    ),
    **dict.fromkeys(("send", "sendto", "sendmsg", "connect"), (WRITE, "self")),
    "_nonblocking_helper": _OF_SELF,  # what it waits for, the frames inside tell
}
_BYTE_STREAM = {
    **dict.fromkeys(("receive", "receive_some", "accept"), (READ, "self")),
    **dict.fromkeys(("send", "send_all"), (WRITE, "self")),
}
_SOCKETS = {
    "wait_readable": (READ, "obj"),
    "wait_socket_readable": (READ, "sock"),
    "wait_writable": (WRITE, "obj"),
    "wait_socket_writable": (WRITE, "sock"),
}
_ANYIO = {
    **_TRIO_SYNC,
    **_BYTE_STREAM,
    **_SOCKETS,
    "__aenter__": _OF_SELF,
    "__aexit__": (TASKS, "self"),
    "start": (TASKS, "self"),
    "run_sync_in_worker_thread": (THREAD, "func"),
}
_QUEUE = {"get": (QUEUE_GET, "self"), "put": (QUEUE_PUT, "self"), "join": (QUEUE_JOIN, "self")}
_CHANNEL = {"receive": (QUEUE_GET, "self"), "send": (QUEUE_PUT, "self")}
_PROCESS = {"wait": (PROCESS, "self"), "communicate": (PROCESS, "self")}

ROWS: dict[str, dict[str, tuple[str, str]]] = {
    "asyncio.locks": dict.fromkeys(("acquire", "wait", "wait_for", "_wait", "_block"), _OF_SELF),
    "asyncio.queues": _QUEUE,
    "asyncio.tasks": {
        "sleep": (SLEEP, "delay"),
        "wait": (TASKS, "fs"),
        "_wait": (TASKS, "fs"),
        "wait_for": ("", "fut"),
        "_wait_for_one": (TASKS, ""),
        "_cancel_and_wait": (FUTURE, "fut"),
    },
    "asyncio.taskgroups": {"__aexit__": (TASKS, "self"), "_aexit": (TASKS, "self")},
    "asyncio.threads": {"to_thread": (THREAD, "func_call")},
    "asyncio.streams": {
        **dict.fromkeys(_STREAM_READS, (READ, "self")),
        "drain": (WRITE, "self"),
        "_drain_helper": (WRITE, "self"),
        "wait_closed": (OTHER, "self"),
    },
    "asyncio.subprocess": _PROCESS,
    "asyncio.base_subprocess": {"_wait": (PROCESS, "self")},
    "asyncio.base_events": {
        "getaddrinfo": (THREAD, "host"),
        "serve_forever": (READ, "self"),
        **_LOOP_ROWS,
    },
    "asyncio.selector_events": _LOOP_ROWS,
    "trio._sync": _TRIO_SYNC,
    "trio._core._parking_lot": {"park": _OF_SELF},
    "trio._channel": _CHANNEL,
    "trio._core._unbounded_queue": {"get_batch": (QUEUE_GET, "self")},
    "trio._timeouts": {
        "sleep": (SLEEP, "seconds"),
        "sleep_until": (SLEEP, "deadline"),
        "sleep_forever": (SLEEP, ""),
    },
    "trio._threads": {
        "to_thread_run_sync": (THREAD, "sync_fn"),
        "wait_all_threads_completed": (THREAD, ""),
    },
    "trio._subprocess": {"wait": (PROCESS, "self"), "run_process": (PROCESS, "")},
    "trio._subprocess_platform.waitid": {"wait_child_exiting": (PROCESS, "process")},
    "trio._core._run": {
        "__aexit__": (TASKS, "self"),
        "_nested_child_finished": (TASKS, "self"),
        "start": (TASKS, "self"),
        "checkpoint": (RUN_QUEUE, ""),
    },
    "trio._core._io_epoll": {"wait_readable": (READ, "fd"), "wait_writable": (WRITE, "fd")},
    "trio._core._traps": {"cancel_shielded_checkpoint": (RUN_QUEUE, "")},
    "trio._socket": _TRIO_SOCKET,
    "trio._highlevel_socket": _BYTE_STREAM,
    "trio._highlevel_generic": _BYTE_STREAM,
    "trio._unix_pipes": _BYTE_STREAM,
    "trio._signals": {"__anext__": (SIGNAL, "self")},
    "anyio._core._synchronization": _TRIO_SYNC,
    "anyio._core._eventloop": {
        "sleep": (SLEEP, "delay"),
        "sleep_forever": (SLEEP, ""),
        "sleep_until": (SLEEP, "deadline"),
    },
    "anyio._core._tasks": {"wait": (TASK, "self")},
    "anyio.streams.memory": _CHANNEL,
    "anyio._core._sockets": _SOCKETS,
    "anyio.to_thread": {"run_sync": (THREAD, "func")},
    "anyio.to_process": {"run_sync": (PROCESS, "func")},
    "anyio._core._subprocesses": {"run_process": (PROCESS, "process")},
    "anyio._backends._asyncio": _ANYIO,
    "anyio._backends._trio": _ANYIO,
    "gevent.hub": {
        "sleep": (SLEEP, "seconds"),
        "idle": (RUN_QUEUE, ""),
        "spawn_raw": (OTHER, ""),
        "run": (LOOP, "self"),
    },
    "gevent._hub_primitives": dict.fromkeys(
        ("iwait_on_objects", "wait_on_objects"), (TASKS, "objects")
    ),
    "gevent.thread": {"acquire": (LOCK, "self")},
    "gevent.lock": {"acquire": _OF_SELF},
    "gevent.pool": {"join": (TASKS, "self"), "spawn": (SEMAPHORE, "self")},
    "gevent.os": {
        "nb_read": (READ, "fd"),
        "nb_write": (WRITE, "fd"),
        "tp_read": (THREAD, ""),
        "waitpid": (PROCESS, ""),
    },
    "gevent.subprocess": _PROCESS,
    "gevent.threadpool": {"_wait": (THREAD, "self"), "join": (THREAD, "self")},
    "gevent.select": {"select": (READ, ""), "poll": (READ, "")},
    "eventlet.greenthread": {"sleep": (SLEEP, "seconds"), "wait": (TASK, "self")},
    "eventlet.semaphore": {"acquire": _OF_SELF},
    "eventlet.event": {"wait": (EVENT, "self")},
    "eventlet.queue": _QUEUE,
    "eventlet.hubs": {"trampoline": (READ, "fd")},
    "eventlet.hubs.hub": {"run": (LOOP, "self")},
    "eventlet.hubs.asyncio": {"run": (LOOP, "self")},
    "eventlet.greenpool": {
        "waitall": (TASKS, "self"),
        "spawn": (SEMAPHORE, "self"),
        "spawn_n": (SEMAPHORE, "self"),
    },
    "eventlet.tpool": {"execute": (THREAD, "meth")},
    "eventlet.green.subprocess": {"wait": (PROCESS, "self")},
    "threading": {"acquire": (LOCK, "self"), "wait": _OF_SELF, "join": (THREAD, "self")},
    "queue": _QUEUE,
}
# eventlet renames what it patches; gevent's sockets are in one module a version of Python.
for _name, _row in (("eventlet.green.threading", "threading"), ("eventlet.green.Queue", "queue")):
    ROWS[_name] = ROWS[_row]
for _name in ("gevent._socket3", "gevent._socketcommon", "eventlet.greenio.base"):
    ROWS[_name] = {
        **dict.fromkeys(("recv", "recv_into", "recvfrom", "recvfrom_into"), (READ, "self")),
        **dict.fromkeys(("send", "sendto", "sendall", "connect"), (WRITE, "self")),
        "accept": (READ, "self"),
        "recvmsg": (READ, "self"),
        "wait_on_socket": (READ, "socket"),
        "_recv_loop": (READ, "self"),
        "_send_loop": (WRITE, "self"),
    }
ROWS["gevent._socketcommon"].update(
    {"wait_read": (READ, ""), "wait_write": (WRITE, ""), "getaddrinfo": (THREAD, "host")}
)

# Kinds by class, where the function does not tell; the class itself or one of its bases.
CLASSES = {
    **dict.fromkeys(("Lock", "RLock", "_RLock", "_LockImpl", "StrictFIFOLock", "LockType"), LOCK),
    **dict.fromkeys(("Semaphore", "BoundedSemaphore", "CapacityLimiter"), SEMAPHORE),
    "Event": EVENT,
    "Condition": CONDITION,
    "Barrier": BARRIER,
    "Process": PROCESS,
    "AsyncResult": FUTURE,
    "Task": TASK,
    "_GatheringFuture": TASKS,
    "Future": FUTURE,
}

# What bounds how many threads run at once; whoever wants one waits in it.
OF_A_LIMITER = "acquire_on_behalf_of"

# Functions that only stand around what is awaited; since 3.12 (gh-96764) wait_for() makes no task.
AROUND = ("asyncio.tasks.wait_for", "trio._core._parking_lot.park")

# Frames of these packages are passed over on the way to the program's own.
LIBRARIES = (
    "asyncio", "trio", "anyio", "gevent", "eventlet", "greenlet", "outcome", "threading", "queue",
    "contextlib", "socket", "ssl", "subprocess", "select", "selectors",
)  # fmt: skip
