# SPDX-License-Identifier: Apache-2.0
"""Pays salaries: the vault gives one key at a time, each stretched from a pass phrase."""

import hashlib
import os
import threading
import time
from pathlib import Path


class Vault:
    def __init__(self, phrase, rounds):
        self._phrase = phrase
        self._rounds = rounds
        self._one_at_a_time = threading.Lock()
        self.opened = {}

    def key(self, company):
        with self._one_at_a_time:
            if company not in self.opened:
                salt = company.encode()
                self.opened[company] = hashlib.pbkdf2_hmac(
                    "sha512", self._phrase, salt, self._rounds
                )
            return self.opened[company]


def pay(vault, company, paid):
    key = vault.key(company)
    paid.append((company, key[:4].hex()))


def heartbeat():
    while True:
        Path("beat").write_text(f"{time.time()}\n")
        time.sleep(0.5)


def main():
    vault, paid = Vault(b"four corners of the yard", 12_000_000), []
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    clerks = [
        threading.Thread(target=pay, args=(vault, company, paid), name=f"pay-{company}")
        for company in ("bakery", "harbour", "brewery", "library")
    ]
    Path("ready").write_text(f"{os.getpid()}\n")
    for clerk in clerks:
        clerk.start()
    for clerk in clerks:
        clerk.join()
    print(paid)


if __name__ == "__main__":
    main()
