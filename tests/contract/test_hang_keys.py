# SPDX-License-Identifier: Apache-2.0
"""Each deadlock and each busy loop has a key of its own, and the same in each run (N70 to N73)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, discover
from support.opening import need_core_dumps, need_gdb
from support.zoo import keys_of, signed

from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import json, queue, re, sys, threading
from concurrent.futures import ThreadPoolExecutor

A, B = threading.Lock(), threading.Lock()
BOTH = threading.Barrier(2)
REENTRANT, ITEMS, HELD = threading.RLock(), queue.Queue(), threading.Event()
POOL = ThreadPoolExecutor(1)
PATTERN = re.compile(r"(a+)+b$")

def ready():
    open("ready", "w").close()

def run(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

def transfer():
    with A:
        BOTH.wait()
        with B:
            pass

def audit():
    with B:
        BOTH.wait()
        with A:
            pass

def two_locks():
    run(transfer, audit)

def consume():
    with REENTRANT:
        HELD.set()
        return ITEMS.get()

def produce():
    HELD.wait()
    with REENTRANT:
        ITEMS.put(1)

def lock_and_queue():
    run(consume, produce)

class Cache:
    def __init__(self):
        self.lock, self.data = threading.Lock(), {}

    def get(self, key):
        with self.lock:
            return self.fill(key)

    def fill(self, key):
        with self.lock:
            self.data[key] = 1

CACHE = Cache()

def own_lock():
    CACHE.get("a")

def inner():
    return 1

def outer():
    return POOL.submit(inner).result()

def full_pool():
    POOL.submit(outer).result()

def digit(number):
    return number % 10

def collatz(number):
    return number // 2 if digit(number) % 2 == 0 else 3 * number + 1

def busy_python():
    number = 27
    while number:
        number = collatz(number)

def validate(text):
    return PATTERN.match(text)

def busy_regex():
    validate("a" * 60)

EDGES = {node: [(node * 7 + 1) % 100, (node * 3 + 2) % 100] for node in range(100)}

def neighbours(node):
    return [edge for edge in EDGES[node] if edge != node]

def busy_walk():
    todo = [0]
    while todo:
        for other in neighbours(todo.pop()):
            todo.append(other)
        del todo[50:]

def decode(text):
    return json.loads(text)

def busy_retry():
    attempts = 0
    while attempts >= 0:
        try:
            decode('{"a": [1, 2' * 20)
        except ValueError:
            attempts += 1

ready()
globals()[sys.argv[1]]()
"""
# What the key holds of each; "py:" is left out.
KEYS = {
    "two_locks": "deadlock threading.Lock:__main__.A audit => threading.Lock:__main__.B transfer",
    "lock_and_queue": "deadlock queue.Queue:__main__.ITEMS consume => "
    "threading.RLock:__main__.REENTRANT produce",
    "own_lock": "deadlock threading.Lock:__main__.CACHE.lock fill <- get",
    "full_pool": "deadlock Future outer",
    "busy_python": "busy busy_python <- <module>",
    "busy_regex": "busy validate <- busy_regex",
    "busy_walk": "busy busy_walk <- <module>",
    "busy_retry": "busy busy_retry <- <module>",
}
MINORS = ((3, 9), (3, 11), (3, 13))
RUNS = 2


def is_plain(interpreter: Interpreter) -> bool:
    return interpreter.root is None and not (interpreter.free_threaded or interpreter.debug)


@pytest.fixture
def random_addresses() -> Iterator[None]:
    """Let the kernel choose addresses again, as it does outside of tests."""
    libc = ctypes.CDLL(None)
    before = libc.personality(0xFFFFFFFF)
    libc.personality(0)
    yield
    libc.personality(before)


@pytest.mark.heavy
@pytest.mark.usefixtures("random_addresses")
@pytest.mark.parametrize("minor", MINORS, ids=lambda minor: "{}.{}".format(*minor))
def test_eight_hangs_have_eight_keys(minor: tuple[int, int], tmp_path: Path) -> None:
    gdb = need_gdb()
    need_core_dumps()
    interpreter = next(
        (
            interpreter
            for interpreter in discover()
            if interpreter.minor == minor and is_plain(interpreter)
        ),
        None,
    )
    if interpreter is None:
        pytest.skip(f"no CPython {minor[0]}.{minor[1]} on this machine's own root")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    lines: dict[str, list[dict[str, str]]] = {}
    stacks = set()
    for name in KEYS:
        for run in range(RUNS):
            folder = tmp_path / f"{name}-{run}"
            folder.mkdir()
            core = core_by_signal(interpreter, name, folder, program=program)
            stacks.add(CoreFileTarget.open(core).threads()[0].sp)
            keys = keys_of(signed(core, gdb, interpreter))
            lines.setdefault(name, []).append(keys)
            core.unlink()
    assert len(stacks) > 1, "the kernel gave each run the same addresses"
    for key in ("stable", "coarse", "python"):
        in_each = {name: {run[key] for run in runs} for name, runs in lines.items()}
        assert all(len(texts) == 1 for texts in in_each.values()), in_each
        assert len({text for texts in in_each.values() for text in texts}) == len(KEYS), in_each
    for name, expected in KEYS.items():
        text = lines[name][0]["python"].replace("py:__main__.", "").replace("Cache.", "")
        assert text == f"gsig/2 python killed-external {expected}"
