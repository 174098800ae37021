# SPDX-License-Identifier: Apache-2.0
"""The main thread takes a plain lock that it holds already: a method that locks calls another
that locks.
"""

import os
import threading


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.amount = 3

    def balance(self):
        self.lock.acquire()
        try:
            return self.amount
        finally:
            self.lock.release()

    def snapshot(self):
        self.lock.acquire()
        try:
            return {"amount": self.balance()}
        finally:
            self.lock.release()


def main():
    account = Account()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(account.snapshot())


main()
