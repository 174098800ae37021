# SPDX-License-Identifier: Apache-2.0
"""A greenlet sleeps while it holds a native lock; another waits for the lock and so stops the
thread of both.
"""

import os
import threading

import gevent

TABLE_LOCK = threading.Lock()
TABLE = {}


def load_table():
    with TABLE_LOCK:
        gevent.sleep(0.1)
        TABLE["a"] = 1


def look_up(name):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    with TABLE_LOCK:
        return TABLE[name]


def main():
    gevent.joinall([gevent.spawn(load_table), gevent.spawn(look_up, "a")])


main()
