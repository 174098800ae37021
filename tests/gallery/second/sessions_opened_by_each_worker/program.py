# SPDX-License-Identifier: Apache-2.0
"""Load test: four workers open their sessions, start together, and replay the recorded visits."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

WORKERS = 4
START_LINE = threading.Barrier(WORKERS)
STATE = threading.local()


def open_session():
    STATE.session = {"cookie": f"s-{threading.get_ident():x}", "pages": 0}
    START_LINE.wait()


def replay(visit):
    for page in visit:
        STATE.session["pages"] += len(page)
    return STATE.session["pages"]


def run_load(visits):
    with ThreadPoolExecutor(WORKERS, "visitor", initializer=open_session) as pool:
        return list(pool.map(replay, visits))


def main():
    visits = [["/", "/shop", "/cart"], ["/", "/search?q=tea", "/tea/42"]]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(run_load(visits))


main()
