# SPDX-License-Identifier: Apache-2.0
"""Plans shifts in two threads; a bit is flipped in the state of one of them while it waits."""

import ctypes
import json
import os
import sys
import threading

INTERPRETER = 16  # offset of a thread state's link to its interpreter


class Keeper(threading.Thread):
    def __init__(self, names):
        super().__init__(name="keeper", daemon=True)
        self.names = names
        self.shifts = []
        self.wanted = threading.Semaphore(0)
        self.done = threading.Semaphore(0)

    def run(self):
        while True:
            self.wanted.acquire()
            night = len(self.shifts)
            self.shifts.append(self.names[night % len(self.names)])
            self.done.release()


def state_of_this_thread():
    get = ctypes.pythonapi.PyThreadState_Get
    get.restype = ctypes.c_void_p
    return get()


def main():
    keeper = Keeper(["Ida", "Olof", "Maren"])
    keeper.start()
    for _ in range(5):
        keeper.wanted.release()
        keeper.done.acquire()
    place = state_of_this_thread() + INTERPRETER
    with open("ready", "w") as file:
        # Bit 43 of the link.
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place + 5, 3]]}) + "\n")
    sys.stdin.readline()
    for _ in range(5):
        keeper.wanted.release()
        keeper.done.acquire()
    print(keeper.shifts)


main()
