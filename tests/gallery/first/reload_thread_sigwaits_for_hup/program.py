# SPDX-License-Identifier: Apache-2.0
"""A prefork-style master: a thread awaits SIGHUP and loads the configuration again."""

import json
import os
import signal
import threading
import time


class Master:
    def __init__(self):
        self.generation = 0
        self.reloaded = threading.Event()
        self.hangups = 0

    def note_hangup(self, number, frame):
        """Count what the terminal sends (kept from the version without threads)."""
        self.hangups += 1

    def reload_loop(self):
        wanted = {signal.SIGHUP}
        signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
        while True:
            signal.sigwait(wanted)
            self.generation += 1
            self.reloaded.set()

    def deploy(self):
        """Publish a new configuration and wait until it is in force."""
        self.reloaded.clear()
        os.kill(os.getpid(), signal.SIGHUP)
        with open("ready", "w") as file:
            file.write(json.dumps({"pid": os.getpid()}) + "\n")
        self.reloaded.wait()
        return self.generation


def main():
    master = Master()
    signal.signal(signal.SIGHUP, master.note_hangup)
    threading.Thread(target=master.reload_loop, name="reloader", daemon=True).start()
    time.sleep(0.3)
    print("generation", master.deploy())


main()
