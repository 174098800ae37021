# SPDX-License-Identifier: Apache-2.0
"""Till server: for each branch a process is forked, although a thread counts the stock all the
time; what the fork copied in use is made anew in the child. The branch's process then waits for
its orders."""

import os
import threading
import time


class Stock:
    def __init__(self):
        self.articles = {"tea": 40, "cups": 12}
        self.lock = threading.Lock()
        self.counting = threading.Event()
        os.register_at_fork(after_in_child=self.renew)

    def renew(self):
        self.former_lock, self.lock = self.lock, threading.Lock()
        self.counting.clear()

    def count_forever(self):
        while True:
            with self.lock:
                self.counting.set()
                time.sleep(5.0)
                self.articles = {name: left for name, left in self.articles.items() if left}

    def take(self, article, pieces):
        with self.lock:
            self.articles[article] -= pieces
            return self.articles[article]


def serve_branch(name, stock, orders):
    left = stock.take("tea", 2)
    print(name, "opens with", left, "packets of tea", flush=True)
    with open("ready.new", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.new", "ready")
    with os.fdopen(orders) as lines:
        for line in lines:
            article, pieces = line.split()
            print(name, article, stock.take(article, int(pieces)), flush=True)


def open_branch(name, stock):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(writer)
        serve_branch(name, stock, reader)
        os._exit(0)
    os.close(reader)
    return pid, writer


def main():
    stock = Stock()
    threading.Thread(target=stock.count_forever, name="counter", daemon=True).start()
    stock.counting.wait()
    pid, _ = open_branch("harbour", stock)
    print("branch ended:", os.waitpid(pid, 0))


main()
