# SPDX-License-Identifier: Apache-2.0
"""Tide tables of a pilot station, served by gunicorn with two workers."""

import os
from pathlib import Path

from gunicorn.app.base import BaseApplication

TIDES = {"/high": b"04:12 16:38", "/low": b"10:25 22:51"}


def tide_table(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [TIDES.get(environ["PATH_INFO"], b"?")]


class Station(BaseApplication):
    def load_config(self):
        self.cfg.set("bind", ["127.0.0.1:0"])
        self.cfg.set("workers", 2)
        self.cfg.set("when_ready", self.open)

    def load(self):
        return tide_table

    def open(self, arbiter):
        Path("ready").write_text(f"{os.getpid()}\n")


if __name__ == "__main__":
    Station().run()
