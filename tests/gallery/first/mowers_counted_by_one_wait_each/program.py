"""Groundskeeping server: starts a helper per lawn and counts them home by SIGCHLD."""

import os
import signal
import sys
import threading


class Shed:
    """Keeps count of the helpers that are out."""

    def __init__(self):
        self.out = {}
        self.reports = []
        signal.signal(signal.SIGCHLD, self.on_child)

    def send(self, lawn, squares):
        pid = os.fork()
        if pid == 0:
            total = sum(n * n % 7 for n in range(squares))
            os._exit(total % 5)
        self.out[pid] = lawn
        return pid

    def on_child(self, number, frame):
        """One signal, one child."""
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            lawn = self.out.pop(pid)
            self.reports.append((lawn, os.WEXITSTATUS(status)))

    def until_all_home(self):
        while self.out:
            signal.pause()


def both_have_ended(pids):
    """Return once each child waits to be reaped."""
    for pid in pids:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def mow(shed, lawns):
    # Signals stay blocked while the books are written, as the manual asks for.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    pids = [shed.send(lawn, 2000 * (n + 1)) for n, lawn in enumerate(lawns)]
    both_have_ended(pids)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    shed.until_all_home()


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    shed = Shed()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    threading.Timer(1.5, announce).start()
    print("round of the evening begins", flush=True)
    mow(shed, ["orchard", "croquet", "cemetery"])
    print("all home:", shed.reports)
    sys.exit(0)


main()
