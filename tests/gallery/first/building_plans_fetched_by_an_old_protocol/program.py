# SPDX-License-Identifier: Apache-2.0
"""An architects' office fetches building plans from a registry by FTP and counts their lines. The
plan is taken off the data connection only once the server has said that it was sent."""

import ftplib
import hashlib
import logging
import os
import sys

from plan_server import PlanServer

log = logging.getLogger("plans")


class Plan:
    def __init__(self, name):
        self.name = name
        self.lines = 0
        self.digest = hashlib.sha256()

    def feed(self, part):
        self.lines += part.count(b"\n")
        self.digest.update(part)

    def __str__(self):
        return f"{self.name}: {self.lines} lines, {self.digest.hexdigest()[:12]}"


class Registry:
    """A session with the registry's server."""

    def __init__(self, port):
        self.ftp = ftplib.FTP()
        self.ftp.connect("127.0.0.1", port)
        self.ftp.sendcmd("USER anonymous")
        self.ftp.voidcmd("TYPE I")

    def fetch(self, name):
        """Fetch one plan."""
        plan = Plan(name)
        connection = self.ftp.transfercmd(f"RETR {name}")
        with connection:
            answer = self.ftp.voidresp()
            log.info("%s: %s", name, answer)
            while part := connection.recv(65536):
                plan.feed(part)
        return plan

    def close(self):
        self.ftp.quit()


def main(names):
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    server = PlanServer()
    server.start()
    registry = Registry(server.port)
    plans = []
    for name in names:
        if name == names[-1]:
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
        plans.append(registry.fetch(name))
        log.info("%s", plans[-1])
    registry.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(["small.dxf", "quarter.dxf"]))
