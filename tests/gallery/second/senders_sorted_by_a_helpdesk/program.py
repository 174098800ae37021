# SPDX-License-Identifier: Apache-2.0
"""Sorts the mails of a helpdesk into queues by who sent them."""

import os
import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ADDRESS = re.compile(r"^([a-z0-9]+[._-]?)+@([a-z0-9]+[.-]?)+\.[a-z]{2,6}$")

SENDERS = [
    "ines.kolb@stadtwerke.example",
    "o.brandt@werft-nord.example",
    "notifications1730000000000000000000000000000000000000 via list",
    "kasse@rathaus.example",
]


@dataclass
class Mail:
    number: int
    sender: str


def queue_of(mail):
    if not ADDRESS.match(mail.sender):
        return "unknown"
    return mail.sender.rpartition("@")[2].split(".")[0]


def main():
    queues = defaultdict(list)
    mails = [Mail(number, sender) for number, sender in enumerate(SENDERS, 7100)]
    with ThreadPoolExecutor(2, thread_name_prefix="sorter") as pool:
        Path("ready").write_text(f"{os.getpid()}\n")
        for mail, queue in zip(mails, pool.map(queue_of, mails)):
            queues[queue].append(mail.number)
    print(dict(queues))


if __name__ == "__main__":
    main()
