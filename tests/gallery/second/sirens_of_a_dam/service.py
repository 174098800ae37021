# SPDX-License-Identifier: Apache-2.0
"""A service with worker threads that ends on a signal."""

import collections
import signal
import threading

ENDING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}


class Workers:
    def __init__(self, count, function):
        self._function = function
        self._orders = collections.deque()
        self._changed = threading.Condition()
        self._stopping = False
        self._threads = [
            threading.Thread(target=self._work, name=f"siren-worker-{n}") for n in range(count)
        ]

    def start(self):
        for thread in self._threads:
            thread.start()

    def submit(self, order):
        with self._changed:
            self._orders.append(order)
            self._changed.notify()

    def stop(self):
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self):
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._orders or self._stopping)
                if not self._orders:
                    return
                order = self._orders.popleft()
            self._function(order)


def run_until_signalled(workers, reload):
    """Run the workers until the service is to end; SIGHUP reads the settings anew."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    workers.start()
    while signal.sigwait(ENDING) == signal.SIGHUP:
        reload()
    workers.stop()
