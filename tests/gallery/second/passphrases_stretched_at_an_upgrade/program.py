# SPDX-License-Identifier: Apache-2.0
"""Upgrade of a password vault: every entry is stretched anew with many more rounds."""

import concurrent.futures
import hashlib
import json
import os
import threading

ROUNDS = 1_500_000
ENTRIES = 40


class Vault:
    def __init__(self):
        self.lock = threading.Lock()
        self.entries = {f"clerk-{n:02d}": os.urandom(16) for n in range(ENTRIES)}
        self.upgraded = {}

    def stretch(self, name):
        salt = self.entries[name]
        with self.lock:  # one at a time: the machine has other work
            key = hashlib.pbkdf2_hmac("sha512", name.encode(), salt, ROUNDS)
            self.upgraded[name] = key.hex()
        return name


def weak(vault):
    """Entries that were stretched, and whose salt is too short all the same."""
    return [name for name in vault.upgraded if len(vault.entries[name]) < 16]


def write_journal(vault, path="journal.json"):
    """Write down what was done, so that a stop loses one entry at the most."""
    with open(path + ".new", "w") as file:
        json.dump(sorted(vault.upgraded), file)
    os.replace(path + ".new", path)


def report(vault, done):
    names = [name for name in done if name in vault.upgraded]
    print("upgraded", len(names), "of", len(vault.entries), flush=True)


def main():
    vault = Vault()
    done = []
    with concurrent.futures.ThreadPoolExecutor(3, "stretch") as crew:
        jobs = [crew.submit(vault.stretch, name) for name in vault.entries]
        with open("ready", "w") as file:
            file.write(json.dumps({"pid": os.getpid()}) + "\n")
        for job in jobs:
            done.append(job.result())
            report(vault, done)
            write_journal(vault)
    print("weak entries", weak(vault), flush=True)


main()
