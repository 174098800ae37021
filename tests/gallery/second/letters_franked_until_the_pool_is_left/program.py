# SPDX-License-Identifier: Apache-2.0
"""A mail room franks letters in a thread pool; each franker takes letters from a queue until its end mark."""  # noqa: E501

import concurrent.futures
import os
import queue
import threading

import franking

FRANKERS = 3


class MailRoom:
    def __init__(self):
        self.tray = queue.Queue(20)
        self.done = []
        self.lock = threading.Lock()
        self.ready_to_read = threading.Semaphore(0)

    def frank(self):
        """Frank letters until the end mark comes; return the postage that was used."""
        machine = franking.Machine()
        while True:
            letter = self.tray.get()
            if letter is None:
                return machine.used
            stamp = machine.stamp(letter)
            with self.lock:
                self.done.append((letter.to, stamp))
            self.ready_to_read.release()

    def close(self):
        for _ in range(FRANKERS):
            self.tray.put(None)


def run(letters):
    room = MailRoom()
    try:
        with concurrent.futures.ThreadPoolExecutor(FRANKERS, "franker") as pool:
            used = [pool.submit(room.frank) for _ in range(FRANKERS)]
            for letter in letters:
                room.tray.put(letter)
            for _ in letters:
                room.ready_to_read.acquire()
            print("franked", len(room.done), flush=True)
            announce()
    finally:
        room.close()
    return sum(future.result() for future in used)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    letters = [franking.Letter(f"parish {i}", 18 + 7 * (i % 9)) for i in range(75)]
    print("postage", run(letters), flush=True)


if __name__ == "__main__":
    main()
