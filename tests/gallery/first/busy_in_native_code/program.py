# SPDX-License-Identifier: Apache-2.0
"""The main thread hashes in C with the GIL released, another compresses: a busy program that a
watchdog ended.
"""

import hashlib
import os
import threading
import zlib


def derive(secret):
    return hashlib.pbkdf2_hmac("sha256", secret, b"salt", 50_000_000)


def archive():
    data = os.urandom(1 << 20)
    while True:
        zlib.compress(data, 9)


def main():
    threading.Thread(target=archive, daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(derive(b"secret"))


main()
