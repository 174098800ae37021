# SPDX-License-Identifier: Apache-2.0
"""A report worker is forked while another thread refreshes the sessions under their RLock; the
child waits for a lock whose owner it does not have.
"""

import os
import threading
import time


class Sessions:
    def __init__(self):
        self.guard = threading.RLock()
        self.users = {"ada": 3, "bob": 5}

    def refresh(self):
        with self.guard:
            self.users.update(self.fetch_changes())

    def fetch_changes(self):
        time.sleep(600)
        return {}

    def count(self):
        with self.guard:
            return sum(self.users.values())


def write_report(sessions):
    total = sessions.count()
    with open("report.txt", "w") as file:
        file.write(f"{total} sessions\n")


def report_worker(sessions):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    write_report(sessions)


def main():
    sessions = Sessions()
    threading.Thread(target=sessions.refresh, name="refresher", daemon=True).start()
    time.sleep(0.3)
    child = os.fork()
    if not child:
        report_worker(sessions)
        os._exit(0)
    os.waitpid(child, 0)


main()
