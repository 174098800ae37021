# SPDX-License-Identifier: Apache-2.0
"""Sends a newsletter, no faster than the mail provider allows."""

import os
import queue
import threading
import time
from pathlib import Path


class TokenBucket:
    def __init__(self, per_second, burst):
        self.per_second = per_second
        self.burst = burst
        self.tokens = float(burst)
        self.filled = time.monotonic()
        self.changed = threading.Condition()

    def take_token(self):
        with self.changed:
            while True:
                now = time.monotonic()
                grown = self.tokens + (now - self.filled) * self.per_second
                self.tokens, self.filled = min(self.burst, grown), now
                if self.tokens >= 1:
                    self.tokens -= 1
                    return
                self.changed.wait((1 - self.tokens) / self.per_second)


class Sender(threading.Thread):
    def __init__(self, number, mails, bucket):
        super().__init__(name=f"sender-{number}", daemon=True)
        self.mails, self.bucket = mails, bucket
        self.sent = 0

    def run(self):
        while True:
            address = self.mails.get()
            self.bucket.take_token()
            self.sent += len(address) > 0
            self.mails.task_done()


def main():
    mails, bucket = queue.Queue(), TokenBucket(per_second=0.8, burst=5)
    for number in range(900):
        mails.put(f"reader{number}@example.org")
    senders = [Sender(number, mails, bucket) for number in range(4)]
    for sender in senders:
        sender.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    mails.join()
    print(sum(sender.sent for sender in senders), "sent")


if __name__ == "__main__":
    main()
