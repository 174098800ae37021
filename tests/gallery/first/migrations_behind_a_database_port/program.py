# SPDX-License-Identifier: Apache-2.0
"""The start of a container: migrations are run once the database takes connections."""

import json
import logging
import os
import socket
import time

log = logging.getLogger("entrypoint")


def configured_port():
    """Return the port of the settings; a port of this machine that nobody serves."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def database_answers(host, port):
    try:
        with socket.create_connection((host, port), timeout=2):
            return True
    except OSError as error:
        log.info("database at %s:%s: %s", host, port, error)
        return False


def wait_for_database(host, port):
    attempts = 0
    while not database_answers(host, port):
        attempts += 1
        time.sleep(0.25)
    return attempts


def migrate(steps):
    return [f"{number:04d}_{step}" for number, step in enumerate(steps, 1)]


def main():
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    wait_for_database("127.0.0.1", configured_port())
    print(migrate(["orders", "invoices"]))


main()
