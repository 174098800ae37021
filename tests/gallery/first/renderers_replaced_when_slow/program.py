# SPDX-License-Identifier: Apache-2.0
"""Renderers of a print shop take pages from a queue; one that is idle too long is replaced."""

import multiprocessing
import os
import time

context = multiprocessing.get_context("fork")


def render(pages, done):
    done.put(os.getpid())
    while True:
        page = pages.get()
        time.sleep(0.02)
        done.put("page %d" % page)


class Shop:
    def __init__(self):
        self.pages = context.Queue()
        self.done = context.Queue()
        self.renderer = None

    def hire(self):
        self.renderer = context.Process(target=render, args=(self.pages, self.done))
        self.renderer.start()
        return self.done.get()

    def replace(self):
        self.renderer.terminate()
        self.renderer.join()
        return self.hire()

    def printed(self, numbers):
        for number in numbers:
            self.pages.put(number)
        return [self.done.get() for _ in numbers]


def main():
    shop = Shop()
    shop.hire()
    print(shop.printed([1, 2, 3]))
    time.sleep(0.5)
    pid = shop.replace()
    shop.pages.put(4)
    time.sleep(0.5)
    with open("ready", "w") as file:
        file.write("%d\n" % pid)
    print(shop.done.get())


main()
