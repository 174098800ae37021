# SPDX-License-Identifier: Apache-2.0
"""Test of a report's way through a connection, without the other process."""

import multiprocessing
import os


def send_report(connection):
    connection.send({"rows": "x" * 1_000_000})


def receive_report(connection):
    return connection.recv()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    near, far = multiprocessing.Pipe()
    tell()
    send_report(near)
    print(len(receive_report(far)["rows"]))


main()
