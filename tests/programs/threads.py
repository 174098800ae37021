# SPDX-License-Identifier: Apache-2.0
# corpus: {"arguments": ["20"]}
# corpus: {"name": "threads-1001", "arguments": ["1001"], "bench": true}
"""Die in the main thread while the other threads (second argument: how many) wait in many ways."""

import os
import queue
import select
import socket
import sys
import threading
import time

import deathbed

held = threading.Lock()
held.acquire()
owned = threading.RLock()
pipe = os.pipe()
pair = socket.socketpair()


def in_lock():
    held.acquire()


def in_rlock():
    with owned:
        pass


def in_sleep():
    time.sleep(900)


def in_queue():
    queue.Queue().get()


def in_select():
    select.select([pipe[0]], [], [])


def in_read():
    os.read(pipe[0], 1)


def in_receive():
    pair[0].recv(10)


def in_event():
    threading.Event().wait()


def in_condition():
    condition = threading.Condition()
    with condition:
        condition.wait()


def in_join():
    threading.main_thread().join()


WAITS = [value for name, value in sorted(globals().items()) if name.startswith("in_")]


def wait(function):
    deathbed.parked.append(threading.get_ident())
    function()


def main(count):
    owned.acquire()
    threading.stack_size(1 << 18)  # a core counts whole stacks, touched or not
    for number in range(count):
        function = WAITS[number % len(WAITS)]
        name = f"{function.__name__}-{number}"
        threading.Thread(target=wait, args=(function,), name=name, daemon=True).start()
    way = deathbed.prepare("kill")
    deathbed.gather(count)
    deathbed.die(way)


if __name__ == "__main__":
    main(int(sys.argv[2]))
