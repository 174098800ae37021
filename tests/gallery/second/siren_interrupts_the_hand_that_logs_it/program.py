"""Control room of a fire brigade: alarms arrive as signals from the receiver, a journal is kept."""

import collections
import os
import signal
import subprocess
import sys
import threading
import time

RECEIVER = """
import os, signal, sys
for line in sys.stdin:
    street = line.strip()
    if street == "Mill Lane":
        os.kill(os.getppid(), signal.SIGUSR1)
    print("ack", street, flush=True)
"""


class Journal:
    """Entries of the shift; printed in the order in which they were made."""

    def __init__(self):
        self._lock = threading.Lock()
        self._entries = collections.deque(maxlen=500)
        self._number = 0

    def enter(self, text, confirm=None):
        with self._lock:
            self._number += 1
            number = self._number
            if confirm is not None:
                text = f"{text} ({confirm(text)})"
            self._entries.append((number, time.time(), text))
        return number

    def tail(self, number):
        with self._lock:
            return list(self._entries)[-number:]


class Receiver:
    """The radio receiver is a program of its own; each street that we tell it is acknowledged."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", RECEIVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def acknowledge(self, street):
        self.process.stdin.write(street + "\n")
        return self.process.stdout.readline().strip()


class ControlRoom:
    def __init__(self):
        self.journal = Journal()
        self.receiver = Receiver()
        self.sirens = 0
        signal.signal(signal.SIGUSR1, self.siren)

    def siren(self, number, frame):
        self.sirens += 1
        self.journal.enter(f"siren {self.sirens}")
        print("siren!", flush=True)

    def watch(self, streets):
        for street in streets:
            entry = self.journal.enter(street, confirm=self.receiver.acknowledge)
            print("entry", entry, street, flush=True)


def board(room, stop):
    """The wall display shows the last entries now and then."""
    while not stop.wait(3600):
        for number, when, text in room.journal.tail(5):
            print(number, text, flush=True)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    room = ControlRoom()
    stop = threading.Event()
    display = threading.Thread(target=board, args=(room, stop), name="wall-display")
    display.start()
    later = threading.Timer(2.0, announce)
    later.start()
    room.watch(["Church Street", "Dock Road", "Mill Lane", "Station Square"])
    stop.set()
    display.join()


main()
