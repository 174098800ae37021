# SPDX-License-Identifier: Apache-2.0
"""Mail merge consumer: workers take jobs from a queue, the main thread beats for the broker."""

import os
import queue
import string
import threading

LETTER = string.Template("Dear $name, your parcel $parcel is ready.")


class Consumer:
    """Workers that merge letters, and a beat that says that they are there."""

    def __init__(self, workers):
        self.jobs = queue.Queue(maxsize=100)
        self.stopping = threading.Event()
        self.state = threading.Condition()
        self.merged = 0
        self.beats = 0
        self.workers = [
            threading.Thread(target=self.work, name="merge-%d" % number)
            for number in range(workers)
        ]

    def work(self):
        while not self.stopping.is_set():
            try:
                job = self.jobs.get(timeout=20.0)
            except queue.Empty:
                continue
            LETTER.substitute(job)
            with self.state:
                self.merged += 1
                self.state.notify_all()

    def start(self, backlog):
        for worker in self.workers:
            worker.start()
        with self.state:
            self.state.wait_for(lambda: self.merged >= backlog, timeout=15.0)

    def run(self):
        while not self.stopping.is_set():
            with self.state:
                self.state.wait(timeout=15.0)
                self.beats += 1


def main():
    consumer = Consumer(3)
    for number in range(6):
        consumer.jobs.put({"name": "customer %d" % number, "parcel": 7000 + number})
    consumer.start(backlog=6)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    consumer.run()


main()
