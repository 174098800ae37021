# SPDX-License-Identifier: Apache-2.0
"""A bird observatory's job runner: helper commands are reaped by a handler of SIGCHLD."""

import os
import signal
import subprocess
import sys

HELPER = "import sys; print('ringed', sys.argv[1], flush=True)"


class Runner:
    def __init__(self):
        self.running = {}
        self.ended = {}
        signal.signal(signal.SIGCHLD, self.reap)

    def reap(self, number, frame):
        """A helper has ended: take its status."""
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid in self.running:
            self.ended[self.running.pop(pid)] = status

    def start(self, job):
        child = subprocess.Popen([sys.executable, "-S", "-c", HELPER, job])
        self.running[child.pid] = job
        return child

    def start_all(self, jobs):
        """Start jobs together: no helper may be reaped before it is in the table."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        try:
            started = [self.start(job) for job in jobs]
            for child in started:
                check_started(child)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        return started

    def wait_all(self):
        while self.running:
            signal.pause()
        return self.ended


def check_started(child):
    """See that the helper got as far as to its work; a fast one may have ended by then."""
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    runner = Runner()
    runner.start_all(["herring gulls"])
    print("first round:", runner.wait_all(), flush=True)
    # Two islands on the second day.
    runner.start_all(["black-headed gulls", "kittiwakes"])
    ready()
    print("second round:", runner.wait_all(), flush=True)


if __name__ == "__main__":
    main()
