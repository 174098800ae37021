# SPDX-License-Identifier: Apache-2.0
"""Hang, while another process watches, writes down what the kernel says, and kills.

The programs beside this file that wait for locks import it. The watcher is forked before any thread
exists. When every thread sleeps it reads of each the system call that the kernel has it in, adds
what the program says of itself, and sends SIGABRT. So the main thread may hang as well.
"""

import json
import os
import signal
import sys
import threading
import time

TRUTH = os.path.abspath(sys.argv[1])
PATIENCE = 60.0
SETTLED = 6  # polls in which nothing changed
POLL = 0.05
WITHOUT_PROC = 20  # polls in which it did next to nothing
NOTHING = 0.005  # seconds of processor time from poll to poll: who waits for the GIL asks for it

waits, started, findings = [], {}, []
_ready = os.pipe()


def watch():
    """Fork the watcher; the program goes on."""
    parent = os.getpid()
    if os.fork():
        os.close(_ready[0])
        return
    os.close(_ready[1])
    try:
        data = b""
        while True:
            part = os.read(_ready[0], 65536)
            if not part:
                break
            data += part
            if data.endswith(b"\n"):
                break
        if not data:
            os._exit(0)  # the program failed before its wait; it says itself why
        truth = json.loads(data.decode())
        truth["syscalls"] = settled(parent)
        with open(TRUTH + ".partial", "w") as handle:
            json.dump(truth, handle)
        os.replace(TRUTH + ".partial", TRUTH)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os.kill(parent, signal.SIGABRT)
        os._exit(0)


def settled(pid):
    """Return {tid: [number, argument...]} of every thread, once all of them stay asleep.

    Without /proc (some interpreters run in a bare root) nothing is known but how long it computed.
    """
    seen, same = None, 0
    deadline = time.monotonic() + PATIENCE
    if not os.path.isdir("/proc/%d/task" % pid):
        while same < WITHOUT_PROC and time.monotonic() < deadline:
            time.sleep(POLL)
            before, seen = seen, computed(pid)
            same = same + 1 if before is not None and seen - before < NOTHING else 0
        return {}
    while same < SETTLED and time.monotonic() < deadline:
        time.sleep(POLL)
        now = calls(pid)
        same = same + 1 if now == seen else 0
        seen = now
    return seen


def computed(pid):
    """Return how long a process has computed, in seconds; the number of its clock is the kernel's.

    MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of <linux/posix-timers.h>.
    """
    return time.clock_gettime(~pid << 3 | 2)


def calls(pid):
    """Return the system call of every thread; [] of one that runs."""
    found = {}
    for task in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/syscall" % (pid, task)) as handle:
            words = handle.read().split()
        found[task] = [] if words[0] == "running" else [int(word, 0) for word in words[:4]]
    return found


def thread(name, function, *arguments):
    """Start a daemon thread of this name."""

    def body():
        started[name] = threading.get_native_id()
        function(*arguments)

    made = threading.Thread(target=body, name=name, daemon=True)
    made.start()
    return made


def expect(name, kind, holder=None, verdict=None, called=None):
    """Say that the thread of this name will wait for a lock of this kind."""
    waits.append(
        {"thread": name, "kind": kind, "holder": holder, "verdict": verdict, "called": called}
    )


def expect_finding(detector):
    """Say that this detector must find something; all others must not."""
    findings.append(detector)


def tell():
    """Hand what is expected to the watcher; call it when every thread is on its way to its wait."""
    started["MainThread"] = threading.get_native_id()
    content = {
        "pid": os.getpid(),
        "version": list(sys.version_info[:3]),
        "signal": int(signal.SIGABRT),
        "waits": waits,
        "started": started,
        "findings": findings,
    }
    os.write(_ready[1], (json.dumps(content) + "\n").encode())


def wait_until(condition):
    """Wait until something is true."""
    deadline = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(0.1)


def hang():
    """Tell, then sleep in the main thread until the watcher kills."""
    wait_until(
        lambda: all(one["thread"] in started or one["thread"] == "MainThread" for one in waits)
    )
    tell()
    time.sleep(600)


def nap():
    """Sleep for as long as anybody watches."""
    time.sleep(600)
