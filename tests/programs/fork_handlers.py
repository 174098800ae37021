# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "handlers-python-hook", "arguments": ["hook"]}
# forks: {"name": "handlers-python-hook-crash", "arguments": ["crash"]}
# forks: {"name": "handlers-before", "arguments": ["before"]}
# forks: {"name": "handlers-c", "arguments": ["c"]}
# forks: {"name": "handlers-exec", "arguments": ["preexec"]}
"""Hang or crash inside the handlers that run around a fork, or between fork and exec."""

import ctypes
import os
import signal
import subprocess
import sys
import threading

import forkbed

lock = threading.Lock()


def hold():
    with lock:
        forkbed.park()


def hook():
    with lock:
        pass


def crashing_hook():
    ctypes.string_at(0)


def never():
    raise SystemExit("the child came out of its handlers")


def before():
    """Hang in a hook that runs before the fork: this process is no child of one."""
    pid = os.fork()
    if pid == 0:
        os.register_at_fork(before=hook)
        forkbed.spawn(hold, "holder")
        os.fork()
    forkbed.end(pid, [], handlers="before", multithreaded=False)


def in_c():
    """Hang in a handler of pthread_atfork(): pause() itself, no Python."""
    libc = ctypes.CDLL(None)
    pause = ctypes.cast(libc.pause, ctypes.c_void_p)
    libc.__register_atfork(None, None, pause, None)
    forkbed.spawn(forkbed.park, "idle")
    forkbed.hang_in_child(never, handlers="c", holds_gil=True)


def preexec():
    """Hang in a preexec_fn: the parent waits in Popen(), so its thread looks after the child."""
    forkbed.spawn(hold, "holder")

    def watch():
        pid = int(os.read(ours, 64))
        vanished = [one for one in forkbed.others() if one["name"] == "holder"]
        forkbed.end(pid, [*vanished, forkbed.own()], handlers="preexec", hold="hold")
        os._exit(0)

    def told():
        os.write(theirs, str(os.getpid()).encode())
        with lock:
            pass

    ours, theirs = os.pipe()
    threading.Thread(target=watch, name="watcher", daemon=True).start()
    subprocess.Popen([sys.executable, "-c", ""], preexec_fn=told)


def main():
    scene = sys.argv[2]
    if scene == "before":
        before()
    elif scene == "c":
        in_c()
    elif scene == "preexec":
        preexec()
    elif scene == "hook":
        forkbed.spawn(hold, "holder")
        os.register_at_fork(after_in_child=hook)
        forkbed.hang_in_child(never, handlers="child", hold="hold")
    else:
        forkbed.spawn(forkbed.park, "idle")
        os.register_at_fork(after_in_child=crashing_hook)
        vanished = forkbed.others()
        pid = os.fork()
        forkbed.testify(pid, vanished, number=signal.SIGSEGV, handlers="child", holds_gil=None)
        forkbed.reap(pid)


if __name__ == "__main__":
    main()
