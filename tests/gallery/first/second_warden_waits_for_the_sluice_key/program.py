# SPDX-License-Identifier: Apache-2.0
"""The controller of a sluice runs twice; who holds the lock of the key file moves the gates.

This process is the standby. The first controller is another process, which works.
"""

import fcntl
import logging
import os
import subprocess
import sys
import threading
import time

import gates

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
log = logging.getLogger("warden-%d" % os.getpid())


def lead(until=None):
    """Move the gates as the levels ask for it."""
    plant = gates.Plant()
    while until is None or time.monotonic() < until:
        plant.step()
        with open("heartbeat", "w") as file:
            file.write("%d %.1f %s\n" % (os.getpid(), time.time(), plant.describe()))
        time.sleep(0.5)


def candidate(role):
    """Wait for the key, then lead."""
    key = open("sluice.key", "a+")
    log.info("%s asks for the key", role)
    fcntl.flock(key, fcntl.LOCK_EX)
    key.seek(0)
    key.truncate()
    key.write("%d\n" % os.getpid())
    key.flush()
    log.info("%s has the key", role)
    print("leading", flush=True)
    lead()


def status_page(stop):
    """Tell the monitoring how old the leader's heartbeat is."""
    while not stop.wait(1.0):
        try:
            age = time.time() - float(open("heartbeat").read().split()[1])
        except (OSError, IndexError):
            continue
        log.info("standby; heartbeat of the leader is %.1f s old", age)


def main():
    if sys.argv[1:] == ["leader"]:
        candidate("leader")
        return
    leader = subprocess.Popen(
        [sys.executable, __file__, "leader"], stdout=subprocess.PIPE, text=True
    )
    leader.stdout.readline()
    stop = threading.Event()
    threading.Thread(target=status_page, args=(stop,), name="status", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    candidate("standby")


if __name__ == "__main__":
    main()
