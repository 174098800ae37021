# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"]}
"""Die with locks, threads, queues and pools among the locals."""

import concurrent.futures
import multiprocessing
import queue
import sched
import threading

import deathbed
from values import dying

HOLD = threading.Event()


class OwnEvent(threading.Event):
    pass


class OwnThread(threading.Thread):
    pass


def parked():
    deathbed.parked.append(1)
    HOLD.wait()


def simple(way):
    lock, held = threading.Lock(), threading.Lock()
    held.acquire()
    reentrant, twice = threading.RLock(), threading.RLock()
    twice.acquire(), twice.acquire()
    released = threading.RLock()
    released.acquire(), released.release()
    condition, of_lock = threading.Condition(), threading.Condition(threading.Lock())
    event, event_set, own_event = threading.Event(), threading.Event(), OwnEvent()
    event_set.set()
    semaphore, bounded = threading.Semaphore(3), threading.BoundedSemaphore(2)
    semaphore.acquire(), bounded.acquire()
    barrier = threading.Barrier(2)
    broken = threading.Barrier(3)
    broken.abort()
    local = threading.local()
    local.value = 1
    main = threading.main_thread()
    waiting = threading.Thread(target=parked, name="waiting", daemon=True)
    waiting.start()
    own = OwnThread(target=parked, daemon=True)
    own.start()
    ended = threading.Thread(target=len, args=("x",), name="ended")
    ended.start(), ended.join()
    unstarted, timer = threading.Thread(name="never"), threading.Timer(60, print)
    queues(way)
    return locals()


def queues(way):
    empty, full, stack = queue.Queue(), queue.Queue(maxsize=2), queue.LifoQueue()
    full.put(1), full.put("two"), stack.put([3])
    ordered, simple_queue = queue.PriorityQueue(), queue.SimpleQueue()
    ordered.put((2, "b")), ordered.put((1, "a"))
    simple_queue.put("x")
    plan = sched.scheduler()
    pools(way)
    return locals()


def fail():
    raise ValueError("failed")


def pools(way):
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="pool")
    done, failed = pool.submit(sum, [1, 2]), pool.submit(fail)
    concurrent.futures.wait([done, failed])
    busy, waiting = pool.submit(parked), pool.submit(len, "x")
    cancelled = pool.submit(len, "y")
    cancelled.cancel()
    fresh = concurrent.futures.Future()
    finished = concurrent.futures.Future()
    finished.set_result({"a": 1})
    constants = concurrent.futures.FIRST_COMPLETED, concurrent.futures.ALL_COMPLETED
    try:
        process_lock, process_event = multiprocessing.Lock(), multiprocessing.Event()
        process_lock.acquire()
        number, real = multiprocessing.Value("i", 7), multiprocessing.Value("d", 0.5)
        free_lock, other_event = multiprocessing.Lock(), multiprocessing.Event()
        other_event.set()
        process_semaphore = multiprocessing.Semaphore(3)
        process_bounded = multiprocessing.BoundedSemaphore(2)
        process_bounded.acquire()
    except OSError:
        pass  # there is no /dev/shm
    process = multiprocessing.Process(target=len)
    deathbed.gather(3)
    dying(way, None)
    return locals()


if __name__ == "__main__":
    simple(deathbed.prepare("raise"))
