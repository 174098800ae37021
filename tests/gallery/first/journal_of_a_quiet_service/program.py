# SPDX-License-Identifier: Apache-2.0
"""A listener of logging waits for records; the main thread waits for SIGTERM."""

import logging.handlers
import os
import queue
import signal
import threading

records, stop = queue.Queue(), threading.Event()
listener = logging.handlers.QueueListener(records, logging.StreamHandler())
listener.start()
signal.signal(signal.SIGTERM, lambda *_: stop.set())


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


ready()
stop.wait()
listener.stop()
