# SPDX-License-Identifier: Apache-2.0
"""A mailing: addresses are checked here, and letters sent by two threads of an executor."""

import os
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

outbox = queue.Queue()
executor = ThreadPoolExecutor(2, thread_name_prefix="sender")


def deliver(sent):
    while True:
        letter = outbox.get()
        if letter is None:
            return
        time.sleep(0.01)
        sent.append(letter)


def check(address):
    name, domain = address.split("@")
    if "." not in domain:
        raise ValueError("no such domain: %r" % domain)
    return name.lower() + "@" + domain


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    sent = []
    for _ in range(2):
        executor.submit(deliver, sent)
    threading.Timer(1.0, tell).start()
    for address in ("ada@example.org", "Bo@example.org", "cy@localhost", "di@example.org"):
        outbox.put((check(address), "Our summer offers"))
    for _ in range(2):
        outbox.put(None)
    print(len(sent), "letters")


main()
