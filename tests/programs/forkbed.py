# SPDX-License-Identifier: Apache-2.0
"""Fork, let the child hang, tell the truth about it, and end it from outside.

The parent writes the truth: it alone knows the threads that the child does not have. Programs that
import this module declare themselves with `# forks:` lines (tests/support/forks.py). Runs on
CPython 3.8 to 3.15, standard library alone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import deathbed

PATIENCE = 60.0
parked = deathbed.parked


def park():
    """Stay in this thread for good, where the main thread may fork at any time."""
    parked.append(threading.get_ident())
    threading.Event().wait()


def spawn(function, name, *arguments):
    """Start a daemon thread with a name of its own and wait until it has parked itself."""
    before = len(parked)
    one = threading.Thread(target=function, args=arguments, name=name, daemon=True)
    one.start()
    deathbed.gather(before + 1)
    return one


def others():
    """Return the truth about every thread but the calling one: the child will not have them."""
    return deathbed.other_threads()


PROC = os.path.isdir("/proc/self")


def status(pid):
    """Return (state, processor ticks) of a process; ("", 0) when it is gone."""
    if not PROC:  # in a chroot without /proc: whether it is there, and how long it has computed
        return ("S", int(computed(pid) * 1000)) if alive(pid) else ("", 0)
    try:
        with open(f"/proc/{pid}/stat") as handle:
            fields = handle.read().rpartition(")")[2].split()
    except OSError:
        return "", 0
    return fields[0], int(fields[11]) + int(fields[12])


def computed(pid):
    """Return how long a process has computed, in seconds; 0 of one that is gone.

    Its clock is MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of <linux/posix-timers.h>.
    """
    try:
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return 0.0


def alive(pid):
    """Return whether a process is there and, as a child of this one, has not ended."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == 0
    except ChildProcessError:
        pass
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def await_rest(pid, spinning=False):
    """Wait until a process sleeps and stays asleep; or, when it shall spin, for a while."""
    deadline = time.monotonic() + PATIENCE
    seen, same = None, 0
    while same < (12 if PROC and not spinning else 30):
        time.sleep(0.02)
        now = status(pid)
        if now[0] in ("", "Z") or time.monotonic() > deadline:
            if now[0]:
                os.kill(pid, signal.SIGKILL)
            sys.exit(f"child {pid} did not come to rest: {now}")
        same = same + 1 if spinning or (now == seen and now[0] in "SDt") else 0
        seen = now


def reap(pid):
    """Wait for a child of this process, or for a process that is none."""
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        while status(pid)[0] not in ("", "Z"):
            time.sleep(0.02)


def testify(pid, vanished, *, number=signal.SIGABRT, holds_gil=False, threads=(), **facts):
    """Write the truth about a child that hangs: `facts` are those of the fork."""
    fork = {
        "forked": True,
        "depth": 1,
        "multithreaded": bool(vanished),
        "from_main": True,
        "bypass": False,
        "handlers": None,
        "vanished": vanished,
    }
    unknown = set(facts) - set(fork) - {"hold", "role", "method", "verdict", "parent"}
    assert not unknown, unknown
    fork.update(facts)
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    deathbed.write(
        {
            "pid": pid,
            "parent": os.getpid(),
            "version": list(sys.version_info[:3]),
            "gil": gil,
            "way": "hang",
            "signal": int(number),
            "crashed": pid,
            "gil_holder": pid if gil and holds_gil else None,
            "threads": list(threads),
            "fork": fork,
        }
    )


def abort(pid):
    """Let a process dump its core."""
    os.kill(pid, signal.SIGABRT)


def own():
    """Return the truth about the calling thread; where it was at the fork is not known (None)."""
    return deathbed.thread(None)


def end(pid, vanished, *, spinning=False, **facts):
    """Let a child come to rest, write the truth, end the child with a core, reap it."""
    await_rest(pid, spinning)
    testify(pid, vanished, **facts)
    abort(pid)
    reap(pid)


FUTEX = "202"  # the number of the system call on x86-64


def end_in_futex(pid, vanished, **facts):
    """End a child that waits for a lock, inside its wait; return False if it ended by itself.

    A lock that sleeps for moments only, and tries again between them, is in no call for some of the
    time (tcmalloc's: 2 to 5 of 100 cores). Stopped first, the child dies where it was stopped.
    """
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        os.kill(pid, signal.SIGSTOP)  # a child that has ended is a zombie, and takes signals
        while status(pid)[0] not in ("", "T", "Z"):
            time.sleep(0.001)
        try:
            with open(f"/proc/{pid}/syscall") as handle:
                call = handle.read().partition(" ")[0]
        except OSError:  # of a process that is no more
            call = ""
        if call == FUTEX:
            testify(pid, vanished, **facts)
            abort(pid)
            os.kill(pid, signal.SIGCONT)
            reap(pid)
            return True
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.003)
        if not alive(pid):
            return False
    os.kill(pid, signal.SIGKILL)
    sys.exit(f"child {pid} neither ended nor waited for a lock")


def hang_in_child(child, *, fork=os.fork, before=others, **facts):
    """Fork; the child calls `child()`, which must not return; the parent tells and ends it."""
    vanished = before()
    pid = fork()
    if pid == 0:
        try:
            child()
        finally:
            os._exit(77)
    end(pid, vanished, **facts)


def sleep_for_good():
    """Wait for nothing, without a lock."""
    while True:
        time.sleep(600)
