# SPDX-License-Identifier: Apache-2.0
"""Build agent: opens a tunnel per job, and closes it before the next job may begin."""

import os
import signal
import time


class Tunnel:
    """A tunnel to an artefact store, held open by a program of its own."""

    def __init__(self, store):
        self.store = store
        self.pid = os.spawnv(os.P_NOWAIT, "/bin/sleep", ["tunnel-" + store, "600"])

    def is_up(self):
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        while self.is_up():
            time.sleep(0.05)


def run_job(job, store):
    tunnel = Tunnel(store)
    try:
        return "%s: pushed to %s by %s" % (job, store, tunnel.is_up())
    finally:
        tunnel.close()


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for job, store in (("wheel", "eu-west"), ("docs", "eu-north")):
        print(run_job(job, store))


main()
