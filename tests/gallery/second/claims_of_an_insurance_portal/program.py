# SPDX-License-Identifier: Apache-2.0
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import store

HANDLERS = 3
meeting = threading.Barrier(HANDLERS)


@store.transactional
@store.audited("claim.accept")
def accept_claim(number, amount):
    connection = store.current.get()
    (tax,) = connection.execute("select ? * 0.19", (amount,)).fetchone()
    if number >= 100:
        meeting.wait()
    return number, amount + tax


def morning():
    return [accept_claim(number, 120.0 * number) for number in range(5)]


def rush_hour():
    with ThreadPoolExecutor(HANDLERS, thread_name_prefix="request") as requests:
        with open("ready", "w") as told:
            told.write(f"{os.getpid()}\n")
        return list(requests.map(accept_claim, range(100, 103), [310.0, 45.5, 980.0]))


if __name__ == "__main__":
    store.engine = store.Engine(":memory:", size=HANDLERS)
    print(morning(), flush=True)
    print(rush_hour())
