# SPDX-License-Identifier: Apache-2.0
"""A letterbox service with several processes at one listening socket."""

import os
import socket
import sys
import time

from door import Door

DOORS = 3


def start_door(number, listener):
    pid = os.fork()
    if pid:
        return pid
    try:
        Door(number, listener, "accept.turn").serve()
    finally:
        os._exit(1)


def post(address, text):
    with socket.create_connection(address) as line:
        line.sendall(text.encode())
        return line.makefile().readline().strip()


def sleeps_in(pid):
    with open("/proc/%d/wchan" % pid) as file:
        return file.read()


def find_waiting(pids):
    """Return a door that waits for its turn, once another one stands at accept()."""
    while True:
        if any("accept" in sleeps_in(pid) for pid in pids):
            for pid in pids:
                if "setlk" in sleeps_in(pid):
                    return pid
        time.sleep(0.02)


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=20)
    address = listener.getsockname()
    doors = [start_door(number, listener) for number in range(DOORS)]
    for number in range(6):
        print(post(address, "letter %d " % number * (number + 1)), flush=True)
    with open("ready.part", "w") as file:
        file.write("%d\n" % find_waiting(doors))
    os.rename("ready.part", "ready")
    for _ in doors:
        pid, status = os.wait()
        print("door %d ended: %d" % (pid, status), file=sys.stderr)


main()
