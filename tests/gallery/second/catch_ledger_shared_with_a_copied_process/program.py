# SPDX-License-Identifier: Apache-2.0
"""A fleet's office: a thread works out the proceeds while the main thread starts a process that
writes the landing declaration from the same ledger."""

import os
import sys
import threading

from ledger import Auction, Ledger


class Office:
    def __init__(self):
        self.ledger = Ledger()
        self.auction = Auction()
        self.ledger.appraise_with(self.auction)
        self.results = {}

    def work_out_proceeds(self):
        self.results.update(self.ledger.proceeds())

    def start_proceeds(self):
        thread = threading.Thread(target=self.work_out_proceeds, name="proceeds")
        thread.start()
        self.auction.calling.wait()
        return thread

    def start_declaration(self):
        """Write the declaration in a process of its own; return its pid."""
        pid = os.fork()
        if pid:
            return pid
        status = 1
        try:
            self.declare()
            status = 0
        finally:
            os._exit(status)

    def declare(self):
        """Write the declaration of what was landed."""
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        crates = self.ledger.crates()
        with open("declaration.txt", "w") as file:
            file.write(f"landed: {crates} crates\n")


def main():
    office = Office()
    proceeds = office.start_proceeds()
    declaration = office.start_declaration()
    print("declaration is written by", declaration, flush=True)
    office.auction.answered.set()
    proceeds.join()
    print("proceeds:", office.results, flush=True)
    _, status = os.waitpid(declaration, 0)
    print("declaration ended:", status)
    return status != 0


if __name__ == "__main__":
    sys.exit(main())
