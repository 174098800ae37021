# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "interpreter_threads-38", "newest": [3, 8]}
# corpus: {"oldest": [3, 14]}
# corpus: {"name": "interpreter_threads-shared", "arguments": ["shared"], "oldest": [3, 14]}
"""Die in a thread of a sub-interpreter, beside other interpreters in threads, with their own GIL.

3.9 to 3.13 hang or crash of their own with threads in several interpreters.
Each interpreter writes what it knows of its threads to a file; the dying one adds them up. They are
started one after the other: 3.14.0 frees a block twice when two of them import at the same time.
"""

import glob
import json
import os
import sys
import threading
import time

import deathbed

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

SCRIPT = """
import json, os, sys, threading, time
sys.path.insert(0, {folder!r})
sys.argv = {argv!r}
import deathbed

def tell(frame):
    found = [deathbed.thread(deathbed.stack(frame), {number})]
    for one in deathbed.other_threads():  # of every interpreter
        if one["name"] in ("inner \\u00fc {number}",):
            found.append(dict(one, interpreter={number}))
    with open("told-{number}.partial", "w") as handle:
        json.dump(found, handle)
    os.rename("told-{number}.partial", "told-{number}.json")

def inner():
    deathbed.parked.append(1)
    (lambda held: held.acquire() and held.acquire())(threading.Lock())

def wait():
    if {threads}:
        inside = threading.Thread(target=inner, name="inner \\u00fc {number}")
        inside.start()
        while not deathbed.parked:
            time.sleep(0.01)
        settle([str(inside.native_id)])  # the main thread looks for files meanwhile
    tell(sys._getframe()), time.sleep(900)

def switches(which):
    # How often each of them but this one stopped to run. Without /proc nothing is known of them.
    tasks, seen = "/proc/self/task", {{}}
    for task in os.listdir(tasks) if os.path.isdir(tasks) else ():
        if task != str(threading.get_native_id()) and (which is None or task in which):
            with open(tasks + "/" + task + "/status") as handle:
                seen[task] = [line for line in handle if "State:" in line or "ctxt" in line]
    return seen

def settle(which=None):
    # A thread that has told has yet to reach its wait.
    seen, same = None, 0
    while same < (5 if os.path.isdir("/proc/self/task") else 30):
        time.sleep(0.01)
        now = switches(which)
        running = any("R (running)" in line for lines in now.values() for line in lines)
        same = same + 1 if now == seen and not running else 0
        seen = now

def die():
    import glob
    while len(glob.glob("told-*.json")) < {others}:
        time.sleep(0.01)
    settle()
    others = []
    for path in glob.glob("told-*.json"):
        with open(path) as handle:
            others += json.load(handle)
    deathbed.die(deathbed.prepare("raise"), others=others, interpreter={number})

{call}()
"""


def in_thread(call, threads):
    """Run the script in an interpreter; say before where this thread stands in the main one.

    It is made here: up to 3.12 its thread state keeps the ident of the thread that made it.
    """
    target = create()
    folder = os.path.dirname(os.path.abspath(__file__))
    number = int(target)

    def script():
        outer = deathbed.thread(deathbed.stack(sys._getframe(1)))
        hand_over(f"told-outer-{number}.json", [outer])
        return SCRIPT.format(
            folder=folder, argv=sys.argv, number=number, call=call, threads=threads, others=2 * 3
        )

    interpreters.run_string(target, script())


def create():
    """Return an interpreter, of the kind with a GIL of its own where there is one."""
    if len(sys.argv) > 2:
        return interpreters.create("legacy")
    return interpreters.create()


def main():
    threads = []
    for number in range(3):
        arguments = ("wait" if number < 2 else "die", number == 1)
        threads.append(threading.Thread(target=in_thread, args=arguments, name=f"runs {number}"))
    for number, thread in enumerate(threads):
        thread.start()
        while number < 2 and len(glob.glob("told-*.json")) < 2 * (number + 1):
            time.sleep(0.01)
    tell(sys._getframe()), time.sleep(900)


def tell(frame):
    """Say where the main thread will be: its frame waits in the line that calls this."""
    hand_over("told-main.json", [deathbed.thread(deathbed.stack(frame))])


def hand_over(name, content):
    """Write a file so that a reader sees all of it or nothing."""
    with open(name + ".partial", "w") as handle:
        json.dump(content, handle)
    os.rename(name + ".partial", name)


if __name__ == "__main__":
    main()
