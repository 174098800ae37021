# SPDX-License-Identifier: Apache-2.0
"""A web master in the manner of uWSGI: a worker whose page takes too long is ended with a core."""

import html
import os
import signal
import time

HARAKIRI = 2.5


def price_rows(count):
    for number in range(count):
        yield f"article {number} <{number % 9}>", round(number * 0.37 % 90, 2)


def render_page(rows):
    return "".join(f"<tr><td>{html.escape(name)}</td><td>{price}</td></tr>" for name, price in rows)


def worker_main(begun):
    """Answer the requests of the queue; this one wants the whole price list."""
    os.write(begun, b".")
    size = 0
    for supplier in range(100_000):
        size += len(render_page(price_rows(4000 + supplier % 7)))
    print(size)


class Master:
    def __init__(self):
        self.begun, begun = os.pipe()
        self.worker = os.fork()
        if self.worker == 0:
            worker_main(begun)
            os._exit(0)
        os.close(begun)

    def watch(self):
        os.read(self.begun, 1)
        deadline = time.monotonic() + HARAKIRI
        while time.monotonic() < deadline:
            time.sleep(0.1)
        os.kill(self.worker, signal.SIGQUIT)
        return os.waitpid(self.worker, 0)


def main():
    print("worker ended:", Master().watch())


main()
