# SPDX-License-Identifier: Apache-2.0
"""Mail relay in two stages: sorting and sending; what could not be sent is sorted once more."""

import os
import queue
import threading
import time

to_sort = queue.Queue(maxsize=4)
to_send = queue.Queue(maxsize=4)


def sort_mails():
    while True:
        mail = to_sort.get()
        mail["route"] = mail["to"].rpartition("@")[2]
        mail["tries"] += 1
        to_send.put(mail)


def send_mails():
    while True:
        mail = to_send.get()
        time.sleep(0.005)
        if mail["route"].endswith(".invalid") and mail["tries"] < 50:
            to_sort.put(mail)


def accept_mails(count):
    for number in range(count):
        to_sort.put({"to": f"user{number}@shop{number % 3}.invalid", "tries": 0})


def main():
    threading.Thread(target=sort_mails, name="sort", daemon=True).start()
    threading.Thread(target=send_mails, name="send", daemon=True).start()
    accepting = threading.Thread(target=accept_mails, args=(200,), name="accept", daemon=True)
    accepting.start()
    time.sleep(1.0)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    accepting.join()


main()
