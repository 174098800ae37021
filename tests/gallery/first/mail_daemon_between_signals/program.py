# SPDX-License-Identifier: Apache-2.0
"""A mail relay: the main thread waits for signals, two threads deliver what is queued."""

import os
import queue
import signal
import threading

CONTROL = {signal.SIGHUP, signal.SIGTERM, signal.SIGUSR1}


class Relay:
    def __init__(self, carriers):
        self.outbox = queue.Queue()
        self.delivered = 0
        self.counting = threading.Lock()
        self.carriers = [
            threading.Thread(target=self.carry, name="carrier-%d" % n, daemon=True)
            for n in range(carriers)
        ]
        for carrier in self.carriers:
            carrier.start()

    def carry(self):
        while True:
            letter = self.outbox.get()
            with self.counting:
                self.delivered += len(letter["to"])
            self.outbox.task_done()

    def control(self):
        while True:
            number = signal.sigwait(CONTROL)
            if number == signal.SIGTERM:
                return
            print("reloading" if number == signal.SIGHUP else self.delivered)


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, CONTROL)
    relay = Relay(carriers=2)
    for number in range(20):
        relay.outbox.put({"to": ["ada", "bo"], "subject": "bulletin %d" % number})
    relay.outbox.join()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    relay.control()


main()
