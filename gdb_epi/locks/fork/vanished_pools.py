# SPDX-License-Identifier: Apache-2.0
"""Which pools and helper threads the vanished threads were.

A pool whose workers vanished takes work and never does it. That is a hazard, not a finding: most
children never ask it. Two witnesses: the Python function a vanished thread ran, and the object that
its start routine lies in (for threads that a C library started).
"""

from __future__ import annotations

from gdb_epi.locks.types import VanishedThread, VanishedThreads
from gdb_epi.typing_lite import NamedTuple

# (module, function) of a frame -> what the thread was. The first match, outermost frame first.
_PYTHON = {
    ("concurrent.futures.thread", "_worker"): "concurrent.futures thread pool",
    ("concurrent.futures.process", "run"): "concurrent.futures process pool's manager",
    ("concurrent.futures.process", "_queue_management_worker"):
        "concurrent.futures process pool's manager",
    ("logging.handlers", "_monitor"): "logging QueueListener",
    ("multiprocessing.pool", "worker"): "multiprocessing thread pool",
    ("multiprocessing.pool", "_handle_workers"): "multiprocessing pool's manager",
    ("multiprocessing.pool", "_handle_tasks"): "multiprocessing pool's manager",
    ("multiprocessing.pool", "_handle_results"): "multiprocessing pool's manager",
    ("multiprocessing.queues", "_feed"): "multiprocessing queue's feeder",
    ("multiprocessing.resource_sharer", "_serve"): "multiprocessing resource sharer",
    ("socketserver", "serve_forever"): "socketserver",
    ("asyncio.base_events", "run_forever"): "asyncio event loop",
    ("gunicorn.workers.gthread", "run"): "gunicorn worker",
    ("sentry_sdk.worker", "_target"): "sentry background worker",
    ("ddtrace.internal.periodic", "run"): "ddtrace periodic thread",
    ("apscheduler.schedulers.blocking", "_main_loop"): "APScheduler",
    ("grpc._channel", "channel_spin"): "gRPC channel",
    ("torch.utils.data._utils.pin_memory", "_pin_memory_loop"): "torch DataLoader's pinning",
}  # fmt: skip
# What the file name of a start routine's object begins with.
OPENMP = (
    ("libgomp", "OpenMP (libgomp)"), ("libiomp5", "OpenMP (Intel)"), ("libomp", "OpenMP (LLVM)"),
)  # fmt: skip
_NATIVE = (
    *OPENMP,
    ("libopenblas", "OpenBLAS"), ("libscipy_openblas", "OpenBLAS"), ("libmkl", "MKL"),
    ("libtbb", "TBB"), ("libtorch", "torch"), ("libc10", "torch"), ("cygrpc", "gRPC"),
    ("libgrpc", "gRPC"), ("libuv", "libuv"), ("_rust", "a Rust extension"), ("polars", "polars"),
    ("libcuda", "CUDA"), ("libnccl", "NCCL"), ("libarrow", "Arrow"), ("libjemalloc", "jemalloc"),
    ("liblldb", "LLDB"), ("librdkafka", "librdkafka"),
)  # fmt: skip
_PYTHON_OBJECTS = ("libpython", "python")


class VanishedPool(NamedTuple):
    """Vanished threads of one kind; `workers` are their names or old ids."""

    kind: str
    workers: tuple[str, ...]
    witness: str


def find_vanished_pools(vanished: VanishedThreads) -> tuple[VanishedPool, ...]:
    """Return the pools and helpers that the child does not have, the largest first."""
    by_kind: dict[str, list[tuple[str, str]]] = {}
    for thread in vanished.threads:
        role = guess_role_of_vanished_thread(thread)
        if role is not None:
            name = thread.name or f"thread {thread.tid or '?'}"
            by_kind.setdefault(role[0], []).append((name, role[1]))
    pools = [
        VanishedPool(
            kind,
            tuple(name for name, _ in workers),
            "; ".join(dict.fromkeys(w for _, w in workers)),
        )
        for kind, workers in by_kind.items()
    ]
    return tuple(sorted(pools, key=lambda pool: (-len(pool.workers), pool.kind)))


def find_vanished_native_pools(vanished: VanishedThreads) -> dict[str, tuple[str, int]]:
    """Return {path of a library known for its pool: (its name, how many threads vanished)}."""
    by_path: dict[str, tuple[str, int]] = {}
    for thread in vanished.threads:
        name = (thread.module or "").rpartition("/")[2]
        for start, kind in _NATIVE:
            if thread.module is not None and name.startswith(start):
                by_path[thread.module] = (kind, by_path.get(thread.module, (kind, 0))[1] + 1)
                break
    return by_path


def guess_role_of_vanished_thread(thread: VanishedThread) -> tuple[str, str] | None:
    """Return (what a vanished thread was, how that is known), or None."""
    if thread.type_name is not None and thread.type_name.rpartition(".")[2] == "Timer":
        return "threading.Timer", "its Thread object is a Timer"
    for frame in reversed(thread.frames):
        kind = _PYTHON.get((frame.module or "", frame.name))
        if kind is not None:
            return kind, f"it ran {frame.module}.{frame.name}()"
    if any(frame.module == "queue" and frame.name == "get" for frame in thread.frames):
        return "queue worker", "it waited in queue.Queue.get()"
    return None if thread.module is None else _native_role(thread.module)


def _native_role(path: str) -> tuple[str, str] | None:
    name = path.rpartition("/")[2]
    for start, kind in _NATIVE:
        if name.startswith(start):
            return kind, f"its start routine lies in {name}"
    if name.startswith(_PYTHON_OBJECTS):
        return None
    return f"a thread of {name}", "its start routine lies there"
