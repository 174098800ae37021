# SPDX-License-Identifier: Apache-2.0
"""A web service keeps one renderer process, started by the first request that needs it."""

import ctypes
import os
import queue
import signal
import threading
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class Renderer:
    """Lives in a process of its own, which must not outlive the service."""

    def __init__(self):
        self.jobs = queue.Queue()
        self.done = 0

    def render(self):
        while True:
            job = self.jobs.get()
            self.done += len(job)

    def run(self):
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
        threading.Thread(target=self.render, name="render", daemon=True).start()
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        while True:
            self.jobs.put("frame")
            time.sleep(0.4)


class Service:
    def __init__(self):
        self.renderer = None
        self.answered = 0

    def start_renderer(self):
        pid = os.fork()
        if pid == 0:
            Renderer().run()
        return pid

    def handle(self, request):
        if self.renderer is None:
            self.renderer = self.start_renderer()
        time.sleep(1.5)
        self.answered += 1


def main():
    service = Service()
    for number in range(2):
        thread = threading.Thread(target=service.handle, args=(number,), name="request")
        thread.start()
        thread.join()
    print("answered", service.answered, flush=True)
    print("renderer ended", os.waitpid(service.renderer, 0), flush=True)
    time.sleep(1)


main()
