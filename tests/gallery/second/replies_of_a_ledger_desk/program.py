# SPDX-License-Identifier: Apache-2.0
"""Client of the ledger desk: many requests on one connection, each reply told by its number."""

import json
import os
import socket
import threading


class Desk(threading.Thread):
    """The other end of the line: answers each request in turn."""

    def __init__(self, connection):
        super().__init__(name="ledger-desk", daemon=True)
        self.lines = connection.makefile("rw")

    def run(self):
        for line in self.lines:
            request = json.loads(line)
            reply = {"id": str(request["id"]), "balance": 100 + len(request["account"])}
            self.lines.write(json.dumps(reply) + "\n")
            self.lines.flush()


class LedgerClient:
    def __init__(self, connection):
        self.lines = connection.makefile("rw")
        self.pending = {}
        self.unclaimed = 0
        self.number = 0
        threading.Thread(target=self.read_replies, name="reply-reader", daemon=True).start()

    def read_replies(self):
        for line in self.lines:
            reply = json.loads(line)
            slot = self.pending.pop(reply["id"], None)
            if slot is None:
                self.unclaimed += 1
                continue
            slot["reply"] = reply
            slot["done"].set()

    def balance_of(self, account):
        self.number += 1
        slot = self.pending[self.number] = {"done": threading.Event()}
        self.lines.write(json.dumps({"id": self.number, "account": account}) + "\n")
        self.lines.flush()
        slot["done"].wait()
        return slot["reply"]["balance"]


def main():
    ours, theirs = socket.socketpair()
    Desk(theirs).start()
    client = LedgerClient(ours)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(client.balance_of("4711-20"))


main()
