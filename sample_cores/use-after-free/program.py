# SPDX-License-Identifier: Apache-2.0
"""A session store whose C half frees a session that it still refers to."""

from __future__ import annotations

import threading
import time

import _sessions

USERS = 40


class Store:
    """Who is logged in."""

    def __init__(self, users):
        for user in range(users):
            _sessions.open(user, 0x5EED0000 + user)

    def expire(self, user):
        """Log a user out."""
        _sessions.expire(user)

    def fingerprint(self):
        """Return a number that changes with the sessions."""
        return _sessions.digest()


def heartbeat():
    """Stand for a thread of the service."""
    time.sleep(3600)


def housekeeping(store):
    """Log two users out, then report."""
    for user in (11, 23):
        store.expire(user)
    return store.fingerprint()


def main():
    """Run the service until it dies."""
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    store = Store(USERS)
    print(store.fingerprint(), flush=True)
    print(housekeeping(store), flush=True)


main()
