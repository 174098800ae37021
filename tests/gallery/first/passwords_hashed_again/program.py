# SPDX-License-Identifier: Apache-2.0
"""After an audit all passwords are hashed again with more rounds, two at a time."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor, as_completed

ROUNDS = 40_000_000


def stretch(account, secret):
    salt = ("site:" + account).encode()
    return account, hashlib.pbkdf2_hmac("sha512", secret, salt, ROUNDS).hex()


def upgrade(accounts):
    upgraded = {}
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="stretch") as pool:
        jobs = [pool.submit(stretch, name, secret) for name, secret in accounts.items()]
        tell()
        for job in as_completed(jobs):
            account, digest = job.result()
            upgraded[account] = digest
    return upgraded


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    accounts = {"user%02d" % n: os.urandom(12) for n in range(30)}
    print(len(upgrade(accounts)), "accounts upgraded")


main()
