# SPDX-License-Identifier: Apache-2.0
"""Renders a travel guide; pages and their fragments share one pool of threads."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOWNS = ["bergen", "turku", "visby", "riga", "gdansk", "rostock", "aarhus", "malmo"]
FRAGMENTS = ("header", "sights", "hotels", "weather")


class Renderer:
    def __init__(self, threads=4):
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="render")
        self.pages = {}

    def render_fragment(self, town, fragment):
        time.sleep(0.01)
        return f"<section id={fragment}>{town.title()}</section>"

    def render_page(self, town):
        time.sleep(0.05)  # the template is loaded
        parts = [self.pool.submit(self.render_fragment, town, each) for each in FRAGMENTS]
        self.pages[town] = "\n".join(part.result() for part in parts)
        return len(self.pages[town])

    def render_guide(self):
        return sum(self.pool.map(self.render_page, TOWNS))


if __name__ == "__main__":
    Path("ready").write_text(f"{os.getpid()}\n")
    print(Renderer().render_guide())
