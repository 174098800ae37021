# SPDX-License-Identifier: Apache-2.0
"""The executors of concurrent.futures, the pools of multiprocessing, and the queues of a process.

Reference: Lib/concurrent/futures/{thread,process}.py, Lib/queue.py, Lib/asyncio/queues.py,
Lib/multiprocessing/{pool,queues}.py, Modules/_queuemodule.c, 3.8 to 3.15.
"""

from __future__ import annotations

from gdb_epi.cpython.heap.gc_lists import read_possible_pointers_in_locals
from gdb_epi.cpython.heap.instances import Instance, InstancesByClass, shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame, PythonState, ThreadState
from gdb_epi.errors import Absent, SoftError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

THREADS = "concurrent.futures.thread.ThreadPoolExecutor"
PROCESSES = "concurrent.futures.process.ProcessPoolExecutor"
PROCESS_POOL = "multiprocessing.pool.Pool"
THREAD_POOL = "multiprocessing.pool.ThreadPool"
_POOLS = (THREADS, PROCESSES, PROCESS_POOL)
SIMPLE = "_queue.SimpleQueue"
PY_SIMPLE = "queue._PySimpleQueue"
QUEUE = "queue.Queue"
ASYNC = "asyncio.queues.Queue"
PIPED = "multiprocessing.queues.Queue"
_QUEUES = (SIMPLE, PY_SIMPLE, QUEUE, ASYNC, PIPED)
_EXECUTOR_MODULE = "concurrent.futures.thread"
POOL_MODULE = "multiprocessing.pool"
# The threads of a Pool, by attribute: what each is for.
_HANDLERS = (
    ("_task_handler", "hands out jobs"),
    ("_result_handler", "takes results"),
    ("_worker_handler", "replaces workers"),
)

MAX_WORKERS = 10_000
MAX_FRAMES = 20  # of a thread, the innermost ones: a queue's methods are not far out
MAX_ITEMS = 1000  # submitted calls of a pool of processes that are named
_WORKERS = ("_worker", "worker")  # functions that ask for jobs and run them
_JOB_QUEUES = ("multiprocessing.queues", "multiprocessing.synchronize", "queue")
_LENGTHS = {"list": "PyListObject", "collections.deque": "dequeobject"}


class PoolWorker(NamedTuple):
    """One worker. `runs` is the frame of the function it was given; None when that is unknown.

    `idle`: it waits for work; None when it is unknown. A process is known by its pid alone;
    `replaces`: it was started in place of one that ended, with the job that this one ran.
    """

    tid: int | None
    name: str | None
    idle: bool | None = None
    runs: PyFrame | None = None
    pid: int | None = None
    replaces: bool = False


class PoolHandlerThread(NamedTuple):
    """A thread of a Pool of multiprocessing: what it is for; `tid` is None when it has ended."""

    purpose: str
    tid: int | None
    frame: PyFrame | None  # its innermost one


class PoolResult(NamedTuple):
    """A result that a Pool owes: of how many calls, and how many chunks of them are not done."""

    kind: str  # "apply", "map", "imap"
    calls: int | None
    chunks_left: int | None


class Executor(NamedTuple):
    """One executor. `queued` counts calls that no worker took yet, None when it is unknown.

    `calls` are the functions of calls that have no result yet, by name (pools of processes only).
    `forgot_workers`: after shutdown() it does not refer to its processes, which work on.
    """

    address: int
    kind: str  # "threads" or "processes"
    shown: str  # its class
    prefix: str | None  # of its threads' names
    max_workers: int | None
    workers: tuple[PoolWorker, ...]
    queued: int | None
    shut_down: bool | None
    calls: tuple[str, ...] = ()
    forgot_workers: bool = False
    awaited: tuple[PoolResult, ...] = ()  # of a Pool of multiprocessing
    handlers: tuple[PoolHandlerThread, ...] = ()


class Queue(NamedTuple):
    """One queue. None: it has none, or it could not be read.

    `getters` and `putters` count those that wait; `users` are the threads that are inside its
    methods.
    """

    address: int
    shown: str
    size: int | None = None
    max_size: int | None = None  # 0: without a bound
    unfinished: int | None = None  # put but not yet task_done()
    getters: int | None = None
    putters: int | None = None
    users: tuple[int, ...] = ()  # tids


class ExecutorsAndQueues(NamedTuple):
    """All executors and queues that were found, and what could not be had.

    `process_pools` are the Pools and ThreadPools of multiprocessing.
    """

    pools: tuple[Executor, ...]
    process_pools: tuple[Executor, ...]
    queues: tuple[Queue, ...]
    soft_errors: tuple[SoftError, ...]


def read_executors_and_queues(target: Target, python: PythonState) -> ExecutorsAndQueues:
    """Return the executors and queues of a process. Never raises for damage."""
    instances = shared_instances(target, python)
    reader = instances.reader
    decoder = _ExecutorAndQueueDecoder(instances, python)
    problems: list[SoftError] = []
    pools, process_pools, queues = [], [], []
    # Which threads are in a frame of a module of queues that refers to an address.
    users: dict[int, list[int]] = {}
    for thread in python.threads():
        if thread.tid is None:
            continue
        words = {
            word
            for frame in thread.frames[:MAX_FRAMES]
            if frame.hole is None and frame.module in ("queue", "multiprocessing.queues")
            for word in read_possible_pointers_in_locals(reader, frame.address)
        }
        for word in words:
            if thread.tid not in users.setdefault(word, []):
                users[word].append(thread.tid)
    for instance in instances.instances_of((*_POOLS, *_QUEUES)):
        try:
            if instance.kind in (THREADS, PROCESSES):
                pools.append(decoder.decode_executor(instance))
            elif instance.kind == PROCESS_POOL:  # a ThreadPool is one too
                process_pools.append(decoder.decode_multiprocessing_pool(instance))
            else:
                queues.append(
                    decoder.decode_queue(instance)._replace(
                        users=tuple(users.get(instance.address, ()))
                    )
                )
        except UnreadableMemory as error:
            problems.append(SoftError("pools", instance.shown, str(error)))
    errors = (*instances.problems, *problems)
    return ExecutorsAndQueues(tuple(pools), tuple(process_pools), tuple(queues), errors)


class _ExecutorAndQueueDecoder:
    def __init__(self, instances: InstancesByClass, python: PythonState) -> None:
        self._reader = reader = instances.reader
        self.instances = instances
        self._objects = instances.objects
        self._containers = ContainerReader(reader)
        self._threads = {thread.ident: thread for thread in python.threads() if thread.ident}

    # -- attributes ---------------------------------------------------------------------------

    def _attribute(self, address: int, name: str) -> int:
        """Return an attribute; 0 when it is None or not there."""
        value = self._objects.attribute(address, name)
        if isinstance(value, Absent) or self.instances.ident(value) == "NoneType":
            return 0
        return value

    def _integer_attribute(self, address: int, name: str) -> int | None:
        at = self._attribute(address, name)
        value = self._objects.integer(at) if at else None
        return value if isinstance(value, int) else None

    def _boolean_attribute(self, address: int, name: str) -> bool | None:
        number = self._integer_attribute(address, name)
        return None if number is None else bool(number)

    def _length(self, address: int) -> int | None:
        """Return len() of a list or deque."""
        struct = _LENGTHS.get(self.instances.ident(address))
        return None if struct is None else self._containers.length(address, struct)

    def _str_contents(self, address: int) -> str | None:
        text = self._reader.string(address, 4096) if address else None
        return text if isinstance(text, str) else None

    # -- queues -------------------------------------------------------------------------------

    def decode_queue(self, instance: Instance) -> Queue:
        """Return one queue."""
        at = instance.address
        queue = Queue(at, instance.shown)
        if instance.kind == SIMPLE:
            return queue._replace(size=self._simple_queue_size(at))
        if instance.kind == PY_SIMPLE:
            return queue._replace(size=self._length(self._attribute(at, "_queue")))
        if instance.kind == ASYNC:
            return queue._replace(
                size=self._length(self._attribute(at, "_queue")),
                getters=self._length(self._attribute(at, "_getters")),
                putters=self._length(self._attribute(at, "_putters")),
                unfinished=self._integer_attribute(at, "_unfinished_tasks"),
                max_size=self._integer_attribute(at, "_maxsize"),
            )
        if instance.kind == PIPED:  # what its feeder thread has not written into the pipe yet
            size = self._length(self._attribute(at, "_buffer"))
            return queue._replace(size=size, max_size=self._integer_attribute(at, "_maxsize"))
        return queue._replace(
            getters=self._count_waiters(at, "not_empty"),
            putters=self._count_waiters(at, "not_full"),
            size=self._length(self._attribute(at, "queue")),
            max_size=self._integer_attribute(at, "maxsize"),
            unfinished=self._integer_attribute(at, "unfinished_tasks"),
        )

    def _count_waiters(self, queue: int, name: str) -> int | None:
        """Return how many threads wait for a condition of a queue."""
        condition = self._attribute(queue, name)
        return self._length(self._attribute(condition, "_waiters") if condition else 0)

    def _simple_queue_size(self, address: int) -> int | None:
        """Return how many items a SimpleQueue holds; 3.13 (gh-113884) made it a ring buffer."""
        layout = self._reader.layout
        ring = layout.offset("simplequeueobject", "buf.num_items")
        if ring is not None:
            size = self._reader.i64(address + ring)
            return size if 0 <= size < 1 << 40 else None
        at = layout.offset("simplequeueobject", "lst")
        first = layout.offset("simplequeueobject", "lst_pos")
        if at is None or first is None:
            return None
        items = self._containers.length(self._reader.u64(address + at), "PyListObject")
        return max(items - self._reader.i64(address + first), 0)

    # -- executors ----------------------------------------------------------------------------

    def decode_executor(self, instance: Instance) -> Executor:
        """Return one executor."""
        at = instance.address
        max_workers = self._integer_attribute(at, "_max_workers")
        if instance.kind == PROCESSES:
            return self._decode_process_pool(instance, max_workers)
        queue = self._attribute(at, "_work_queue")
        queue_kind = self.instances.wanted_class_of(queue, frozenset(_QUEUES)) if queue else None
        queued = self.decode_queue(Instance(queue, *queue_kind)).size if queue_kind else None
        threads = self._attribute(at, "_threads")
        members = list(self._containers.set_items(threads))[:MAX_WORKERS] if threads else []
        workers = [self._thread_worker(member) for member in members]
        workers.sort(key=lambda worker: (worker.tid or 0, worker.name or ""))
        prefix = self._str_contents(self._attribute(at, "_thread_name_prefix"))
        return Executor(
            at,
            "threads",
            instance.shown,
            prefix,
            max_workers,
            tuple(workers),
            queued,
            shut_down=self._boolean_attribute(at, "_shutdown"),
        )

    def _thread_worker(self, thread: int) -> PoolWorker:
        name = self._str_contents(self._attribute(thread, "_name"))
        state = self._state_of_thread_object(thread, name)
        if state is None:
            return PoolWorker(None, name)
        idle, runs = read_worker_state(state)
        return PoolWorker(state.tid, name, idle, runs)

    def _state_of_thread_object(self, thread: int, name: str | None) -> ThreadState | None:
        """Return the state of a Thread object; None where that thread has ended.

        Another one may have its ident, which is an address of its stack: one that was started
        after fork() left the workers behind. It has its own name in threading._active.
        """
        state = self._threads.get(self._integer_attribute(thread, "_ident") or 0)
        if state is None or (name and state.name and state.name != name):
            return None
        return state

    def _decode_process_pool(self, instance: Instance, most: int | None) -> Executor:
        at = instance.address
        running = self._attribute(at, "_processes")
        workers: list[PoolWorker] = []
        for key, process in self._objects.dict_items(running) if running else ():
            pid = self._objects.integer(key)
            if isinstance(pid, int) and len(workers) < MAX_WORKERS:
                name = self._str_contents(self._attribute(process, "_name"))
                workers.append(PoolWorker(None, name, pid=pid))
        work_items = self._attribute(at, "_pending_work_items")
        pending = [item for _, item in self._objects.dict_items(work_items)] if work_items else []
        workers.sort(key=lambda worker: worker.pid or 0)
        return Executor(
            at,
            "processes",
            instance.shown,
            None,
            most,
            tuple(workers),
            len(pending),
            shut_down=self._boolean_attribute(at, "_shutdown_thread"),
            calls=tuple(self._work_item_function(item) for item in pending[:MAX_ITEMS]),
            forgot_workers=self.instances.ident(running) != "dict",
        )

    def decode_multiprocessing_pool(self, instance: Instance) -> Executor:
        """Return a Pool or ThreadPool. Its processes are started before its threads."""
        at = instance.address
        of_threads = self.instances.wanted_class_of(at, frozenset((THREAD_POOL,))) is not None
        handlers = tuple(
            self._decode_handler(self._attribute(at, name), what) for name, what in _HANDLERS
        )
        begun = max((handler.tid or 0 for handler in handlers), default=0)
        limited = bool(self._attribute(at, "_maxtasksperchild"))
        held = self._attribute(at, "_pool")
        members = self._containers.list_items(held)[:MAX_WORKERS] if held else []
        workers: list[PoolWorker] = []
        for member in members:
            if of_threads:
                workers.append(self._thread_worker(member))
                continue
            popen = self._attribute(member, "_popen")
            pid = self._integer_attribute(popen, "pid") if popen else None
            replaces = pid is not None and 0 < begun < pid and not limited
            name = self._str_contents(self._attribute(member, "_name"))
            workers.append(PoolWorker(None, name, pid=pid, replaces=replaces))
        cache, waiting = self._attribute(at, "_cache"), self._attribute(at, "_taskqueue")
        results = [result for _, result in self._objects.dict_items(cache)] if cache else []
        queue = self.instances.wanted_class_of(waiting, frozenset(_QUEUES)) if waiting else None
        return Executor(
            at,
            "threads" if of_threads else "processes",
            instance.shown,
            None,
            self._integer_attribute(at, "_processes"),
            tuple(workers),
            self.decode_queue(Instance(waiting, *queue)).size if queue else None,
            shut_down=self._str_contents(self._attribute(at, "_state")) in ("CLOSE", "TERMINATE"),
            awaited=tuple(map(self._decode_awaited_result, results[:MAX_ITEMS])),
            handlers=handlers,
        )

    def _decode_handler(self, thread: int, purpose: str) -> PoolHandlerThread:
        state = (
            self._state_of_thread_object(
                thread, self._str_contents(self._attribute(thread, "_name"))
            )
            if thread
            else None
        )
        if state is None or not state.alive:
            return PoolHandlerThread(purpose, None, None)
        return PoolHandlerThread(purpose, state.tid, state.frames[0] if state.frames else None)

    def _decode_awaited_result(self, result: int) -> PoolResult:
        """Return what is known of a result; only a MapResult counts its chunks."""
        kind = self.instances.types.type_of_object(result).qualname
        if kind == "MapResult":
            calls = self._length(self._attribute(result, "_value"))
            return PoolResult("map", calls, self._integer_attribute(result, "_number_left"))
        if kind.startswith("IMap"):
            calls, came = (
                self._integer_attribute(result, "_length"),
                self._integer_attribute(result, "_index"),
            )
            early = self._attribute(result, "_unsorted")  # results that came before earlier ones
            count = len(list(self._objects.dict_items(early))) if early else 0
            left = None if calls is None or came is None else max(calls - came - count, 0)
            return PoolResult("imap", calls, left)
        return PoolResult("apply", 1, None)

    def _work_item_function(self, work_item: int) -> str:
        """Return the name of the function of a _WorkItem."""
        function = self._attribute(work_item, "fn")
        kind = self.instances.ident(function)
        if kind == "function":
            return (
                self._str_contents(
                    self._reader.field(function, "PyFunctionObject", "func_qualname")
                )
                or "?"
            )
        return f"{kind} object" if kind else "?"


def read_worker_state(thread: ThreadState) -> tuple[bool | None, PyFrame | None]:
    """Tell whether a worker thread of a pool waits for work, and what it runs if not.

    It waits when `_worker` is its innermost frame of the pool's module and calls no Python. Under
    the `run` of a work item comes the function; a C function leaves no frame. So does a worker of
    multiprocessing, whose `worker` asks the queue of the standard library for its next job.
    """
    outermost_first = [frame for frame in reversed(thread.frames) if frame.hole is None]
    pools = (_EXECUTOR_MODULE, POOL_MODULE)
    mine = [n for n, frame in enumerate(outermost_first) if frame.module in pools]
    # What is outside of `worker` ran in the parent, whose stack fork() copied.
    begun = [n for n in mine if outermost_first[n].name in _WORKERS]
    if not mine:
        return None, None
    for frame in outermost_first[begun[-1] if begun else mine[0] :]:
        if frame.module in _JOB_QUEUES:
            return True, None
        if frame.module not in pools:
            return False, frame
    return outermost_first[-1].name in _WORKERS, None
