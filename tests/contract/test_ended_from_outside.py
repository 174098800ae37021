# SPDX-License-Identifier: Apache-2.0
"""Waits that a peer, a client or a signal may still end, beside those that none can."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.waiting import until_asleep

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.hangs.types import HANG, KEEPER, LATE_CLIENT, SERVICE, SLOW_PEER
from gdb_epi.locks.types import PROBABLE
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

BEGIN = """
import queue, signal, socket, threading
from concurrent.futures import Future
mine = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
mine.bind(("127.0.0.1", 0))
pending = {}
def begin(target, daemon=True):
    thread = threading.Thread(target=target, daemon=daemon)
    thread.start()
    return thread
"""
FUTURE = """
def read():
    pending.pop(mine.recv(1)).set_result(1)
begin(read)
def call():
    future = pending[b"x"] = Future()
    print("ready", flush=True)
    return future.result()
call()
"""
ENDED_BY_HANDLER = """
def stop(*_):
    raise SystemExit
signal.signal(signal.SIGTERM, stop)
jobs = queue.Queue()
begin(jobs.get)
done = threading.Event()
print("ready", flush=True)
done.wait()
"""
CALLBACK = """
def read():
    pending[mine.recv(1)]()
def wait():
    future = Future()
    pending[b"x"] = lambda: future.set_result(1)
    begin(read)
    print("ready", flush=True)
    future.result()
wait()
"""
KEPT = """
def read():
    pending[mine.recv(1)]()
def wait():
    loaded = threading.Event()
    pending[b"x"] = loaded.set
    begin(read)
    print("ready", flush=True)
    loaded.wait()
wait()
"""
DEAD_READER = """
def read():
    mine.recv(1)
    raise SystemExit
reader = begin(read)
def call():
    future = pending[b"x"] = Future()
    mine.sendto(b"x", mine.getsockname())
    reader.join()
    print("ready", flush=True)
    return future.result()
call()
"""
PARKED = """
def keep():
    signal.signal(signal.SIGALRM, lambda *_: pending.clear())
    print("ready", flush=True)
    threading.Event().wait()
keep()
"""
NAMED = """
def wait():
    loaded = threading.Event()
    begin(lambda: loaded.is_set())
    print("ready", flush=True)
    loaded.wait()
wait()
"""
PARKED_BY_NAME = """
def wait():
    loaded = threading.Event()
    print("ready", flush=True)
    loaded.wait()
wait()
"""
PARKED_AT_TOP = """
loaded = threading.Event()
print("ready", flush=True)
loaded.wait()
"""
NAMED_AT_TOP = """
loaded = threading.Event()
def load():
    raise ValueError
    loaded.set()
begin(load).join()
print("ready", flush=True)
loaded.wait()
"""
FED_WORKER = """
work = queue.Queue()
listening = socket.create_server(("127.0.0.1", 0))
def accept():
    listening.accept()
    work.put(1)
begin(accept)
begin(work.get, daemon=False)
print("ready", flush=True)
"""


@pytest.mark.parametrize(
    ("program", "outside"),
    [
        pytest.param(FUTURE, SLOW_PEER, id="future"),
        pytest.param(CALLBACK, SLOW_PEER, id="callback in a dict"),
        pytest.param(KEPT, SLOW_PEER, id="method in a dict"),
        pytest.param(DEAD_READER, "", id="dead reader"),
        pytest.param(PARKED, KEEPER, id="parked"),
        pytest.param(NAMED, "", id="named event"),
        pytest.param(PARKED_BY_NAME, KEEPER, id="parked by name"),
        pytest.param(PARKED_AT_TOP, KEEPER, id="parked at top level"),
        pytest.param(NAMED_AT_TOP, "", id="named at top level"),
        pytest.param(ENDED_BY_HANDLER, SERVICE, id="handler that raises"),
        pytest.param(FED_WORKER, LATE_CLIENT, id="fed worker"),
    ],
)
def test_who_may_still_end_it(program: str, outside: str, tmp_path: Path) -> None:
    core = tmp_path / "core"
    command = [sys.executable, "-c", BEGIN + program]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        until_asleep(process.pid)
        words = ["gdb", "-nx", "-batch", "-p", str(process.pid)]
        words += ["-ex", f"generate-core-file {core}"]
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL)
        process.kill()
    assert core.exists(), done.stderr
    answer = run_stages(Session(CoreFileTarget.open(core))).state.hang
    assert not isinstance(answer, Absent), answer
    assert (answer.label, answer.outside) == (HANG, outside), answer
    assert answer.sure == PROBABLE, answer
