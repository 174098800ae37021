# SPDX-License-Identifier: Apache-2.0
"""Waits until the token of a map service may be asked for again."""

import os
import threading
import time


class Token:
    def __init__(self, pause):
        self.pause = pause
        self.not_before = 0.0
        self.asked = 0

    def refused(self):
        self.not_before = time.time() + self.pause

    def await_turn(self):
        while (left := self.not_before - time.perf_counter()) > 0:
            time.sleep(min(left, 0.05))

    def renew(self):
        self.await_turn()
        self.asked += 1
        if self.asked < 2:
            self.refused()
            return self.renew()
        return f"token-{self.asked}"


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    threading.Timer(1.0, announce).start()
    print(Token(pause=0.3).renew())


main()
