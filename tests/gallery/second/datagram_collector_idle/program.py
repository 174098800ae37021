# SPDX-License-Identifier: Apache-2.0
"""A collector of metrics waits for datagrams, for its next flush, and for a signal to stop."""

import os
import signal
import socket
import threading

TOTALS = {}
STOPPING = threading.Event()
SEEN = threading.Event()


def receive(link):
    while True:
        name, _, value = link.recvfrom(1500)[0].partition(b":")
        TOTALS[name] = TOTALS.get(name, 0) + int(value)
        SEEN.set()


def flush_now_and_then():
    while not STOPPING.wait(300):
        TOTALS.clear()


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("127.0.0.1", 0))
    threading.Thread(target=receive, args=(link,), daemon=True).start()
    threading.Thread(target=flush_now_and_then, daemon=True).start()
    link.sendto(b"requests:3", link.getsockname())
    SEEN.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    signal.sigwait([signal.SIGTERM])


main()
