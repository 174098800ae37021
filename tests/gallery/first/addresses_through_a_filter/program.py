# SPDX-License-Identifier: Apache-2.0
"""A mailing list is normalised by the system's tr before it is compared."""

import os
import subprocess
import threading


class Filter:
    def __init__(self, *command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def normalise(self, addresses):
        for address in addresses:
            self.process.stdin.write(address + "\n")
        self.process.stdin.close()
        normalised = self.process.stdout.read().splitlines()
        self.process.wait()
        return normalised


def subscribers(count):
    for number in range(count):
        yield "Reader.%06d@Lists.Example.ORG" % number


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    lower = Filter("tr", "A-Z", "a-z")
    print(lower.normalise(subscribers(20)))
    threading.Timer(1.0, tell).start()
    lower = Filter("tr", "A-Z", "a-z")
    addresses = lower.normalise(subscribers(40000))
    print(len(set(addresses)), "different addresses")


main()
