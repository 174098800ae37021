# SPDX-License-Identifier: Apache-2.0
"""Pages of a journal are bound into a volume; three threads number them."""

import concurrent.futures
import os
import threading
import time


class Volume:
    def __init__(self, title):
        self.title = title
        self.pages = {}
        self.lock = threading.RLock()

    def add(self, page, text):
        with self.lock:
            self.pages[page] = text

    def number(self, page):
        text = f"{self.title}, page {page}"
        time.sleep(0.01)
        self.add(page, text)
        return len(text)


class Bindery:
    def __init__(self):
        self.volumes = []

    def bind(self, title, pages):
        volume = Volume(title)
        with volume.lock:
            with concurrent.futures.ThreadPoolExecutor(3, thread_name_prefix="binder") as pool:
                for page in range(pages):
                    pool.submit(volume.number, page)
            self.volumes.append(volume)
        return volume


def main():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    bindery = Bindery()
    for title, pages in (("spring", 12), ("summer", 20)):
        volume = bindery.bind(title, pages)
        print(volume.title, len(volume.pages), flush=True)


main()
