# SPDX-License-Identifier: Apache-2.0
"""A lock that an error left taken beside a stats thread with unknown rows."""

import json
import logging
import logging.handlers
import os
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Store:
    def __init__(self):
        self.lock, self.rows = threading.Lock(), {}

    def put(self, key, value):
        self.lock.acquire()
        if key in self.rows:
            raise KeyError(key)
        self.rows[key] = value
        self.lock.release()


class Stats(threading.Thread):
    def __init__(self, store):
        super().__init__(daemon=True, name="stats")
        self.store, self.history = store, []

    def run(self):
        while True:
            time.sleep(8)
            self.history.append({"time": time.time(), "rows": len(self.store.rows)})
            logging.info("%s", json.dumps(self.history[-1]))
            oldest = min(self.history, key=lambda entry: entry["time"])
            logging.debug("since %s", oldest.get("time"))


def main():
    store = Store()
    Stats(store).start()
    for key in ("a", "a"):
        try:
            store.put(key, 1)
        except KeyError as error:
            print(error)
            break
    tell_ready()
    store.put("b", 2)


if __name__ == "__main__":
    main()
