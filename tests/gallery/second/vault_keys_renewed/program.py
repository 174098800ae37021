# SPDX-License-Identifier: Apache-2.0
"""Renews the keys of all vaults with more rounds than before; two threads, each key is slow."""

import hashlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Vault:
    owner: str
    salt: bytes
    rounds: int = 100_000
    key: bytes = b""

    def derive(self, password, rounds):
        self.key = hashlib.pbkdf2_hmac("sha512", password, self.salt, rounds)
        self.rounds = rounds
        return self


class Renewal:
    def __init__(self, vaults, rounds):
        self.vaults = vaults
        self.rounds = rounds
        self.done = 0
        self._lock = threading.Lock()

    def renew(self, vault):
        vault.derive(vault.owner.encode() * 3, self.rounds)
        with self._lock:
            self.done += 1

    def run(self, threads):
        with ThreadPoolExecutor(threads, thread_name_prefix="renewal") as executor:
            for _ in executor.map(self.renew, self.vaults):
                print(f"{self.done} of {len(self.vaults)}", flush=True)


def main():
    names = ["ada", "ben", "cleo", "dan", "eve", "finn"]
    vaults = [Vault(name, bytes([n]) * 16) for n, name in enumerate(names)]
    Renewal(vaults, 1000).run(2)
    Path("ready").write_text(f"{os.getpid()}\n")
    Renewal(vaults, 40_000_000).run(2)


if __name__ == "__main__":
    main()
