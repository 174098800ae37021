# SPDX-License-Identifier: Apache-2.0
"""A process as it runs in production: a gunicorn worker whose threads wait for a lock."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, discover
from support.opening import need_core_dumps
from support.packages import NoPackages, packages_for
from support.waiting import PATIENCE, until_asleep, wait_until, wait_until_gone

from gdb_epi.detectors.registry import run_detectors
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

APP = """
import os, threading, time

LOCK = threading.Lock()
COMING = []

def hold():
    with LOCK:
        time.sleep(600)

def wait():
    COMING.append(1)
    with LOCK:
        pass

def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    path = environ["PATH_INFO"]
    if path == "/hold":
        hold()
    if path == "/wait":
        wait()
    return [f"{os.getpid()} {LOCK.locked()} {len(COMING)}".encode()]
"""
INTERPRETERS = [
    pytest.param(interpreter, id=interpreter.id)
    for interpreter in discover()
    if interpreter.root is None and not interpreter.stripped
]


def ask(path: Path, url: str, *, answer: bool = True) -> str:
    """Send a request to the socket and return the body; "" at once when no answer is wanted."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(str(path))
        connection.sendall(f"GET {url} HTTP/1.0\r\n\r\n".encode())
        if not answer:
            connection.settimeout(None)
            return connection.recv(1).decode()  # until the worker dies
        parts = []
        while data := connection.recv(65536):
            parts.append(data)
    return b"".join(parts).decode().rpartition("\r\n\r\n")[2]


def is_served(path: Path) -> bool:
    """Whether somebody listens: the socket has its name before that."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(path))
        except OSError:
            return False
    return True


def started(interpreter: Interpreter, packages: str, folder: Path) -> subprocess.Popen[bytes]:
    words = "-m gunicorn --workers 1 --threads 4 --worker-class gthread --timeout 900"
    command = [*interpreter.argv, *words.split(), "--bind", f"unix:{folder}/s", "app:app"]
    environment = {**interpreter.environment(), "PYTHONPATH": packages}
    return subprocess.Popen(
        ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh", *command],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.fixture(params=INTERPRETERS)
def core(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The core of a worker in which one request holds a lock and another waits for it."""
    need_core_dumps()
    try:
        packages = packages_for(request.param, ("gunicorn",))
    except NoPackages as error:
        pytest.skip(f"no gunicorn: {error}")
    (tmp_path / "app.py").write_text(APP)
    place = tmp_path / "s"
    with started(request.param, packages, tmp_path) as master:
        try:
            wait_until(lambda: is_served(place) or master.poll() is not None, what="a socket")
            assert master.poll() is None, master.stderr and master.stderr.read().decode()[-800:]
            pid = int(ask(place, "/").split()[0])
            for url in ("/hold", "/wait"):
                threading.Thread(target=last_words, args=(place, url), daemon=True).start()
                wait_until(lambda: ask(place, "/").split()[1] == "True", what="the lock")
            wait_until(lambda: ask(place, "/").split()[2] == "1", what="a thread")
            until_asleep(pid)  # from its last line into the kernel
            os.kill(pid, signal.SIGSEGV)
            wait_until_gone(pid)
        finally:
            master.terminate()
            master.wait(PATIENCE)
            if master.stderr:
                master.stderr.close()
    yield find_core(tmp_path)[0]


def last_words(place: Path, url: str) -> None:
    try:
        ask(place, url, answer=False)
    except OSError:
        pass  # the worker died, as it should


def test_a_worker_with_threads(core: Path) -> None:
    state = ProcessState(CoreFileTarget.open(core))
    fork = state.locks.fork
    assert fork.forked and not fork.parent_multithreaded
    waits = [w for w in state.locks.waits if w.kind == "threading.Lock"]
    assert [(w.name, w.verdict) for w in waits] == [("app.LOCK", "live-holder")]
    holder = state.python_thread(waits[0].owner.tid)
    assert holder is not None and "hold" in [frame.name for frame in holder.frames]
    findings, errors = run_detectors(state)
    assert errors == []
    detectors = {f.detector for f in findings}
    assert not detectors & {"forked_child_lock", "lost_wakeup", "latent_inherited_lock"}, detectors
    assert all(thread.frames for thread in state.python.threads() if thread.alive)
