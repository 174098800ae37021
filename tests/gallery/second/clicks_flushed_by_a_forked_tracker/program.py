# SPDX-License-Identifier: Apache-2.0
"""A web worker sends clicks through a tracker that the application made before the fork."""

import json
import os
import queue
import threading


class Tracker:
    """Queues events; a thread sends them in batches."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.queue = queue.Queue(10_000)
        self.sent = 0
        self.sender = threading.Thread(target=self.send_batches, name="tracker", daemon=True)
        self.sender.start()

    def send_batches(self):
        while True:
            self.queue.get()
            self.sent += 1
            self.queue.task_done()

    def track(self, user, event):
        self.queue.put({"user": user, "event": event, "to": self.endpoint})

    def flush(self):
        """Return when everything is sent."""
        self.queue.join()


tracker = Tracker("https://events.example/v1")


def handle_requests(users):
    for user in users:
        tracker.track(user, "page seen")
    tracker.flush()


def main():
    tracker.track(0, "application started")
    tracker.flush()
    worker = os.fork()
    if worker == 0:
        handle_requests(range(1, 25))
        os._exit(0)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": worker}) + "\n")
    print(os.waitpid(worker, 0))


main()
