"""Furnace controller: samples temperatures in a thread, writes a journal, stops on SIGTERM."""

import collections
import os
import signal
import sys
import threading
import time


class Furnace:
    def __init__(self):
        self.journal_guard = threading.Lock()
        self.journal = collections.deque(maxlen=500)
        self.stopping = threading.Event()
        self.saving = threading.Event()
        self.sampler = threading.Thread(target=self.sample, name="sampler")
        self.degrees = 1180.0

    def sample(self):
        while not self.stopping.wait(0.02):
            self.degrees += 0.4 if self.degrees < 1200 else -0.6
            with self.journal_guard:
                self.journal.append(("sample", round(self.degrees, 1)))
        with self.journal_guard:
            self.journal.append(("last", self.degrees))

    def save(self, path, seconds):
        """Write the journal; nobody may add to it meanwhile."""
        with self.journal_guard:
            self.saving.set()
            with open(path, "w") as file:
                for kind, degrees in self.journal:
                    file.write(f"{kind} {degrees}\n")
                file.flush()
                os.fsync(file.fileno())
            time.sleep(seconds)  # the plant's disk array settles
            self.saving.clear()

    def shut_down(self, number, frame):
        print("signal", number, "- shutting down", flush=True)
        self.stopping.set()
        self.sampler.join()
        sys.exit(0)


def init_system(furnace):
    """What systemd does when the unit is stopped; and later tell that it was."""
    furnace.saving.wait()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(1.5)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    furnace = Furnace()
    signal.signal(signal.SIGTERM, furnace.shut_down)
    furnace.sampler.start()
    time.sleep(0.3)
    threading.Thread(target=init_system, args=(furnace,), daemon=True).start()
    while True:
        furnace.save("journal.txt", seconds=1.0)
        time.sleep(0.5)


main()
