# SPDX-License-Identifier: Apache-2.0
"""What functions of libraries wait for, where registers alone say too little.

`ROWS` maps (module, function) to what is waited for; of the frames that stand inward of the
program's own, the outermost one that is known decides: `Queue.get()`, not the Condition inside.
`SERVES`: functions that wait for work by design. Reference: the standard library of 3.8 to 3.15;
servers by the names of their modules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs import types as hang_types

_LIBRARY_PARTS = ("/site-packages/", "/dist-packages/", "<frozen ")

# What rules of answers look for.
PROCESS_QUEUE = "an item in a queue between processes"
PROCESS_ROOM = "room in a queue between processes"
MANAGED_ITEM = "an item in a queue of a manager process"
EVENT_SET = "a notification"
QUEUE_ITEM, QUEUE_ROOM = "an item in a queue", "room in a queue"
QUEUE_END = "the end of all jobs of a queue"
MESSAGE = "a message of another process"
TLS_HANDSHAKE = "the other side of a TLS handshake"
# Given at once by who accepts a connection.
HANDSHAKE = "the other side's part of the handshake of a connection"
GREETING = "the greeting of a server"
NEW_CHILD = "a new child process to start its program"
POOL_RESULTS = "results of a pool"
FILE_ON_DISK = "a file on a disk"
NOTIFICATION = "a notification of another process"
_SHARED = "multiprocessing.synchronize"
NOTIFIES = (_SHARED, "notify")  # below which Condition and Event wait until all woken have said so
PROCESS_JOBS = "the end of all jobs of a JoinableQueue (join(), which task_done() ends)"
OF_CHILD = "the end of a child process"
FUTURES = ("the result of a future", "futures")
OF_CLUSTER, OF_CELERY = "results of a dask cluster", "the result of a celery task"
OF_GRPC = "the answer of a gRPC server"
FREE_CONNECTION = "a free connection of a pool"
SEMAPHORE = "a semaphore"  # of threading
PROGRAM_END = "the end of threads that are not daemons"
# Functions of libraries that end a service: a server that waits in one serves no more.
CLOSING = frozenset(("shutdown", "aclose", "close", "stop", "cleanup"))

GRPC_CALL = ("grpc._channel", "_blocking")
ASKS_MANAGER = ("multiprocessing.managers", "_callmethod")

ROWS: dict[tuple[str, str], tuple[str, str]] = {
    ("queue", "get"): (hang_types.EVENT, QUEUE_ITEM),
    ("gevent._threading", "get"): (hang_types.EVENT, QUEUE_ITEM),
    ("queue", "put"): (hang_types.EVENT, QUEUE_ROOM),
    ("queue", "join"): (hang_types.EVENT, QUEUE_END),
    ("threading", "wait"): (hang_types.EVENT, EVENT_SET),
    ("threading", "acquire"): (hang_types.EVENT, SEMAPHORE),
    ("threading", "join"): (hang_types.JOIN, "the end of a thread"),
    ("threading", "_shutdown"): (hang_types.JOIN, PROGRAM_END),
    ("concurrent.futures._base", "result"): (hang_types.EVENT, FUTURES[0]),
    ("concurrent.futures._base", "result_iterator"): (hang_types.EVENT, FUTURES[0]),
    ("concurrent.futures._base", "wait"): (hang_types.EVENT, FUTURES[1]),
    ("concurrent.futures._base", "as_completed"): (hang_types.EVENT, FUTURES[1]),
    ("concurrent.futures.thread", "shutdown"): (hang_types.JOIN, "the workers of an executor"),
    ("concurrent.futures.process", "shutdown"): (hang_types.JOIN, "the workers of an executor"),
    ("multiprocessing.pool", "get"): (hang_types.EVENT, POOL_RESULTS),
    ("multiprocessing.pool", "map"): (hang_types.EVENT, POOL_RESULTS),
    ("multiprocessing.pool", "next"): (hang_types.EVENT, POOL_RESULTS),
    ("multiprocessing.pool", "join"): (hang_types.JOIN, "the end of a process pool"),
    ("multiprocessing.queues", "get"): (hang_types.READ, PROCESS_QUEUE),
    ("multiprocessing.queues", "join"): (hang_types.LOCK, PROCESS_JOBS),
    ("multiprocessing.queues", "put"): (hang_types.LOCK, PROCESS_ROOM),
    ("multiprocessing.queues", "_finalize_join"): (hang_types.JOIN, "the feeder thread of a queue"),
    ("multiprocessing.queues", "join_thread"): (hang_types.JOIN, "the feeder thread of a queue"),
    (_SHARED, "wait"): (hang_types.LOCK, NOTIFICATION),
    ("multiprocessing.process", "join"): (hang_types.CHILD, OF_CHILD),
    ("multiprocessing.util", "_exit_function"): (
        hang_types.CHILD,
        "the end of its child processes",
    ),
    ("multiprocessing.connection", "recv"): (hang_types.READ, MESSAGE),
    ("multiprocessing.connection", "recv_bytes"): (hang_types.READ, MESSAGE),
    **dict.fromkeys(
        (
            ("multiprocessing.connection", "answer_challenge"),
            ("multiprocessing.connection", "deliver_challenge"),
        ),
        (hang_types.READ, HANDSHAKE),
    ),
    ("multiprocessing.connection", "send"): (hang_types.WRITE, "another process to take a message"),
    ("multiprocessing.connection", "wait"): (hang_types.POLL, "messages of other processes"),
    ASKS_MANAGER: (hang_types.READ, "the answer of a manager process"),
    ("importlib._bootstrap_external", "get_data"): (hang_types.READ, FILE_ON_DISK),
    # Its name at the start.
    ("_frozen_importlib_external", "get_data"): (hang_types.READ, FILE_ON_DISK),
    ("distributed.utils", "sync"): (hang_types.EVENT, OF_CLUSTER),
    ("celery.result", "get"): (hang_types.READ, OF_CELERY),
    GRPC_CALL: (hang_types.READ, OF_GRPC),
    ("joblib.parallel", "_retrieve"): (hang_types.CHILD, "results of joblib's workers"),
    # Before 1.3.
    ("joblib.parallel", "retrieve"): (hang_types.CHILD, "results of joblib's workers"),
    ("subprocess", "wait"): (hang_types.CHILD, OF_CHILD),
    ("subprocess", "communicate"): (hang_types.CHILD, "the end and the output of a child process"),
    ("subprocess", "call"): (hang_types.CHILD, OF_CHILD),
    ("subprocess", "run"): (hang_types.CHILD, OF_CHILD),
    ("subprocess", "check_output"): (hang_types.CHILD, "the end and the output of a child process"),
    ("socket", "accept"): (hang_types.ACCEPT, "a client"),
    ("http.client", "getresponse"): (hang_types.READ, "the answer of an HTTP server"),
    ("urllib.request", "urlopen"): (hang_types.READ, "the answer of an HTTP server"),
    ("ssl", "do_handshake"): (hang_types.READ, TLS_HANDSHAKE),
    ("smtplib", "getreply"): (hang_types.READ, "the answer of a mail server"),
    ("poplib", "_getresp"): (hang_types.READ, "the answer of a mail server"),
    ("imaplib", "_get_response"): (hang_types.READ, "the answer of a mail server"),
    ("ftplib", "getresp"): (hang_types.READ, "the answer of an FTP server"),
    ("filelock._api", "acquire"): (hang_types.FILE_LOCK, "a lock of a file"),
    ("zmq.sugar.context", "term"): (hang_types.READ, hang_types.OF_ZMQ_CONTEXT),
    **dict.fromkeys(
        (
            ("sqlalchemy.util.queue", "get"),
            ("urllib3.connectionpool", "_get_conn"),
            ("redis.connection", "get_connection"),
            ("psycopg_pool.pool", "getconn"),
        ),
        (hang_types.EVENT, FREE_CONNECTION),
    ),
}

# Functions of clients below which a server's first words are read: it says them unasked, at once.
_GREETED = {
    module: frozenset((module, name) for name in ("connect", "_connect", "__init__"))
    for module in ("smtplib", "poplib", "imaplib", "ftplib")
}
# What decides where it is the innermost frame, whatever function of the library calls it.
INNERMOST: dict[tuple[str, str], tuple[str, str]] = {
    ("subprocess", "_execute_child"): (hang_types.CHILD, NEW_CHILD)  # the pipe that exec() closes
}

# (module, function) of frames that wait for work; "" is any function of the module.
SERVES = frozenset((
    ("socketserver", "serve_forever"), ("socketserver", "get_request"), ("socket", "accept"),
    ("http.server", "handle_one_request"), ("xmlrpc.server", ""), ("wsgiref.handlers", ""),
    ("concurrent.futures.thread", "_worker"), ("concurrent.futures.process", "_process_worker"),
    ("multiprocessing.pool", "worker"), ("multiprocessing.pool", "_handle_workers"),
    ("multiprocessing.pool", "_handle_tasks"), ("multiprocessing.pool", "_handle_results"),
    ("multiprocessing.queues", "_feed"), ("multiprocessing.forkserver", "main"),
    ("multiprocessing.resource_tracker", "main"), ("loky.backend.resource_tracker", "main"),
    ("joblib.externals.loky.backend.resource_tracker", "main"),
    ("multiprocessing.managers", "serve_forever"),
    ("multiprocessing.managers", "serve_client"), ("multiprocessing.managers", "accepter"),
    ("logging.handlers", "_monitor"), ("sched", "run"), ("cmd", "cmdloop"), ("code", "interact"),
    ("threading", "_bootstrap_inner"),
))  # fmt: skip
# Processes that multiprocessing and loky start for themselves: they read their pipe all their life.
HELPERS = frozenset((
    "multiprocessing.forkserver.main", "multiprocessing.resource_tracker.main",
    "loky.backend.resource_tracker.main", "joblib.externals.loky.backend.resource_tracker.main",
))  # fmt: skip
SERVERS = (
    "gunicorn", "uvicorn", "hypercorn", "daphne", "waitress", "werkzeug.serving", "cherrypy",
    "cheroot", "tornado.ioloop", "tornado.platform", "twisted.internet", "celery", "kombu",
    "billiard", "rq.", "dramatiq", "huey", "apscheduler", "watchdog", "aiohttp.web", "gevent.hub",
    "eventlet.hubs", "pika.adapters", "zmq.", "grpc._server", "ipykernel", "prompt_toolkit",
    "supervisor", "uwsgi", "django.core.servers", "distributed.", "ray._private",
)  # fmt: skip
# Modules of these that wait for results, not for work.
_FOR_RESULTS = (
    "distributed.utils", "distributed.client", "celery.result", "celery.backends",
    "dramatiq.results",
)  # fmt: skip
_TRANSPORTS = ("socket", "ssl", "selectors", "_pyio")
# Verbs in the names of functions of libraries that no row above names: nobody can list all that
# wait. A wrong guess must not make a hang of a service at rest, so the first two match anywhere
# in a name and hold every verb seen of a service; the third, which speaks against one, matches only
# where a word begins ("put" is not in "compute" and "input").
_STAYS, _TAKES, _ASKS = "stays", "takes", "asks"
_STAYS_AND_TAKES = ("consum", "listen", "wait", "poll", "stream", "subscri", "iter", "next")
_VERBS = {
    _STAYS: (  # serves, or a program stays in it; any other is called for one result
        *_STAYS_AND_TAKES, "run", "serv", "start", "loop", "forever", "watch", "work", "main",
        "join", "spin", "idle", "exec", "handle", "dispatch", "monitor", "launch", "proxy",
        "device", "show", "embed", "interact", "shell", "prompt", "input", "pause", "sleep",
    ),
    _TAKES: (  # takes what others send, whenever that is
        *_STAYS_AND_TAKES, "pop", "recv", "receive", "xread", "message", "take", "dequeue", "notif",
    ),
    _ASKS: (  # asks another side for something
        "send", "write", "request", "ask", "publish", "post", "query", "execute", "flush", "put",
        "drain", "connect", "login", "fetch", "urlopen", "command",
    ),
}  # fmt: skip
# In it a pool's thread goes over an iterable of the program: what that waits for holds up the pool.
ASKS_FOR_JOBS = ("multiprocessing.pool", "_guarded_task_generation")
# Below it a pool's thread runs a job, which may be a function of C without a Python frame.
RUNS_JOB = ("concurrent.futures.thread", "run")
RUNS_JOB_OF_ANYIO = ("anyio._backends._asyncio", "run")
# Functions of libraries that end something: what they wait for shall go, not work.
CLOSES = frozenset((("socketserver", "server_close"),))
# What system calls that no library of Python makes wait for.
BY_CALL = {
    "semop": "a System V semaphore", "semtimedop": "a System V semaphore",
    "msgrcv": "a message of a System V queue", "msgsnd": "a System V message queue",
    "mq_timedreceive": "a message of a POSIX queue", "mq_timedsend": "a POSIX message queue",
}  # fmt: skip
OF_ZMQ = "a message of a ZeroMQ socket"
MESSAGES = (BY_CALL["msgrcv"], BY_CALL["mq_timedreceive"], OF_ZMQ)  # of queues: those are read
_LOOP_FRAMES = (
    (("asyncio.base_events",), ("_run_once", "run_forever")),
    (("asyncio.runners", "uvloop"), ("run",)),
)


def is_library_code(frame: PyFrame) -> bool:
    """Tell whether a frame's code is the standard library's or of an installed package."""
    return is_library_file(frame.filename)


def is_library_file(file: str) -> bool:
    """Tell whether a file of code is the standard library's or of an installed package."""
    return "/lib/python3" in file or any(part in file for part in _LIBRARY_PARTS)


def frames_running(
    frames: Iterable[PyFrame], functions: Collection[tuple[str, str]]
) -> Iterator[PyFrame]:
    """Yield the frames that run one of some functions, (module, name)."""
    return (frame for frame in frames if (frame.module or "", frame.name) in functions)


def split_library_frames(
    frames: Sequence[PyFrame], is_library: Callable[[PyFrame], bool] = is_library_code
) -> tuple[tuple[PyFrame, ...], tuple[PyFrame, ...]]:
    """Return the library's frames inward of the program's, and the program's own."""
    real = [frame for frame in frames if frame.hole is None and (frame.qualname or frame.name)]
    inner: list[PyFrame] = []
    for frame in real:
        if not is_library(frame) and not _is_method_of_proxy(frame, inner):
            break
        inner.append(frame)
    own = [frame for frame in real[len(inner) :] if not is_library(frame)]
    return tuple(inner), tuple(own)


def _is_method_of_proxy(frame: PyFrame, inner: Sequence[PyFrame]) -> bool:
    """Tell whether a frame runs what MakeProxyType() compiled (Lib/multiprocessing/managers.py)."""
    called = [(each.module, each.name) for each in inner[-1:]]
    return not frame.module and frame.filename == "<string>" and called == [ASKS_MANAGER]


def describe_library_wait(inner: Sequence[PyFrame]) -> tuple[str, str, str] | None:
    """Return (kind, what, "module.function") of the outermost library function that is known."""
    for frame, table in (
        *((f, INNERMOST) for f in inner[:1]),
        *((f, ROWS) for f in reversed(inner)),
    ):
        row = table.get((frame.module or "", frame.name))
        if row is not None:
            shared = frame.module == "threading" and any(f.module == _SHARED for f in inner)
            row = ROWS[_SHARED, "wait"] if shared else row  # of a barrier of processes
            if frame.module in _GREETED and any(frames_running(inner, _GREETED[frame.module])):
                row = (row[0], GREETING)
            return (*row, f"{frame.module}.{frame.qualname or frame.name}")
    return None


def serving_function(inner: Sequence[PyFrame]) -> str:
    """Return the library function that waits for work by design; "" when there is none."""
    for frame in inner:
        if (frame.module, frame.name) in (ASKS_FOR_JOBS, RUNS_JOB):
            return ""
        module = frame.module or ""
        if module.startswith(_FOR_RESULTS):
            return ""
        if (module, frame.name) in SERVES or (module, "") in SERVES or module.startswith(SERVERS):
            return f"{module}.{frame.qualname or frame.name}"
    return ""


def requested_function_name(inner: Sequence[PyFrame]) -> str:
    """Return the name of the library's function that the program called; "" for its transport."""
    called = [frame for frame in inner if (frame.module or "") not in _TRANSPORTS]
    return called[-1].name if called else ""


def is_single_request_name(function: str) -> bool:
    """Tell whether a library's function of this name ends with a result, and is no service."""
    return bool(function) and not any(part in function.lower() for part in _VERBS[_STAYS])


def is_receiving_function_name(function: str) -> bool:
    """Tell whether a library's function of this name asks nobody for an answer."""
    return any(part in function.lower() for part in _VERBS[_TAKES])


def is_any_request_name(names: Iterable[str]) -> bool:
    """Tell whether any of some functions' names is that of one that sends or asks something."""
    return any(word.startswith(_VERBS[_ASKS]) for name in names for word in name.lower().split("_"))


def is_waiting_in_shutdown(inner: Sequence[PyFrame]) -> bool:
    """Tell whether a library's function waits that ends a service."""
    return any((frame.module or "", frame.name) in CLOSES for frame in inner)


def event_loop_frame_index(frames: Sequence[PyFrame]) -> int | None:
    """Return the place of the frame that runs an asyncio event loop; None when there is none.

    Below uvloop's own code, which has no frames, it is that of asyncio.run().
    """
    for modules, names in _LOOP_FRAMES:
        for number, frame in enumerate(frames):
            if frame.module in modules and frame.name in names:
                return number
    return None
