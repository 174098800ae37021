# SPDX-License-Identifier: Apache-2.0
"""The recipes of a canteen kitchen, kept up to date from files."""

import threading
import time


class RecipeBook:
    def __init__(self, observer):
        self.observer = observer
        self.recipes = {}
        self.reading = threading.Event()

    def changed(self, path):
        self.reading.set()
        with open(path) as source:
            title, *steps = source.read().splitlines()
        time.sleep(0.4)
        self.recipes[title] = steps
        print(title, "read; watched:", len(self.observer.folders()), flush=True)
